/**
 * The pins of a session: their texts, and the changes that pin another one.
 *
 * A pin promises that the model sees a text exactly. A text in the window gets a mark; a text that the window shows
 * in another form, or hides, is repeated in a message of this library, and that one is pinned. So every pin is
 * visible.
 */
import { OptionError, SessionError } from "../../base/errors.ts";
import { formatThousands } from "../../compaction/preview/preview.ts";
import { readableText } from "../../compaction/preview/readable-text.ts";
import { type Measure, measureText } from "../../compaction/shared/measure.ts";
import { measurePinned, type PinnedText, pinLimitTokens } from "../../compaction/shared/pins.ts";
import { formatPointer } from "../../compaction/shared/pointer.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { MessageEntry } from "../../transcript/entries.ts";
import type { Projection, SeqPin } from "../../transcript/projection.ts";
import { formatUnknownPointer } from "./history-tools.ts";
import type { LogReader } from "./message-reader.ts";
import { formatPin, formatPinned, formatUnpinned, type PinInput, parsePinInput } from "./pin-tool.ts";

/** The size of all pins, in tokens. */
interface PinnedSize {
  readonly pinnedTokens: number;
  readonly limitTokens: number;
}

/** The changes that pin a text: none, a mark, or a marked message that repeats it. */
export type PinPlan = PinnedSize &
  (
    | { readonly type: "known" | "mark"; readonly pin: SeqPin }
    | { readonly type: "say"; readonly message: Message }
  );

interface SessionPinsOptions {
  readonly reader: LogReader;
  readonly projection: () => Projection;
  /** True if a message belongs to the conversation as its host sees it. */
  readonly isHostVisible: (seq: number) => boolean;
  readonly measure: Measure;
  readonly windowTokens: () => number;
}

export class SessionPins {
  readonly #options: SessionPinsOptions;

  constructor(options: SessionPinsOptions) {
    this.#options = options;
  }

  /** Pins in the order of the log, without messages that the host removed. */
  get all(): readonly SeqPin[] {
    const { projection, isHostVisible } = this.#options;
    return projection()
      .pins.filter(({ seq }) => isHostVisible(seq))
      .toSorted((one, other) => one.seq - other.seq || (one.block ?? 0) - (other.block ?? 0));
  }

