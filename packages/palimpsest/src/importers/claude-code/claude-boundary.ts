/**
 * The records in which Claude Code says that it compacted or cleared something.
 */
import { asNumber, isObject } from "../../base/json/json.ts";
import type { ImportedBoundary, ImportedMicrocompact } from "../shared/imported-session.ts";
import type { ClaudeRecord } from "./claude-record.ts";

/** A `compact_boundary` record. @internal */
export function claudeBoundary(record: ClaudeRecord): ImportedBoundary {
  const { raw } = record;
  const metadata = isObject(raw["compactMetadata"]) ? raw["compactMetadata"] : {};
  const preTokens = asNumber(metadata["preTokens"]);
  const postTokens = asNumber(metadata["postTokens"]);
  const kept = isObject(metadata["preservedMessages"]) ? metadata["preservedMessages"] : {};
  const preserved = strings(kept["uuids"]);
  return {
    type: "boundary",
    trigger: trigger(metadata["trigger"]),
    preTokens,
    postTokens,
    ...(preserved.length === 0 ? {} : { preserved }),
    ...place(record),
  };
}

/** A `microcompact_boundary` record. @internal */
export function claudeMicrocompact(record: ClaudeRecord): ImportedMicrocompact {
  const { raw } = record;
  const metadata = isObject(raw["microcompactMetadata"]) ? raw["microcompactMetadata"] : {};
  const preTokens = asNumber(metadata["preTokens"]);
  const freedTokens = asNumber(metadata["tokensSaved"]);
  return {
    type: "microcompact",
    trigger: trigger(metadata["trigger"]),
    toolUseIds: strings(metadata["compactedToolIds"]),
    preTokens,
    freedTokens,
    at: record.at,
    line: record.line,
  };
}

function place({
  id,
  at,
  line,
}: Pick<ClaudeRecord, "id" | "at" | "line">): Pick<ImportedBoundary, "hostId" | "at" | "line"> {
  return {
    hostId: id,
    at,
    line,
  };
}

function trigger(value: unknown): "auto" | "manual" | "unknown" {
  return value === "auto" || value === "manual" ? value : "unknown";
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
