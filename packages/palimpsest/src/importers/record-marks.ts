/**
 * What the records of a tool are known by: a field or a type that only this tool writes.
 */
import { isObject } from "../base/json/json.ts";
import { isBareHeader } from "./codex/codex-record.ts";
import type { FormatName } from "./shared/imported-session.ts";
import { TRAJECTORY_FORMATS } from "./trajectory-marks.ts";

type RecordValue = Readonly<Record<string, unknown>>;

/** Formats that one record gives away, asked in this order. @internal */
export const RECORD_FORMATS: readonly {
  readonly format: FormatName;
  readonly isRecord: (value: RecordValue) => boolean;
}[] = [
  { format: "pi", isRecord: isPi },
  { format: "claude-code", isRecord: isClaudeCode },
  { format: "codex", isRecord: isCodex },
  { format: "copilot", isRecord: isCopilot },
  ...TRAJECTORY_FORMATS,
];

/** Record types that only Claude Code writes, with a field that goes with them. */
const CLAUDE_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["uuid", "sessionId", "parentUuid"],
  assistant: ["uuid", "sessionId", "parentUuid", "requestId"],
  system: ["uuid", "sessionId", "parentUuid"],
  attachment: ["uuid", "attachment"],
  progress: ["uuid", "sessionId", "parentUuid"],
  summary: ["leafUuid"],
  "file-history-snapshot": ["snapshot", "messageId"],
  "queue-operation": ["operation"],
};

function isClaudeCode(value: RecordValue): boolean {
  const type = value["type"];
  if (typeof type !== "string" || !Object.hasOwn(CLAUDE_TYPES, type)) return false;
  return CLAUDE_TYPES[type]!.some((field) => Object.hasOwn(value, field));
}

function isPi(value: RecordValue): boolean {
  if (value["type"] === "session")
    return typeof value["id"] === "string" && Object.hasOwn(value, "timestamp");
  return value["type"] === "message" && isObject(value["message"]) && Object.hasOwn(value["message"], "role");
}

/** Record types that only Codex writes. */
const CODEX_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
  "token_usage_record",
]);

function isCodex(value: RecordValue): boolean {
  const isRecord = CODEX_TYPES.has(value["type"]) && isObject(value["payload"]);
  return isRecord || value["record_type"] === "state" || isBareHeader(value);
}

/** Copilot's events are named by what they are about. */
const COPILOT_TYPE = /^(?:session|user|assistant|tool|system|hook|permission)\./;

function isCopilot({ type, data }: RecordValue): boolean {
  return typeof type === "string" && COPILOT_TYPE.test(type) && isObject(data);
}
