/**
 * The parts of `session/` that a home loads when a session is first begun, opened, copied or cleaned up. A program that
 * only lists sessions starts in half the time without them.
 */
import { cleanUp } from "../../session/lifecycle/clean-up.ts";
import { forkSession } from "../../session/lifecycle/fork-session.ts";
import { createSession, openSession } from "../../session/lifecycle/open-session.ts";
import { importRecording } from "./import-recording.ts";

/** @internal */
export const engineParts = { cleanUp, createSession, forkSession, importRecording, openSession };
