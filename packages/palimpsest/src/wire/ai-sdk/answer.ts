/**
 * A result of an AI SDK language model → the answer, whole or from its stream.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ModelAnswer, ModelEvent, StopReason } from "../../ports/model-client.ts";
import type { ContentBlock, Message, Usage } from "../../transcript/blocks.ts";
import { anthropicUsage } from "../anthropic/answer.ts";
import { classifyModelError } from "../errors/model-failure.ts";
import { type Assembly, unreadableAnswer } from "../shared/answer-assembly.ts";
import { asMember } from "./carrier.ts";
import { fromAiSdkPart } from "./from-ai-sdk.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Source: `@ai-sdk/provider` 3.0 and 4.0, `LanguageModelV3FinishReason` and `LanguageModelV4FinishReason`. */
const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ["stop", "end"],
  ["tool-calls", "tool-use"],
  ["length", "output-limit"],
  ["content-filter", "refusal"],
]);
/** Reasons that the SDK calls `length` or `other`, by the provider's name. */
const RAW_STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ["model_context_window_exceeded", "window-full"],
  ["pause_turn", "paused"],
  ["compaction", "paused"],
]);

/** Reads a whole result. @throws ModelError where it is none. @internal */
export function aiSdkAnswer(result: unknown): ModelAnswer {
  if (!isObject(result) || !Array.isArray(result["content"])) throw unreadableAnswer("the AI SDK", result);
  const content = result["content"].flatMap((part: unknown) => fromAiSdkPart(part));
  return answerFrom({ content, finish: result, response: result["response"] });
}

interface AnswerPieces {
  readonly content: readonly ContentBlock[];
  /** The object with `finishReason` and `usage`. */
  readonly finish: Fields;
  /** The object with `id`, `modelId` and `headers`. */
  readonly response: unknown;
}

