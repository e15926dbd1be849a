/**
 * What a recorded trajectory is known by: fields that only the program that wrote it has. Looked at
 * is one record: a whole session in most of these formats, one line in others.
 */
import { isObject } from "../base/json/json.ts";
import { eventList, isOpenhandsEvent } from "./openhands/import-openhands.ts";
import type { FormatName } from "./shared/imported-session.ts";

type RecordValue = Readonly<Record<string, unknown>>;

/** Formats that one record gives away, asked in this order. @internal */
export const TRAJECTORY_FORMATS: readonly {
  readonly format: FormatName;
  readonly isRecord: (value: RecordValue) => boolean;
}[] = [
  { format: "mini-swe-agent", isRecord: isMiniSweAgent },
  { format: "opencode", isRecord: isOpencode },
  { format: "gemini-cli", isRecord: isGeminiCli },
  { format: "swe-agent", isRecord: isSweAgent },
  { format: "openhands", isRecord: isOpenhands },
];

function isMiniSweAgent({ trajectory_format: format, info, messages }: RecordValue): boolean {
  if (!Array.isArray(messages)) return false;
  const isNamed = typeof format === "string" && format.startsWith("mini-swe-agent");
  return isNamed || (isObject(info) && typeof info["mini_version"] === "string");
}

function isOpencode(value: RecordValue): boolean {
  if (hasParts(value)) return true;
  return isObject(value["info"]) && Array.isArray(value["messages"]) && value["messages"].some(hasParts);
}

function hasParts(message: unknown): boolean {
  return isObject(message) && isObject(message["info"]) && Array.isArray(message["parts"]);
}

/** A whole session or its first line, a line of the model's, or a patch. */
function isGeminiCli(value: RecordValue): boolean {
  if (typeof value["projectHash"] === "string")
    return typeof value["sessionId"] === "string" || Array.isArray(value["messages"]);
  if (value["type"] === "gemini") return typeof value["id"] === "string" && Object.hasOwn(value, "content");
  return isObject(value["$set"]) || typeof value["$rewindTo"] === "string";
}

/** A step holds what was done and what came of it; one attempt of several is a document of its own. */
function isSweAgent(value: RecordValue): boolean {
  const { trajectory, attempts } = value;
  if (Array.isArray(attempts) && attempts.some((attempt) => isObject(attempt) && isSweAgent(attempt)))
    return true;
  return Array.isArray(trajectory) && trajectory.some(isSweStep);
}

function isSweStep(step: unknown): boolean {
  return (
    isObject(step) &&
    Object.hasOwn(step, "observation") &&
    Object.hasOwn(step, "action") &&
    !Object.hasOwn(step, "source")
  );
}

function isOpenhands(value: RecordValue): boolean {
  return eventList(value) !== undefined || isOpenhandsEvent(value);
}
