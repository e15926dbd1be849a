/**
 * Prepares messages for the log: a block that is too large becomes a blob, in the form it is shown in
 * from the first call on. The log holds a reference; nothing is shortened that is not stored whole.
 */

import type { Steps } from "../../base/steps.ts";
import { type ArrivalPolicy, planArrival } from "../../compaction/layers/offload/offload-at-arrival.ts";
import type { Measure } from "../../compaction/shared/measure.ts";
import { formatPointer } from "../../compaction/shared/pointer.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import { estimateInSteps } from "../../tokens/estimate/estimate-block.ts";
import { type BlobRef, type ContentBlock, defaultOrigin, type Message } from "../../transcript/blocks.ts";
import type { BlobBlock, StoredBlock } from "../../transcript/entries.ts";
import type { SessionEvent } from "../events/events.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import { findMessageRepairs } from "./content-repairs.ts";
import type { NewEntry } from "./entry-writer.ts";
import type { PlainFiles } from "./plain-files.ts";

interface KeptMessages {
  readonly entries: readonly NewEntry[];
  /** By sequence number, for messages with media outside the log: their content as it is shown. */
  readonly shown: ReadonlyMap<number, readonly StoredBlock[]>;
  readonly events: readonly SessionEvent[];
}

export class BlobOffloader {
  readonly #log: SessionLog;
  readonly #hasher: Hasher;
  readonly #measure: Measure;
  readonly #plain: Pick<PlainFiles, "keep">;
  readonly #turns: FairTurns;

  constructor(options: {
    readonly log: SessionLog;
    readonly hasher: Hasher;
    readonly measure: Measure;
    readonly plain: Pick<PlainFiles, "keep">;
    readonly turns: FairTurns;
  }) {
    this.#log = options.log;
    this.#hasher = options.hasher;
    this.#measure = options.measure;
    this.#plain = options.plain;
    this.#turns = options.turns;
  }

  /** Stores the large blocks of `messages`, the first of which will have number `firstSeq`. */
  async keep(messages: readonly Message[], firstSeq: number, policy: ArrivalPolicy): Promise<KeptMessages> {
    const shown = new Map<number, readonly StoredBlock[]>();
    const events: SessionEvent[] = [];
    const entries: NewEntry[] = [];
    for (const [index, message] of messages.entries()) {
      const seq = firstSeq + index;
      const content = await this.#content(message, seq, policy, events);
      entries.push(toNewEntry(message, content));
      const asShown = content.map((block, place) => (isShownWhole(block) ? message.content[place]! : block));
      if (content.some(isShownWhole)) shown.set(seq, asShown);
      for (const repair of findMessageRepairs({ ...message, seq, content: asShown }))
        events.push({ type: "mended", ...repair });
    }
    return { entries, shown, events };
  }

  /** Stores a text beside the log, once. */
  async keepText(text: string): Promise<BlobRef> {
    return this.#keepParts([text]);
  }

  /** The same for a text in parts, which is never put together here: ten megabytes at once would keep the process. */
  async #keepParts(parts: readonly string[]): Promise<BlobRef> {
    await this.#turns.take();
    const blob = await this.#turns.run(refInSteps(parts, this.#hasher));
    await this.#turns.take();
    if (parts.length === 1 || this.#log.putBlobInParts === undefined)
      await this.#log.putBlob(blob.hash, parts.join(""));
    else await this.#log.putBlobInParts(blob.hash, parts);
    return blob;
  }

  async #content(
    message: Message,
    seq: number,
    policy: ArrivalPolicy,
    events: SessionEvent[],
  ): Promise<readonly StoredBlock[]> {
    for (const block of message.content) {
      const estimating = this.#turns.run(estimateInSteps(block));
      if (estimating !== undefined) await estimating;
    }
    const forms = planArrival(message, seq, policy, this.#measure);
    if (forms.length === 0) return message.content;
    const content: StoredBlock[] = [...message.content];
    for (const { index, shown: planned, view } of forms) {
      const whole = message.content[index]!;
      const blob = await this.#keepParts(await this.#turns.run(writeInSteps(whole)));
      const shown = await this.#plain.keep(planned, formatPointer({ seq, block: index }), whole);
      content[index] = { type: "blob", blob, view, shown } satisfies BlobBlock;
      if (view === "whole") continue;
      const freedTokens = Math.round(this.#measure(whole) - this.#measure(shown));
      events.push({ type: "offloaded", seq, block: index, bytes: blob.bytes, freedTokens });
    }
    return content;
  }
}

function isShownWhole(block: StoredBlock): boolean {
  return block.type === "blob" && block.view === "whole";
}

function toNewEntry(message: Message, content: readonly StoredBlock[]): NewEntry {
  const { responseId, model, hostId, interrupted, at } = message;
  return {
    type: "message",
    role: message.role,
    origin: message.origin ?? defaultOrigin(message),
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
    ...(hostId === undefined ? {} : { hostId }),
    ...(interrupted === true ? { interrupted } : {}),
    ...(at === undefined ? {} : { saidAt: at }),
    content,
  };
}

/** Characters that are written in one step: less than a millisecond. */
const STEP_CHARACTERS = 192_000;

/** The hash and the size of a text in parts. */
function* refInSteps(parts: readonly string[], hasher: Hasher): Steps<BlobRef> {
  const hashing = parts.length === 1 ? undefined : hasher.inParts?.();
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const part of parts) {
    hashing?.add(part);
    bytes += encoder.encode(part).length;
    yield;
  }
  return { hash: hashing?.digest() ?? hasher.sha256(parts.join("")), bytes };
}

/** The JSON of a block, in parts if it has a long text: together the same letters as `JSON.stringify` writes. */
export function* writeInSteps(block: ContentBlock): Steps<readonly string[]> {
  const fields = Object.entries(block as unknown as Readonly<Record<string, unknown>>);
  const isLong = ([, value]: readonly [string, unknown]): boolean =>
    typeof value === "string" && value.length > STEP_CHARACTERS;
  if (!fields.some(isLong)) return [JSON.stringify(block)];
  const pieces: string[] = [];
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(name), ":");
    if (typeof value === "string" && value.length > STEP_CHARACTERS) yield* writeText(value, pieces);
    else pieces.push(JSON.stringify(value));
  }
  pieces.push("}");
  return pieces;
}

function* writeText(text: string, pieces: string[]): Steps {
  pieces.push('"');
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + STEP_CHARACTERS);
    pieces.push(JSON.stringify(text.slice(from, to)).slice(1, -1));
    from = to;
    yield;
  }
  pieces.push('"');
}

/** Between two characters: half of a surrogate pair would be written as an escape. */
function endOfPiece(text: string, end: number): number {
  const before = text.charCodeAt(end - 1);
  return before >= 0xd800 && before <= 0xdbff ? end + 1 : end;
}
