/**
 * One event of a Copilot CLI session, with the fields that all of them share already checked.
 */
import { asString, isObject } from "../../base/json/json.ts";
import { parseTimestamp } from "../shared/fields.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { TreeNode } from "../shared/walk-line.ts";

/** @internal */
export interface CopilotRecord extends TreeNode {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly line?: number;
  readonly at?: number;
  /** Said by or to a sub-agent. */
  readonly isSidechain: boolean;
  /** The id belongs to an earlier event that says something else. */
  readonly isIdTaken?: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Reads what an event says about itself; never throws. @internal */
export function copilotRecord({ value: raw, line }: SourceRecord): CopilotRecord {
  const data = isObject(raw["data"]) ? raw["data"] : {};
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
