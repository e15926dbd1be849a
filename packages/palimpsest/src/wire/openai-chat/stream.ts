/**
 * The chunks of a streamed completion ⇄ the answer.
 *
 * A completion is complete once a choice says why it finished; the usage comes behind that. A block is
 * finished when the next begins, because the format has no word for it.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer } from "../../ports/model-client.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { failedAnswer } from "../errors/model-failure.ts";
import { AnswerAssembly, type AnswerFields, openaiUsage } from "../shared/answer-assembly.ts";
import { AnswerWriter } from "../shared/answer-writer.ts";
import { extraFields } from "../shared/openai-fields.ts";
import { dataEvent, STREAM_END } from "../shared/sse.ts";
import { chatAnswer, chatContent, REASONING_FIELDS, refusalText, writtenCall } from "./answer.ts";

interface PartialCall {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly extra: JsonObject;
  text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type TextKind = "content" | "refusal" | "reasoning";

/** Puts a completion together. @internal */
export class ChatAssembly extends AnswerAssembly {
  readonly #calls = new Map<number, PartialCall>();
  readonly #texts: Record<TextKind, string> = { content: "", refusal: "", reasoning: "" };
  readonly #reported = new Set<string>();
  #head: Fields = {};
  #usage: unknown;
  #finishReason: string | undefined;

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  protected wholeAnswer(requestId: string | undefined): ModelAnswer {
    const message = {
      ...this.#textOf(["reasoning", "content", "refusal"]),
      ...(this.#calls.size === 0 ? {} : { tool_calls: [...this.#calls.values()].map(callOf) }),
    };
    const choices = [{ message, finish_reason: this.#finishReason }];
    return chatAnswer({ ...this.#head, usage: this.#usage, choices }, requestId);
  }

  protected knownFields(): Pick<AnswerFields, "responseId" | "model" | "usage"> {
    const { id, model } = this.#head;
    return { responseId: asString(id), model: asString(model), usage: openaiUsage(this.#usage) };
  }

  take(chunk: unknown): void {
    if (!isObject(chunk)) return;
    if (isObject(chunk["error"])) throw failedAnswer(chunk["error"]);
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
    if (reasoning !== "") this.emit({ type: "thinking", text: reasoning });
    this.#texts.reasoning += reasoning;
    const text = asString(delta["content"]) ?? "";
    if (text !== "") {
      this.#emitOnce("reasoning");
      this.emit({ type: "text", text });
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
    const extra = extraFields(piece, ["index", "id", "type", "function", "custom"]);
    this.#calls.set(index, { id, type: isCustom ? "custom" : "function", name, extra, text });
    this.emit({ type: "tool-call", id, name });
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
    this.#emitOnce("refusal");
    for (const [index, call] of this.#calls) {
      if (this.#reported.has(`call ${index}`)) continue;
      this.#reported.add(`call ${index}`);
      for (const block of chatContent({ tool_calls: [callOf(call)] })) this.emit({ type: "block", block });
    }
  }

  #emitOnce(text: TextKind): void {
    if (this.#texts[text] === "" || this.#reported.has(text)) return;
    this.#reported.add(text);
    for (const block of chatContent(this.#textOf([text]))) this.emit({ type: "block", block });
  }

  #textOf(kinds: readonly TextKind[]): Fields {
    const filled = kinds.filter((kind) => this.#texts[kind] !== "");
    return Object.fromEntries(filled.map((kind) => [kind, this.#texts[kind]]));
  }
}

function callOf({ id, type, name, extra, text }: PartialCall): JsonObject {
  return type === "custom"
    ? { ...extra, id, type, custom: { name, input: text } }
    : { ...extra, id, type: "function", function: { name, arguments: text } };
}

/** Writes a completion as its chunks. @internal */
export class ChatWriter extends AnswerWriter {
  readonly #includesUsage: boolean;
  #head: JsonObject = {};
  #callCount = 0;

  constructor(options: { readonly pieceLength?: number; readonly includesUsage: boolean }) {
    super(options);
    this.#includesUsage = options.includesUsage;
  }

  begin({ choices, usage: _, ...head }: JsonObject): readonly string[] {
    this.#head = { ...head, object: "chat.completion.chunk" };
    const [choice] = choices as readonly { readonly message: JsonObject }[];
    const content = choice?.message["content"] === null ? null : "";
    return [this.#chunk({ role: "assistant", content, refusal: null })];
  }

  end({ choices, usage }: JsonObject): readonly string[] {
    const [choice] = choices as readonly JsonObject[];
    return [
      this.#chunk({}, choice?.["finish_reason"]),
      ...(usage === undefined || !this.#includesUsage
        ? []
        : [dataEvent({ ...this.#head, choices: [], usage })]),
      dataEvent(STREAM_END),
    ];
  }

  protected piece(type: "text" | "thinking", text: string): readonly string[] {
    return [this.#chunk({ [type === "text" ? "content" : REASONING_FIELDS[0]]: text })];
  }

  protected block(block: ContentBlock): readonly string[] {
    if (block.type === "text")
      return this.restOf("text", block.text).flatMap((text) => this.piece("text", text));
    if (block.type === "thinking")
      return this.restOf("thinking", block.thinking).flatMap((text) => this.piece("thinking", text));
    if (block.type === "tool_use") return this.#call(writtenCall(block));
    return this.pieces(refusalText(block)).map((refusal) => this.#chunk({ refusal }));
  }

  #call(call: JsonObject): readonly string[] {
    const index = this.#callCount++;
    const part = call["type"] === "custom" ? "custom" : "function";
    const field = part === "custom" ? "input" : "arguments";
    const called = call[part] as JsonObject;
    const begun = { ...call, index, [part]: { ...called, [field]: "" } };
    const pieces = this.pieces(asString(called[field]) ?? "");
    return [
      this.#chunk({ tool_calls: [begun] }),
      ...pieces.map((piece) => this.#chunk({ tool_calls: [{ index, [part]: { [field]: piece } }] })),
    ];
  }

  #chunk(delta: JsonObject, finish_reason: JsonObject[string] = null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return dataEvent({ ...this.#head, choices, ...(this.#includesUsage ? { usage: null } : {}) });
  }
}
