/**
 * What a home needs of the engine, loaded when a session is begun, opened, copied or cleaned up for the first
 * time: a program that only looks at what is stored starts in half the time without it.
 */
import { cleanUp } from "../../engine/clean-up.ts";
import { forkSession } from "../../engine/fork-session.ts";
import { createSession, openSession } from "../../engine/open-session.ts";
import { importRecording } from "../import-recording.ts";

/** @internal */
export const engineParts = { cleanUp, createSession, forkSession, importRecording, openSession };
