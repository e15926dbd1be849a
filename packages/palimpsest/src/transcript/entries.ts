/**
 * Entries: the lines of the log.
 *
 * One entry is one JSON object, never changed once it is appended. `seq` counts up by one through
 * the whole log, whatever the line does; `parentId` is the entry that stood at the head when this
 * one was appended, so that a rewind shows in the chain. Unknown fields are kept, entries of an
 * unknown type are carried along and have no effect.
 *
 * Metadata are facts about a session (title, tags …) that are not part of the conversation. The last value of a
 * key counts. Keys of the library begin with a prefix that hosts cannot use. Facts about one entry, and what a
 * recording held beside its messages, have the form of metadata but do not describe the session.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json/json.ts";
import type { BlobRef, ContentBlock, Origin, Role, Usage } from "./blocks.ts";
import type { Edit } from "./edits.ts";

/** Version of the entries' shape, written into every entry. */
export const ENTRY_VERSION = 1;

interface EntryBase {
  readonly seq: number;
  readonly id: string;
  /** The head when this entry was appended; absent in the first entry. */
  readonly parentId?: string;
  readonly v: number;
  /** Milliseconds since the epoch. Order comes from `seq`; clocks jump. */
  readonly at: number;
}

/** Tenant and project; part of every key. */
export interface Scope {
  readonly tenant?: string;
  readonly project?: string;
}

/** The first entry of a log: whose session it is. */
export interface HeaderEntry extends EntryBase {
  readonly type: "header";
  readonly sessionId: string;
  readonly createdBy: string;
  readonly scope?: Scope;
  readonly workingCopy?: string;
  /** Origin of a fork. */
  readonly parent?: { readonly sessionId: string; readonly entryId: string };
  /** Purpose of an internal session; absent for a conversation. */
  readonly purpose?: string;
  /** Origin of an imported session, and the times of its first and last message there. */
  readonly source?: {
    readonly format: string;
    readonly sessionId?: string;
    readonly firstAt?: number;
    readonly lastAt?: number;
  };
}

/**
 * A block that was too large for the log. Its whole JSON text is the blob; `shown` is its first
 * form in the window. `view: "whole"` marks media, which are stored outside and shown whole.
 */
export interface BlobBlock {
  readonly type: "blob";
  readonly blob: BlobRef;
  readonly view: "preview" | "whole";
  readonly shown: ContentBlock;
}

/** A block as the log holds it: whole, or as a reference to where it lies. */
export type StoredBlock = ContentBlock | BlobBlock;

/** A message as it was said. `seq` and the index of a block make its pointer: `m12.0`. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly role: Role;
  readonly content: readonly StoredBlock[];
  readonly origin: Origin;
  readonly responseId?: string;
  readonly model?: string;
  readonly hostId?: string;
  readonly interrupted?: boolean;
  /** The call that it answers. Messages appended while the model was answering follow it. */
  readonly answerTo?: number;
  /** When it was said, where that is not when it was appended (an import). */
  readonly saidAt?: number;
}

/** One request to a model, as it left: everything needed to build it again. */
export interface CallEntry extends EntryBase {
  readonly type: "call";
  readonly model: string;
  /** Last entry that the request's window was folded from. */
  readonly throughSeq: number;
  readonly parameters?: JsonObject;
  readonly betas?: readonly string[];
  /** System prompt and tools: their texts are blobs, stored once. */
  readonly system?: BlobRef;
  readonly tools?: BlobRef;
  /** The earlier call whose `system`, `tools` and `fixedTokens` left with this one, too. */
  readonly fixedAs?: number;
  /** Indexes of the messages of the request in which a cache mark was planned. */
  readonly breakpoints?: readonly number[];
  /** Edits asked of the provider. */
  readonly serverEdits?: JsonValue;
  /** Our estimate of the request, unpadded, in tokens. */
  readonly estimatedTokens: number;
  /** System prompt and tools within it, in reference tokens, before the model's ratio. */
  readonly fixedTokens?: number;
  /** The window that the request was made to fit, if it is not what is known of the model by its name. */
  readonly windowTokens?: number;
}

/** The answer to a call, linked to the call by its sequence number. */
export interface AnswerEntry extends EntryBase {
  readonly type: "answer";
  readonly callSeq: number;
  readonly usage?: Usage;
  readonly stopReason?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The change that readers see from here on. */
export interface EditEntry extends EntryBase {
  readonly type: "edit";
  readonly edit: Edit;
}

/** Title, tags …: the last one of a key counts. */
export interface MetadataEntry extends EntryBase {
  readonly type: "metadata";
  readonly key: string;
  readonly value: JsonValue;
}

/** A stretch of the log that is needed to build the window: entries `from` … `to`, the first at `position`. */
export interface CheckpointRun {
  readonly from: number;
  readonly to: number;
  readonly position: number;
}

/**
 * An index, not a copy: which stretches of the log hold what the window is made of, so that opening
 * reads these and the tail, whatever lies before.
 */
export interface CheckpointEntry extends EntryBase {
  readonly type: "checkpoint";
  readonly runs: readonly CheckpointRun[];
  /** Stretches of the log that are on the line, by sequence number. */
  readonly line: readonly { readonly from: number; readonly to: number }[];
  /** Edits that were undone. */
  readonly undone: readonly number[];
  /** The pinned entry. */
  readonly pins: readonly { readonly seq: number; readonly block?: number }[];
  /** Number of messages the window shows: an index that leads to another number is not believed. */
  readonly visibleCount?: number;
  /** Last usage report and what it covered. */
  readonly usageAnchor?: JsonValue;
  /** State that the engine carries over: what was shown, discovered, decided. */
  readonly carried?: JsonObject;
}

/** One line of the log; `type` says which kind. */
export type Entry =
  | HeaderEntry
  | MessageEntry
  | CallEntry
  | AnswerEntry
  | EditEntry
  | MetadataEntry
  | CheckpointEntry;

/** Prefix of the library's keys, which a host does not see. */
export const RESERVED_KEY_PREFIX = "palimpsest.";

/** True if hosts may not use the key. */
export function isReservedKey(key: string): boolean {
  return key.startsWith(RESERVED_KEY_PREFIX);
}

const NOTE_KEY = /^(?:recorded[.-]|memory\.(?:entry|summary)\.)/;

/**
 * True if the key is that of a note: about one entry, or something recorded elsewhere. There may be as many
 * as there are messages, so notes stay where they stand and are not carried on.
 */
export function isNoteKey(key: string): boolean {
  return NOTE_KEY.test(key);
}

/** The last value of each key of the entries it was given, in the order in which they first came. */
export class MetadataFold {
  readonly #values = new Map<string, JsonValue>();

  /** The keys that are the host's. */
  get values(): JsonObject {
    return Object.fromEntries(this.#values);
  }

  /** Takes in the next entry of the log; a checkpoint says again what came before it. */
  apply(entry: Entry): void {
    if (entry.type === "metadata") this.set(entry.key, entry.value);
    else if (entry.type === "checkpoint") this.restore(entry);
  }

  set(key: string, value: JsonValue): void {
    if (!isReservedKey(key) && !isNoteKey(key)) this.#values.set(key, value);
  }

  /** Contents of a checkpoint; one of an earlier version has none, and changes nothing. */
  restore({ carried }: Pick<CheckpointEntry, "carried">): void {
    const metadata: unknown = carried?.["metadata"];
    if (!isObject(metadata)) return;
    for (const [key, value] of Object.entries(metadata)) this.set(key, value as JsonValue);
  }
}
