/**
 * The chunks of a streamed completion → the completion that they make.
 *
 * A completion is complete once a choice says why it finished; the usage comes behind that. A block is
 * finished when the next begins, because the format has no word for it.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelEvent } from "../../ports/model-client.ts";
import type { Assembly } from "../shared/answer-assembly.ts";
import { chatContent, REASONING_FIELDS } from "./answer.ts";

interface PartialCall {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type TextKind = "content" | "refusal" | "reasoning";

/** Puts a completion together. @internal */
export class ChatAssembly implements Assembly {
  readonly #tell: (event: ModelEvent) => void;
  readonly #calls = new Map<number, PartialCall>();
  readonly #texts: Record<TextKind, string> = { content: "", refusal: "", reasoning: "" };
  readonly #reported = new Set<string>();
  #head: Fields = {};
  #usage: unknown;
  #finishReason: string | undefined;

  constructor({ tell }: { readonly tell: (event: ModelEvent) => void }) {
    this.#tell = tell;
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  completion(): Fields {
    const message = {
      ...this.#textOf(["reasoning", "content", "refusal"]),
      ...(this.#calls.size === 0 ? {} : { tool_calls: [...this.#calls.values()].map(callOf) }),
    };
    return {
      ...this.#head,
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      choices: [{ message, finish_reason: this.#finishReason }],
    };
  }

  take(chunk: unknown): void {
    if (!isObject(chunk)) return;
    this.#head = {
      id: asString(chunk["id"]) ?? this.#head["id"],
      model: asString(chunk["model"]) ?? this.#head["model"],
    };
    if (isObject(chunk["usage"])) this.#usage = chunk["usage"];
    const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
    if (!isObject(choice)) return;
    if (isObject(choice["delta"])) this.#grow(choice["delta"]);
    const reason = asString(choice["finish_reason"]);
    if (reason === undefined) return;
    this.#emitFinished();
    this.#finishReason = reason;
  }

  #grow(delta: Fields): void {
    const reasoning = REASONING_FIELDS.map((field) => asString(delta[field])).find((text) => text) ?? "";
    if (reasoning !== "") this.#tell({ type: "thinking", text: reasoning });
    this.#texts.reasoning += reasoning;
    const text = asString(delta["content"]) ?? "";
    if (text !== "") {
      this.#emitOnce("reasoning");
      this.#tell({ type: "text", text });
    }
    this.#texts.content += text;
    this.#texts.refusal += asString(delta["refusal"]) ?? "";
    const calls = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
    for (const piece of calls) if (isObject(piece)) this.#growCall(piece);
  }

  #growCall(piece: Fields): void {
    const isCustom = isObject(piece["custom"]);
    const part = isCustom ? piece["custom"] : piece["function"];
    const fields: Fields = isObject(part) ? part : {};
    const text = asString(isCustom ? fields["input"] : fields["arguments"]) ?? "";
    const name = asString(fields["name"]) ?? "";
    const [index, known] = this.#callAt(asNumber(piece["index"]), asString(piece["id"]));
    if (known !== undefined) {
      known.text += text;
      return;
    }
    this.#emitFinished();
    const id = asString(piece["id"]) ?? `call_${index}`;
    this.#calls.set(index, { id, type: isCustom ? "custom" : "function", name, text });
    this.#tell({ type: "tool-call", id, name });
  }

  /** The call that a piece belongs to: some servers give every call the same number, and some give none. */
  #callAt(
    index: number | undefined,
    id: string | undefined,
  ): readonly [index: number, known: PartialCall | undefined] {
    const known = index === undefined ? undefined : this.#calls.get(index);
    const isSame = known !== undefined && (id === undefined || id === "" || id === known.id);
    if (isSame) return [index ?? 0, known];
    return [known === undefined && index !== undefined ? index : this.#calls.size, undefined];
  }

  /** Tells the blocks that nothing will be added to, each once. */
  #emitFinished(): void {
    this.#emitOnce("reasoning");
    this.#emitOnce("content");
    for (const [index, call] of this.#calls) {
      if (this.#reported.has(`call ${index}`)) continue;
      this.#reported.add(`call ${index}`);
      for (const block of chatContent({ tool_calls: [callOf(call)] })) this.#tell({ type: "block", block });
    }
  }

  #emitOnce(text: "reasoning" | "content"): void {
    if (this.#texts[text] === "" || this.#reported.has(text)) return;
    this.#reported.add(text);
    for (const block of chatContent(this.#textOf([text]))) this.#tell({ type: "block", block });
  }

  #textOf(kinds: readonly TextKind[]): Fields {
    const filled = kinds.filter((kind) => this.#texts[kind] !== "");
    return Object.fromEntries(filled.map((kind) => [kind, this.#texts[kind]]));
  }
}

function callOf({ id, type, name, text }: PartialCall): JsonObject {
  return type === "custom"
    ? { id, type, custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}
