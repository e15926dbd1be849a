/**
 * The messages of the line as the host that owns a list knows them, for `reconcile`.
 *
 * Contents are compared by hash. The hash of a message object is kept by identity, so a host that
 * hands over the same objects again pays for the new ones only.
 */
import { canonicalJson } from "../base/json.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { SeqRange } from "../transcript/edits.ts";
import { defaultOrigin, type Message } from "../transcript/messages.ts";
import type { LogReader } from "./log-reader.ts";
import { type KnownMessage, planReconcile, type ReconcilePlan } from "./reconcile.ts";

/** Origins of messages that a host's list can hold; the rest was put in by the engine. */
const HOST_ORIGINS = new Set(["user", "assistant", "tool", "host"]);

export class HostList {
  readonly #hasher: Hasher;
  readonly #reader: LogReader;
  readonly #isShown: (seq: number) => boolean;
  readonly #keys = new WeakMap<Message, string>();
  /** Read from the log by the first `plan`: hosts that only append never pay for it. */
  #known: KnownMessage[] | undefined;
  #waiting: { readonly seq: number; readonly message: Message }[] = [];

  /** `isShown` tells whether an entry is on the line and not taken out by the host. */
  constructor(options: {
    readonly hasher: Hasher;
    readonly reader: LogReader;
    readonly isShown: (seq: number) => boolean;
  }) {
    this.#hasher = options.hasher;
    this.#reader = options.reader;
    this.#isShown = options.isShown;
  }

  push(seq: number, message: Message): void {
    if (this.#known !== undefined) this.#waiting.push({ seq, message });
  }

  forget(ranges: readonly SeqRange[]): void {
    this.#known = this.#known?.filter(
      ({ seq }) => !ranges.some((range) => seq >= range.from && seq <= range.to),
    );
  }

  invalidate(): void {
    this.#known = undefined;
    this.#waiting = [];
  }

  async plan(list: readonly Message[]): Promise<ReconcilePlan> {
    const known = this.#known ?? (await this.#read());
    for (const { seq, message } of this.#waiting) this.#add(known, seq, message);
    this.#waiting = [];
    this.#known = known;
    return planReconcile(known, list, (message) => this.#keyOf(message));
  }

  async #read(): Promise<KnownMessage[]> {
    const known: KnownMessage[] = [];
    for await (const { entry, content } of this.#reader.messages())
      if (this.#isShown(entry.seq)) this.#add(known, entry.seq, { ...entry, content });
    return known;
  }

  #add(known: KnownMessage[], seq: number, message: Message): void {
    if (!HOST_ORIGINS.has(message.origin ?? defaultOrigin(message))) return;
    const { hostId } = message;
    known.push({ seq, key: this.#keyOf(message), ...(hostId === undefined ? {} : { hostId }) });
  }

  #keyOf(message: Message): string {
    let key = this.#keys.get(message);
    if (key === undefined) {
      key = this.#hasher.sha256(canonicalJson([message.role, message.content]));
      this.#keys.set(message, key);
    }
    return key;
  }
}
