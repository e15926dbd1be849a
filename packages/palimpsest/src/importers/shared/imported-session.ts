/**
 * The type of every importer's result: one recorded conversation in our own blocks.
 *
 * It has the *whole* conversation, every message once and in order, even if the tool compacted it: compactions are items
 * between the messages. Recorded messages outside the conversation (a rewound branch, a side chain) are in `leftOut`, so
 * nothing in the file disappears without a trace.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { Message, OpaqueBlock, Usage } from "../../transcript/blocks.ts";

/** One message of the conversation, with the usage that its provider reported. */
export interface ImportedMessage {
  readonly type: "message";
  readonly message: Message;
  /** Usage of the response, on one assistant message per response. */
  readonly usage?: Usage;
  /** In the terms of the tool that recorded it. */
  readonly stopReason?: string;
  /** True if the recording tool inserted it (a reminder, a file), as opposed to the user or the model. */
  readonly isAttachment?: boolean;
  readonly isSidechain?: boolean;
  /** Line of the file, from 1; absent where the file is one document. */
  readonly line?: number;
}

/** A place where the recording tool replaced the earlier context by a summary, or cleared it. */
export interface ImportedBoundary {
  readonly type: "boundary";
  /** `clear`: the conversation continued with an empty context. */
  readonly trigger: "auto" | "manual" | "clear" | "unknown";
  /** Recorded size of the context before, in tokens. */
  readonly preTokens?: number;
  /** Recorded size of the context after, in tokens. */
  readonly postTokens?: number;
  /** The summary that the model got instead. */
  readonly summary?: string;
  /** The summary, if only its provider can read it. */
  readonly opaqueSummary?: OpaqueBlock;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  /** Host ids of earlier messages that stayed in the window; they are not written again after it. */
  readonly preserved?: readonly string[];
  /** Host id of the first message that stayed, for tools that record only this one. */
  readonly firstPreserved?: string;
  readonly hostId?: string;
  readonly line?: number;
}

/** A place where the tool cleared old tool results. */
export interface ImportedMicrocompact {
  readonly type: "microcompact";
  readonly trigger: "auto" | "manual" | "unknown";
  readonly preTokens?: number;
  readonly freedTokens?: number;
  readonly toolUseIds: readonly string[];
  readonly at?: number;
  readonly line?: number;
}

/** Title, mode …: one item per key, with its last value. */
export interface ImportedMetadata {
  readonly type: "metadata";
  readonly key: string;
  readonly value: JsonValue;
  readonly line?: number;
}

/** One item of a recorded conversation, by `type`. */
export type ImportedItem = ImportedMessage | ImportedBoundary | ImportedMicrocompact | ImportedMetadata;

/** Why a recorded message is not part of the conversation. */
export type LeftOutReason = "abandoned-branch" | "side-chain" | "api-error" | "transcript-only" | "empty";

/** A recorded message that is not part of the conversation, and why. */
export interface LeftOutMessage {
  readonly reason: LeftOutReason;
  readonly item: ImportedMessage;
}

/**
 * Defects of a record or a file. `oversized-line` and `too-deep` were skipped at our own limits
 * (`FORMATS_DEFAULTS`); the others were damaged, or of a type this version does not know.
 */
export type ImportRepairKind =
  | "bad-json"
  | "too-deep"
  | "not-an-object"
  | "bad-record"
  | "unknown-record"
  | "duplicate-id"
  | "cyclic-parent"
  | "missing-parent"
  | "torn-tail"
  | "oversized-line"
  | "bad-encoding"
  | "truncated-file"
  | "empty-message";

/** A defect of the file, and how the importer handled it. */
export interface ImportRepair {
  readonly kind: ImportRepairKind;
  readonly line?: number;
  readonly detail: string;
}

/** Parts of the file that are not in the session because they could not be read at all. */
export interface NotRead {
  /** Records: damaged lines and elements, incomplete ones, and those over our limits. */
  readonly records: number;
  /** Their size in the file, in bytes of text (in UTF-16 units where the text was given, not the file). */
  readonly bytes: number;
  /** The compressed data ended early: what would have followed is counted nowhere. */
  readonly isCutOff: boolean;
}

/** Records of a type that has no part in a conversation. */
interface SkippedRecords {
  readonly recordType: string;
  readonly count: number;
}

/**
 * One recorded conversation: `items` is the conversation in order, `leftOut` has the messages that were
 * recorded beside it.
 */
export interface RecordedSession {
  /** The id that the session had where it was recorded. */
  readonly sessionId?: string;
  readonly title?: string;
  readonly workingCopy?: string;
  /** The whole file is the transcript of a sub-agent. */
  readonly isSidechain?: boolean;
  /** The recorded system prompt; most formats do not keep it. */
  readonly system?: string;
  /** The recorded tool definitions, as they were recorded. */
  readonly tools?: readonly JsonValue[];
  /** The conversation, in order. */
  readonly items: readonly ImportedItem[];
  /** Recorded messages that are not part of the conversation that went on. */
  readonly leftOut: readonly LeftOutMessage[];
  /** Records without a part in a conversation, by type. */
  readonly skipped: readonly SkippedRecords[];
  /** The repairs. */
  readonly repairs: readonly ImportRepair[];
  /** Records of the file that this session was read from: lines, or elements of its list. */
  readonly recordCount?: number;
  /** Unreadable parts of the file, which may belong to any of its sessions. */
  readonly notRead?: NotRead;
}