function answerFrom({ content, finish, response }: AnswerPieces): ModelAnswer {
  const fields = isObject(response) ? response : {};
  const [model, responseId] = [asString(fields["modelId"]), asString(fields["id"])];
  const headers = isObject(fields["headers"]) ? fields["headers"] : {};
  const requestId = asString(headers["request-id"]) ?? asString(headers["x-request-id"]);
  const usage = aiSdkUsage(finish["usage"], finish["providerMetadata"]);
  const answer: Message = {
    role: "assistant",
    content,
    origin: "assistant",
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    messages: content.length === 0 ? [] : [answer],
    ...stopOf(finish["finishReason"]),
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** The reason of a finish, as an object or as text. @internal */
export function stopOf(reason: unknown): {
  readonly stopReason: StopReason;
  readonly rawStopReason?: string;
} {
  const fields = isObject(reason) ? reason : { unified: reason };
  const raw = asString(fields["raw"]) ?? asString(fields["unified"]);
  const stopReason = RAW_STOP_REASONS.get(raw) ?? STOP_REASONS.get(fields["unified"]) ?? "other";
  return { stopReason, ...(raw === undefined ? {} : { rawStopReason: raw }) };
}

/**
 * The window's fill. The totals of Anthropic's models sum up the iterations of one call, so there the
 * provider's own figures are read. `metadata`: the provider's, which has these figures in version 2. @internal
 */
export function aiSdkUsage(usage: unknown, metadata?: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const vendor = asMember(asMember(metadata)?.["anthropic"])?.["usage"];
  const { raw = vendor } = usage;
  const own =
    isObject(raw) && (raw === vendor || Array.isArray(raw["iterations"])) ? anthropicUsage(raw) : undefined;
  if (own !== undefined) return own;
  const { total, noCache, cacheRead, cacheWrite, output } = figuresOf(usage);
  const cacheReadTokens = cacheRead ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const fresh = noCache ?? (total === undefined ? undefined : total - cacheReadTokens - cacheWriteTokens);
  if (fresh === undefined) return undefined;
  return { inputTokens: Math.max(0, fresh), cacheReadTokens, cacheWriteTokens, outputTokens: output ?? 0 };
}

/** Models of versions 3 and 4 report objects; models of version 2, and the steps of every version, numbers. */
function figuresOf(
  usage: Fields,
): Partial<Record<"total" | "noCache" | "cacheRead" | "cacheWrite" | "output", number>> {
  const { inputTokens: given, outputTokens, inputTokenDetails } = usage;
  const input = asMember(given) ?? asMember(inputTokenDetails) ?? {};
  return {
    total: asNumber(given) ?? asNumber(input["total"]),
    noCache: asNumber(input["noCache"]) ?? asNumber(input["noCacheTokens"]),
    cacheRead:
      asNumber(input["cacheRead"]) ??
      asNumber(input["cacheReadTokens"]) ??
      asNumber(usage["cachedInputTokens"]),
    cacheWrite: asNumber(input["cacheWrite"]) ?? asNumber(input["cacheWriteTokens"]),
    output: asNumber(outputTokens) ?? asNumber(asMember(outputTokens)?.["total"]),
  };
}

/** Puts an answer together from the parts of a stream, which tells the end of each. @internal */
export class AiSdkAssembly implements Assembly {
  readonly #tell: (event: ModelEvent) => void;
  readonly #content: ContentBlock[] = [];
  readonly #open = new Map<string, { text: string; metadata: unknown }>();
  readonly #reported = new Set<string>();
  readonly #headers: unknown;
  #response: Fields = {};
  #finish: Fields | undefined;
  #error: { readonly cause: unknown } | undefined;

  constructor(options: { readonly tell: (event: ModelEvent) => void; readonly headers: unknown }) {
    this.#tell = options.tell;
    this.#headers = options.headers;
  }

  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  answer(): ModelAnswer {
    const response = { ...this.#response, headers: this.#headers };
    return answerFrom({ content: this.#content, finish: this.#finish ?? {}, response });
  }

  /** @throws whatever the stream told as an error, where it then ends without a reason to have stopped. */
  take(part: unknown): void {
    if (!isObject(part)) return;
    const [kind, step] = stepOf(asString(part["type"]) ?? "");
    const id = asString(part["id"]) ?? "";
    if (part["type"] === "error") this.#keepError(part["error"]);
    else if (part["type"] === "finish") this.#end(part);
    else if (part["type"] === "response-metadata") this.#response = { ...this.#response, ...part };
    else if (part["type"] === "tool-input-start") this.#callBegins(id, asString(part["toolName"]) ?? "");
    else if (kind === "text" || kind === "reasoning") this.#grow({ kind, step, id, part });
    else if (CONTENT_PARTS.has(part["type"])) this.#keep(part);
  }

  #grow({
    kind,
    step,
    id,
    part,
  }: {
    kind: "text" | "reasoning";
    step: string;
    id: string;
    part: Fields;
  }): void {
    const key = `${kind} ${id}`;
    const partial = this.#open.get(key) ?? { text: "", metadata: undefined };
    // Metadata comes with any of the steps; the last says the most (a signature comes at the end).
    partial.metadata = part["providerMetadata"] ?? partial.metadata;
    const piece = step === "delta" ? (asString(part["delta"]) ?? "") : "";
    partial.text += piece;
    this.#open.set(key, partial);
    if (piece !== "") this.#tell({ type: kind === "text" ? "text" : "thinking", text: piece });
    if (step !== "end") return;
    this.#open.delete(key);
    this.#keep({ type: kind, text: partial.text, providerMetadata: partial.metadata });
  }

  /** The providers end a stream that was cut as they end any other, only without a reason. */
  #end(part: Fields): void {
    const reason = part["finishReason"];
    const { unified, raw } = (isObject(reason) ? reason : { unified: reason, raw: reason }) as Fields;
    const isCut =
      unified === "error" || unified === "interrupted" || (unified === "other" && raw === undefined);
    if (!isCut) this.#finish = part;
    else if (this.#error !== undefined) throw this.#error.cause;
  }

  /** Providers tell an event that they do not know as an error, and go on; what the vendor said counts more. */
  #keepError(cause: unknown): void {
    const isOfVendor = classifyModelError(cause).kind !== "unreadable-answer";
    if (this.#error === undefined || isOfVendor) this.#error = { cause };
  }

  #callBegins(id: string, name: string): void {
    if (this.#reported.has(id)) return;
    this.#reported.add(id);
    this.#tell({ type: "tool-call", id, name });
  }

  #keep(part: Fields): void {
    for (const block of fromAiSdkPart(part)) {
      if (block.type === "tool_use") this.#callBegins(block.id, block.name);
      this.#content.push(block);
      this.#tell({ type: "block", block });
    }
  }
}

/** Parts of a stream that are parts of the answer. */
const CONTENT_PARTS: ReadonlySet<unknown> = new Set([
  ...["tool-call", "tool-result", "file", "source", "custom", "reasoning-file", "tool-approval-request"],
]);

/** `text-delta` → `text`, `delta`. */
function stepOf(type: string): readonly [kind: string, step: string] {
  const step = /-(start|delta|end)$/.exec(type);
  return step === null ? ["", ""] : [type.slice(0, step.index), step[1]!];
}
