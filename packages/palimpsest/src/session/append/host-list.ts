/**
 * The messages of the line as the host that owns a list knows them, for `reconcile`.
 *
 * DESIGN. A list is taken in at once (`receive`), because its host may change it while the session
 * is busy, and matched later (`plan`). A message object that was read before is not read again, so
 * that a host pays for what is new. But hosts write an answer into the object that holds it while
 * it streams: an object counts as settled only once it was read when it was no longer among the
 * newest. Unsettled ones are read on every call. Hosts that build their objects again each time are
 * known by their first one; nothing is remembered of theirs.
 */
import { isObject } from "../../base/json/json.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { SeqRange } from "../../transcript/edits.ts";
import type { LogReader } from "../history/message-reader.ts";
import { copyInput, type InputCopier } from "../input/copy-input.ts";
import { sayWhat, validateMessage } from "../input/validate-messages.ts";
import { keysOf, type MessageKeys } from "./message-keys.ts";
import { type KnownMessage, planReconcile, type ReconcilePlan } from "./reconcile.ts";

/** Newest messages of a host's list that are read again on every `reconcile`, for hosts that change a streamed answer in place. Our choice: an answer, its results and what the user typed meanwhile. */
const REREAD_MESSAGES_COUNT = 8;

/** The id of messages that the agent appends in its host's name, such as the text of a hook. No list of a host has them. */
export const OWN_MESSAGE_ID = "palimpsest";

/** True for a message that the library inserted itself: the host's list does not have it. */
export function isOwnMessage({ origin, hostId }: Pick<Message, "origin" | "hostId">): boolean {
  return origin === "engine" || origin === "recalled" || hostId === OWN_MESSAGE_ID;
}

/** A settled object of the host, as it was read. */
interface Settled {
  readonly message: Message;
  /** The host's own content: another one, or one of another length, is a change that costs nothing to see. */
  readonly content: unknown;
  readonly blocksCount: number;
  /** Made when it is first matched. */
  keys: MessageKeys | undefined;
}

/** A host's list as the session's own: what `receive` hands to `plan`. */
interface ReceivedList {
  readonly messages: readonly Message[];
  /** By index, of messages whose objects are settled. */
  readonly settled: ReadonlyMap<number, Settled>;
}

export class HostList {
  readonly #hasher: Hasher;
  readonly #reader: Pick<LogReader, "messages">;
  readonly #isShown: (seq: number) => boolean;
  readonly #settled = new WeakMap<object, Settled>();
  /** The first object of the host's last list. */
  #first: WeakRef<object> | undefined;
  /** Read from the log by the first `plan`: hosts that only append never pay for it. */
  #known: KnownMessage[] | undefined;
  #waiting: { readonly seq: number; readonly message: Message }[] = [];

  /** `isShown` tells whether an entry is on the line and not taken out by the host. */
  constructor(options: {
    readonly hasher: Hasher;
    readonly reader: Pick<LogReader, "messages">;
    readonly isShown: (seq: number) => boolean;
  }) {
    this.#hasher = options.hasher;
    this.#reader = options.reader;
    this.#isShown = options.isShown;
  }

  /** The host's list as the session's own. @throws `OptionError` where something in it cannot be kept. */
  receive(list: unknown): ReceivedList {
    return copyInput("messages", (copier) => {
      if (!Array.isArray(list))
        throw copier.refusal(0, `is ${sayWhat(list)}`, "the full list of the host's messages");
      const settledCount = this.#keepsObjects(list) ? list.length - REREAD_MESSAGES_COUNT : 0;
      const messages: Message[] = [];
      const settled = new Map<number, Settled>();
      for (let index = 0; index < list.length; index++) {
        copier.enter(0, index);
        const value: unknown = list[index];
        if (!isObject(value) || index >= settledCount) {
          // The list may have been cut back to it, and its host may write into it again.
          if (isObject(value)) this.#settled.delete(value);
          messages.push(validateMessage(value, copier, 1));
          continue;
        }
        const remembered = this.#settle(value, copier);
        settled.set(index, remembered);
        messages.push(remembered.message);
      }
      return { messages, settled };
    });
  }

  /** Plans what makes the line equal to a list that was received. */
  async plan({ messages, settled }: ReceivedList): Promise<ReconcilePlan> {
    const known = this.#known ?? (await this.#read());
    for (const { seq, message } of this.#waiting) this.#add(known, seq, message);
    this.#waiting = [];
    this.#known = known;
    return planReconcile(known, messages, (message, index) => {
      const remembered = settled.get(index);
      const keys = remembered?.keys ?? keysOf(message, this.#hasher);
      if (remembered !== undefined) remembered.keys = keys;
      return keys;
    });
  }

  push(seq: number, message: Message): void {
    if (this.#known !== undefined) this.#waiting.push({ seq, message });
  }

  /** `ranges` in ascending order, as a plan has them. */
  forget(ranges: readonly SeqRange[]): void {
    let next = 0;
    this.#known = this.#known?.filter(({ seq }) => {
      while (next < ranges.length && ranges[next]!.to < seq) next++;
      return next === ranges.length || seq < ranges[next]!.from;
    });
  }

  invalidate(): void {
    this.#known = undefined;
    this.#waiting = [];
  }

  #keepsObjects(list: readonly unknown[]): boolean {
    const first: unknown = list[0];
    const isSame = isObject(first) && this.#first?.deref() === first;
    if (!isSame) this.#first = isObject(first) ? new WeakRef(first) : undefined;
    return isSame;
  }

  /** The object as it was read; reads it if it is new or has changed. */
  #settle(value: Readonly<Record<string, unknown>>, copier: InputCopier): Settled {
    const { content } = value;
    const blocksCount = Array.isArray(content) ? content.length : 0;
    const known = this.#settled.get(value);
    if (known !== undefined && known.content === content && known.blocksCount === blocksCount) return known;
    const settled = { message: validateMessage(value, copier, 1), content, blocksCount, keys: undefined };
    this.#settled.set(value, settled);
    return settled;
  }

  async #read(): Promise<KnownMessage[]> {
    const known: KnownMessage[] = [];
    for await (const { entry, content } of this.#reader.messages())
      if (this.#isShown(entry.seq)) this.#add(known, entry.seq, { ...entry, content });
    return known;
  }

  #add(known: KnownMessage[], seq: number, message: Message): void {
    const { hostId } = message;
    const isOurs = isOwnMessage(message);
    known.push({
      seq,
      ...keysOf(message, this.#hasher),
      ...(hostId === undefined ? {} : { hostId }),
      ...(isOurs ? { isOurs } : {}),
    });
  }
}
