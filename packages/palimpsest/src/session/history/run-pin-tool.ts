/**
 * Answers calls of `history_pin`: what an agent did wrong, and what does not fit, is told in words.
 */
import { SessionError } from "../../base/errors.ts";
import type { SeqPin } from "../../transcript/projection.ts";
import { formatUnknownPointer } from "./history-tools.ts";
import { formatPin, formatPinned, formatUnpinned, type PinInput, parsePinInput } from "./pin-tool.ts";
import type { PinnedSize } from "./session-pins.ts";

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
