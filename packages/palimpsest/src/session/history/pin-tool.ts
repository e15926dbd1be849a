/**
 * The tool by which an agent pins: what it must not lose stays in its window, whatever is summarised.
 * It is apart from the history tools, because not every host wants an agent to decide what stays.
 */
import type { JsonObject } from "../../base/json/json.ts";
import { asString, isObject } from "../../base/json/json.ts";
import { formatThousands } from "../../compaction/preview/preview.ts";
import { formatPointer, type Pointer, parsePointer } from "../../compaction/shared/pointer.ts";
import type { SeqPin } from "../../transcript/projection.ts";
import type { ParsedInput } from "./history-tools.ts";

/** Definition of `history_pin`, in the vocabulary of the history tools. */
export interface PinTool {
  readonly name: "history_pin";
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/**
 * Definition of `history_pin`, by which an agent keeps something in its window for good. Declare it beside
 * `HISTORY_TOOLS` if your agent may; `session.runTool` answers the calls.
 */
export const PIN_TOOL: PinTool = {
  name: "history_pin",
  description:
    "Keep something in this conversation's view for good, word for word, whatever is summarised or cleared later: " +
    "a decision, a constraint, a value that must not be lost. Give the pointer of something that was said (such as m12.0) " +
    "or a fact in your own words. Room for pins is small: pin little, and remove what is settled.",
  inputSchema: {
    type: "object",
    properties: {
      pointer: { type: "string", description: "The pointer of what was said, such as m12.0." },
      text: { type: "string", description: "A fact in one or two sentences, in place of a pointer." },
      remove: { type: "boolean", description: "With a pointer: let go of it." },
    },
  },
};

/** An agent's request. */
export type PinInput =
  | { readonly type: "pin"; readonly place: Pointer }
  | { readonly type: "unpin"; readonly place: Pointer }
  | { readonly type: "fact"; readonly text: string };

export function parsePinInput(value: unknown): ParsedInput<PinInput> {
  const fields = isObject(value) ? value : {};
  const written = asString(fields["pointer"]) ?? "";
  const text = asString(fields["text"]) ?? asString(value) ?? "";
  if (written.trim() !== "") {
    const place = parsePointer(written);
    if (place === undefined)
      return {
        ok: false,
        problem: `${JSON.stringify(written.slice(0, 40))} is not a pointer such as m12.0.`,
      };
    return { ok: true, input: { type: fields["remove"] === true ? "unpin" : "pin", place } };
  }
  if (text.trim() !== "") return { ok: true, input: { type: "fact", text } };
  const problem =
    'history_pin needs a pointer or a text: history_pin({ pointer: "m12.0" }) or history_pin({ text: "…" }).';
  return { ok: false, problem };
}

/** The pointer of a pin: of one of a whole message, that of its first block without the block. */
export function formatPin({ seq, block }: SeqPin): string {
  return block === undefined ? `m${seq}` : formatPointer({ seq, block });
}

/** The answer where something is pinned now. */
export function formatPinned(
  pin: SeqPin,
  size: { readonly pinnedTokens: number; readonly limitTokens: number },
): string {
  const { pinnedTokens, limitTokens } = size;
  const taken = `${formatThousands(pinnedTokens)} of ${formatThousands(limitTokens)} tokens for pins are taken`;
  return `Pinned as ${formatPin(pin)}; ${taken}. Let go of it with history_pin({ pointer: "${formatPin(pin)}", remove: true }).`;
}

/** The answer where something was to be let go of. */
export function formatUnpinned(pin: SeqPin, wasPinned: boolean, pins: readonly SeqPin[]): string {
  if (wasPinned) return `${formatPin(pin)} is not pinned any more.`;
  const others = pins.length === 0 ? "Nothing is." : `Pinned: ${pins.map(formatPin).join(", ")}.`;
  return `${formatPin(pin)} is not pinned. ${others}`;
}
