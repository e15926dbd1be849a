/**
 * What a home needs of the engine, loaded when a session is begun, opened, copied or cleaned up for the first
 * time: a program that only looks at what is stored starts in half the time without it.
 */
import { cleanUp } from "../../session/lifecycle/clean-up.ts";
import { forkSession } from "../../session/lifecycle/fork-session.ts";
import { createSession, openSession } from "../../session/lifecycle/open-session.ts";
import { importRecording } from "./import-recording.ts";

/** @internal */
export const engineParts = { cleanUp, createSession, forkSession, importRecording, openSession };
