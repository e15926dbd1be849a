/**
 * One line of a Claude Code transcript, with the fields that every version shares already checked.
 */
import { asString, isObject } from "../../base/json/json.ts";
import { parseTimestamp } from "../shared/fields.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { TreeNode } from "../shared/walk-line.ts";

/** @internal */
export interface ClaudeRecord extends TreeNode {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly line?: number;
  /** `type`, or `type/subtype`, as it is called in reports. */
  readonly kind: string;
  readonly isSidechain: boolean;
  /** A user or assistant line, whether or not it turns out to be part of the conversation. */
  readonly isMessage: boolean;
  /** The id belongs to an earlier record that says something else. */
  readonly isIdTaken?: boolean;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** The message of a user or assistant line, if it has one. */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** Reads what a record says about itself; never throws. @internal */
export function claudeRecord({ value: raw, line }: SourceRecord): ClaudeRecord {
  const type = asString(raw["type"]) ?? "(no type)";
  const subtype = type === "system" ? asString(raw["subtype"]) : undefined;
  const id = asString(raw["uuid"]);
  // A boundary begins a new tree; its logical parent tells where the conversation came from.
  const parentId = asString(raw["parentUuid"]) ?? asString(raw["logicalParentUuid"]);
  const at = parseTimestamp(raw["timestamp"]);
  const message = raw["message"];
  return {
    raw,
    kind: subtype === undefined ? type : `${type}/${subtype}`,
    isSidechain: raw["isSidechain"] === true,
    isMessage: type === "user" || type === "assistant",
    line,
    id,
    parentId,
    at,
    ...(isObject(message) ? { message } : {}),
  };
}
