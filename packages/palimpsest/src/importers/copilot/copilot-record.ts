/**
 * One event of a Copilot CLI session, with the fields that all of them share already checked.
 *
 * Also reads the events by which Copilot compacted, truncated or cleared its context.
 */
import { asNumber, asString } from "../../base/json/json.ts";
import { type Fields, fieldsOf, parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary } from "../shared/imported-session.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { TreeRecord } from "../shared/walk-line.ts";

/** @internal */
export interface CopilotRecord extends TreeRecord {
  readonly type: string;
  readonly data: Fields;
  readonly at?: number;
  /** Said by or to a sub-agent. */
  readonly isSidechain: boolean;
}

/** Reads the common fields of an event; never throws. @internal */
export function copilotRecord({ value: raw, line }: SourceRecord): CopilotRecord {
  const data = fieldsOf(raw["data"]);
  return {
    raw,
    type: asString(raw["type"]) ?? "(no type)",
    data,
    isSidechain: typeof raw["agentId"] === "string" || typeof data["parentToolCallId"] === "string",
    id: asString(raw["id"]),
    parentId: asString(raw["parentId"]),
    line,
    at: parseTimestamp(raw["timestamp"]),
  };
}

/** Returns the boundary that an event records; `undefined` if the context did not change. @internal */
export function copilotBoundary({ type, data, id, at, line }: CopilotRecord): ImportedBoundary | undefined {
  const place = { hostId: id, at, line };
  if (type === "session.context_cleared") return { type: "boundary", trigger: "clear", ...place };
  if (type === "session.truncation") {
    // Copilot writes this event for every request; it is a boundary only if messages were dropped.
    if ((asNumber(data["messagesRemovedDuringTruncation"]) ?? 0) <= 0) return undefined;
    const preTokens = asNumber(data["preTruncationTokensInMessages"]);
    const postTokens = asNumber(data["postTruncationTokensInMessages"]);
    return { type: "boundary", trigger: "auto", preTokens, postTokens, ...place };
  }
  if (data["success"] !== true) return undefined;
  const trigger = data["trigger"];
  return {
    type: "boundary",
    trigger: trigger === "manual" ? "manual" : typeof trigger === "string" ? "auto" : "unknown",
    preTokens: asNumber(data["preCompactionTokens"]),
    postTokens: asNumber(data["postCompactionTokens"]),
    summary: asString(data["summaryContent"]) || undefined,
    ...place,
  };
}