  /** Everything pinned, block by block, to the letter. */
  async texts(): Promise<readonly PinnedText[]> {
    const texts = new Map<string, PinnedText>();
    for (const pin of this.all) {
      const entry = await this.#options.reader.findMessage(pin.seq);
      if (entry === undefined) continue;
      for (const text of await this.#textsOf(entry, pin)) texts.set(text.pointer, text);
    }
    return [...texts.values()];
  }

  /** The size of all pins. */
  async size(): Promise<PinnedSize> {
    return this.#size(await this.texts());
  }

  /** @throws `ENTRY_NOT_FOUND` where there is no such place, `PIN_REFUSED` where it does not fit or says nothing. */
  async planPin(place: SeqPin): Promise<PinPlan> {
    const pin = asPin(place, "pin");
    const { reader, isHostVisible, projection } = this.#options;
    const entry = isHostVisible(pin.seq) ? await reader.findMessage(pin.seq) : undefined;
    if (entry === undefined || (pin.block !== undefined && pin.block >= entry.content.length))
      throw notFound(pin, "pin");
    const texts = await this.#textsOf(entry, pin);
    if (texts.length === 0) {
      throw new SessionError("PIN_REFUSED", {
        message: `${formatPin(pin)} says nothing that could be pinned.`,
        hint: "Pin a message or a block with text: thinking and blank text are shown as the provider allows.",
      });
    }
    const known = await this.texts();
    const pointers = new Set(known.map(({ pointer }) => pointer));
    const added = texts.filter(({ pointer }) => !pointers.has(pointer));
    if (added.length === 0) return { type: "known", pin, ...this.#size(known) };
    if (isShownUnchanged(projection(), texts)) {
      return { type: "mark", pin, ...this.#fitting(known, added, formatPin(pin)) };
    }
    const pinnedText = texts.map(({ text }) => text).join("\n\n");
    return this.#planStatement(`[Pinned from ${formatPin(pin)}]\n${pinnedText}`, known, formatPin(pin));
  }

  /** @throws `OptionError` where `text` says nothing, `PIN_REFUSED` where it does not fit. */
  async planFact(text: string): Promise<PinPlan> {
    if (typeof text !== "string" || text.trim() === "") {
      throw new OptionError({
        message: "The fact to pin is not a text, or it says nothing.",
        hint: "Pass what is to stay in view, as a string.",
      });
    }
    return this.#planStatement(`[Pinned]\n${text}`, await this.texts(), "The fact");
  }

  /** Finds a pin of exactly this place. @throws `ENTRY_NOT_FOUND` for anything else. */
  findPin(place: SeqPin): SeqPin | undefined {
    const { seq, block } = asPin(place, "unpin");
    return this.all.find((pin) => pin.seq === seq && pin.block === block);
  }

  #planStatement(text: string, known: readonly PinnedText[], subject: string): PinPlan {
    const same = known.find((pinned) => pinned.text === text);
    const place = this.all.find(({ seq }) => same?.pointer === formatPointer({ seq, block: 0 }));
    if (place !== undefined) return { type: "known", pin: place, ...this.#size(known) };
    const message: Message = { role: "user", origin: "engine", content: [{ type: "text", text }] };
    return { type: "say", message, ...this.#fitting(known, [{ pointer: "", text }], subject) };
  }

  /** The size with what is added. @throws `PIN_REFUSED` with the figures where that is too much. */
  #fitting(known: readonly PinnedText[], added: readonly PinnedText[], subject: string): PinnedSize {
    const before = this.#size(known);
    const after = this.#size([...known, ...added]);
    if (after.pinnedTokens <= after.limitTokens) return after;
    const tokens = added.reduce((sum, { text }) => sum + measureText(text, this.#options.measure), 0);
    const taken = `${formatThousands(before.pinnedTokens)} of the ${formatThousands(before.limitTokens)} tokens for pins are taken`;
    throw new SessionError("PIN_REFUSED", {
      message: `${subject} has ${formatThousands(Math.ceil(tokens))} tokens, and ${taken}.`,
      hint: "Let go of something that is pinned (`session.pins`, `session.unpin`), or pin one block, or a fact in fewer words.",
    });
  }

  #size(texts: readonly PinnedText[]): PinnedSize {
    const { measure, windowTokens } = this.#options;
    return { pinnedTokens: measurePinned(texts, measure), limitTokens: pinLimitTokens(windowTokens()) };
  }

  async #textsOf(entry: MessageEntry, { block }: SeqPin): Promise<readonly PinnedText[]> {
    const content = await this.#options.reader.wholeContent(entry);
    return content.flatMap((one, index): readonly PinnedText[] => {
      if (block !== undefined && block !== index) return [];
      const text = readableText(one);
      if (text.trim() === "") return [];
      return [{ pointer: formatPointer({ seq: entry.seq, block: index }), text, origin: entry.origin }];
    });
  }
}

type PinVerb = "pin" | "unpin";

/** Only what a place is made of, whatever object it came in. @throws `ENTRY_NOT_FOUND` where it is none. */
function asPin(place: SeqPin, verb: PinVerb): SeqPin {
  const seq: unknown = place?.seq;
  const block: unknown = place?.block ?? undefined;
  const isPlace = Number.isSafeInteger(seq) && (block === undefined || Number.isSafeInteger(block));
  if (!isPlace || Number(seq) < 1 || Number(block ?? 0) < 0) throw notFound(place, verb);
  return { seq: Number(seq), ...(block === undefined ? {} : { block: Number(block) }) };
}

function notFound(place: unknown, verb: PinVerb): SessionError {
  const example = typeof place === "number" ? `{ seq: ${place} }` : "{ seq }, or { seq, block }";
  const from = verb === "pin" ? "`append` and `record` return the number of a message" : "`pins` has them";
  return new SessionError("ENTRY_NOT_FOUND", {
    message: `There is nothing to ${verb} at ${JSON.stringify(place)} in this conversation.`,
    hint: `Pass a place, such as ${example}: ${from}.`,
  });
}

/** True if the window shows each of these blocks unchanged. */
function isShownUnchanged({ visible }: Projection, texts: readonly PinnedText[]): boolean {
  const whole = new Set(
    visible
      .filter(({ insertedBy }) => insertedBy === undefined)
      .flatMap(({ seq, blocks }) =>
        blocks.flatMap(({ index, form }) =>
          form === "original" ? [formatPointer({ seq, block: index })] : [],
        ),
      ),
  );
  return texts.every(({ pointer }) => whole.has(pointer));
}

/** The session, as far as the tool needs it. */
interface PinnableSession {
  readonly pins: readonly SeqPin[];
  pin(place: SeqPin): Promise<SeqPin>;
  pinFact(text: string): Promise<SeqPin>;
  unpin(place: SeqPin): Promise<boolean>;
}

export async function runPinTool(
  value: unknown,
  session: PinnableSession,
  size: () => Promise<PinnedSize>,
): Promise<string> {
  const parsed = parsePinInput(value);
  if (!parsed.ok) return parsed.problem;
  const { input } = parsed;
  try {
    if (input.type === "unpin") return await unpin(session, input.place);
    const pin = await (input.type === "fact" ? session.pinFact(input.text) : session.pin(input.place));
    return formatPinned(pin, await size());
  } catch (error) {
    const words = error instanceof SessionError ? sayRefusal(error, input, session.pins) : undefined;
    if (words === undefined) throw error;
    return words;
  }
}

/** A pin of a whole message goes by the pointer that names it: `m12` reads as its first block. */
async function unpin(session: PinnableSession, place: SeqPin): Promise<string> {
  const { seq } = place;
  const isBlock = await session.unpin(place);
  const wasPinned = isBlock || (place.block === 0 && (await session.unpin({ seq })));
  return formatUnpinned(isBlock || !wasPinned ? place : { seq }, wasPinned, session.pins);
}

function sayRefusal(
  { code, message }: SessionError,
  input: PinInput,
  pins: readonly SeqPin[],
): string | undefined {
  if (code === "ENTRY_NOT_FOUND" && input.type !== "fact")
    return formatUnknownPointer(formatPin(input.place));
  if (code !== "PIN_REFUSED") return undefined;
  const pinned = pins.length === 0 ? "" : ` Pinned: ${pins.map(formatPin).join(", ")}.`;
  return `Not pinned: ${message}${pinned} Let go of what is settled (remove: true), or pin a fact in fewer words.`;
}
