/**
 * A model that fails as providers do, at the calls that a plan names, and judges every request that it gets.
 *
 * It has its own window and refuses what does not fit, counts tokens otherwise than the library does, and
 * binds its thinking to what stood before it where the models of its name do.
 */
import { createHash } from "node:crypto";
import {
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
} from "palimpsest-testing";
import { isObject } from "#base/json/json.ts";
import type { ModelAnswer, ModelClient, ModelRequest, ModelStreamOptions } from "#ports/model-client.ts";
import type { Deadline } from "#ports/runtime.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import { bindsReasoning } from "#tokens/models/edit-safety.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { anthropicBody } from "#wire/anthropic/request.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { toOpenAIResponses } from "#wire/openai-responses/to-openai-responses.ts";
import { GOOD_SUMMARY } from "../../../../test/helpers/recorded-agent.ts";
import { asksForNotes, NOTES_TICKS, type NotesManner, notesAnswer } from "./notes-manners.ts";

export const FAULTS = [
  "throttled",
  "server-error",
  "overloaded",
  "hang",
  "network",
  "not-an-answer",
  "wrong-shape",
  "bad-usage",
  "empty",
  "refusal",
  "stray-call",
  "unknown-tool",
  "repeated-id",
  "cut-off",
  "inflated",
  "too-long",
  "too-long-without-numbers",
  "too-long-output",
  "body-too-large",
  "bound-thinking",
  "cut-silently",
  "usage-withheld",
  "window-full",
] as const;
export type FaultName = (typeof FAULTS)[number];

/** A deadline that passes when a call hangs. */
export class HastyDeadline implements Deadline {
  readonly #waiting = new Set<() => void>();

  after(ms: number, work: () => void): () => void {
    this.#waiting.add(work);
    const ticks = NOTES_TICKS.get(ms);
    if (ticks !== undefined) this.#passAfter(ticks, work);
    return () => this.#waiting.delete(work);
  }

  /** Only this class knows when a test waits for an update that does not end. */
  #passAfter(ticks: number, work: () => void): void {
    if (!this.#waiting.has(work)) return;
    if (ticks > 0) setImmediate(() => this.#passAfter(ticks - 1, work));
    else if (this.#waiting.delete(work)) work();
  }

  pass(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const work of due) work();
  }

  /** The process that waited is gone. */
  forget(): void {
    this.#waiting.clear();
  }

  get waiting(): number {
    return this.#waiting.size;
  }
}

export interface FaultyModelOptions {
  readonly model: string;
  readonly windowTokens: number;
  /** Its tokens for each of the library's. */
  readonly ratio: number;
  /** By the number of the call. */
  readonly faults: ReadonlyMap<number, FaultName>;
  /** The fault of every other summary. */
  readonly summaryFault: FaultName | undefined;
  /** Its answers to requests for an update of the notes, in turn, then from the start. */
  readonly notesManners?: readonly NotesManner[];
}

/** A model in memory, for a {@link FaultyLife}. */
export function faultyModel(
  options: FaultyModelOptions,
  { deadline, goesOn }: { readonly deadline: HastyDeadline; readonly goesOn: () => boolean },
): { readonly client: ModelClient; readonly windowTokens: number; readonly wrongs: readonly string[] } {
  const { model, ratio, faults, summaryFault, notesManners = ["well"] } = options;
  const wrongs: string[] = [];
  const binds = bindsReasoning(model);
  let { windowTokens } = options;
  let calls = 0;
  let updates = 0;
  const generate = async (
    request: ModelRequest,
    { signal, onEvent }: ModelStreamOptions = {},
  ): Promise<ModelAnswer> => {
    const index = calls++;
    const isSummary = asksForSummary(request);
    wrongs.push(...wrongsOf(request, binds).map((wrong) => `call ${index}: ${wrong}`));
    signal?.throwIfAborted();
    const tokens = Math.round(tokensOf(request) * ratio);
    if (asksForNotes(request)) {
      if (tokens > windowTokens) throw tooLong(tokens, windowTokens);
      return notesAnswer(notesManners[updates++ % notesManners.length]!, { request, tokens, index });
    }
    const fault = faults.get(index) ?? (isSummary ? summaryFault : undefined);
    if (fault === "hang" || fault === "network") {
      if (!isSummary && index % 2 === 0)
        onEvent?.({ type: "block", block: { type: "text", text: `A beginning of ${index}.` } });
      if (fault === "network") throw new TypeError("fetch failed");
      setImmediate(() => deadline.pass());
      return new Promise(() => {});
    }
    // A window that a session can live in, and that the prompt is truly too long for.
    if (fault === "too-long")
      windowTokens = Math.min(windowTokens, Math.max(9_000, Math.round(tokens * 0.8)));
    const failure = fault === undefined ? undefined : failureOf(fault, { tokens, windowTokens });
    if (failure !== undefined) throw failure;
    if (tokens > windowTokens) throw tooLong(tokens, windowTokens);
    await Promise.resolve();
    const usual = isSummary
      ? [{ type: "text", text: GOOD_SUMMARY } as const]
      : usualAnswer(request, { index, goesOn: goesOn(), binds });
    const answer = spoiled(fault, { request, usual, tokens, index });
    for (const message of answer?.messages ?? [])
      for (const block of message?.content ?? []) onEvent?.({ type: "block", block });
    return answer;
  };
  return {
    client: { provider: "faulty", model, generate, stream: generate },
    wrongs,
    get windowTokens() {
      return windowTokens;
    },
  };
}

export const asksForSummary = ({ messages, system }: ModelRequest): boolean => {
  const block = messages.at(-1)?.content.at(-1);
  const isForked = block?.type === "text" && block.text.includes("<summary> tags");
  return isForked || system?.startsWith("You summarise") === true;
};

function tokensOf({ messages, system = "", tools = [] }: ModelRequest): number {
  const fixed = (system.length + JSON.stringify(tools).length) / 4;
  return messages.reduce((sum, message) => sum + estimateMessage(message), fixed);
}

const refusal = (status: number, message: string): Error => Object.assign(new Error(message), { status });
const tooLong = (tokens: number, limit: number): Error =>
  refusal(400, `prompt is too long: ${Math.max(tokens, limit + 1)} tokens > ${limit} maximum`);

function failureOf(
  fault: FaultName,
  { tokens, windowTokens }: { readonly tokens: number; readonly windowTokens: number },
): Error | undefined {
  switch (fault) {
    case "throttled":
      return refusal(429, "rate_limit_error: Number of requests has exceeded your rate limit");
    case "server-error":
      return refusal(500, "Internal server error");
    case "overloaded":
      return refusal(529, "Overloaded");
    case "too-long-without-numbers":
      return refusal(400, "context_length_exceeded: Your input exceeds the context window of this model.");
    case "too-long-output":
      return refusal(
        400,
        `input length and \`max_tokens\` exceed context limit: ${tokens} + 64000 > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
      );
    case "body-too-large":
      return refusal(413, "request_too_large: Request exceeds the maximum size");
    case "bound-thinking":
      return refusal(
        400,
        "Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
      );
    default:
      return undefined;
  }
}

function usualAnswer(
  request: ModelRequest,
  { index, goesOn, binds }: { readonly index: number; readonly goesOn: boolean; readonly binds: boolean },
): readonly ContentBlock[] {
  const thinks = index % 3 !== 2;
  const thought: readonly ContentBlock[] =
    thinks && binds
      ? [{ type: "thinking", thinking: `Thought ${index}.`, signature: sealOf(blocksOf(request)) }]
      : [];
  const text = { type: "text", text: `Answer ${index} of the model.` } as const;
  if (!goesOn) return [...thought, text];
  const call = (part: number): ContentBlock => ({
    type: "tool_use",
    id: `call_${index}_${part}`,
    name: index % 4 === 0 ? "Read" : "mcp__docs__get",
    input: { path: `src/file${index}-${part}.ts` },
  });
  return [...thought, text, call(0), ...(index % 5 === 0 ? [call(1)] : [])];
}

interface Spoiling {
  readonly request: ModelRequest;
  readonly usual: readonly ContentBlock[];
  readonly tokens: number;
  readonly index: number;
}

function spoiled(fault: FaultName | undefined, given: Spoiling): ModelAnswer {
  const { usual, tokens, index } = given;
  const usage = { inputTokens: tokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 60 };
  const answer = (content: readonly ContentBlock[], more: object = {}): ModelAnswer => ({
    messages: content.length === 0 ? [] : [{ role: "assistant", content }],
    stopReason: content.some(({ type }) => type === "tool_use") ? "tool-use" : "end",
    usage,
    ...more,
  });
  const call = (id: string, name: string): ContentBlock => ({ type: "tool_use", id, name, input: {} });
  switch (fault) {
    case "not-an-answer":
      return undefined as unknown as ModelAnswer;
    case "wrong-shape":
      return { messages: [null, { role: "assistant" }] } as unknown as ModelAnswer;
    case "bad-usage":
      return answer(usual, { usage: { inputTokens: Number.NaN, outputTokens: "many" } });
    case "empty":
      return answer([]);
    case "refusal":
      return answer([], { stopReason: "refusal" });
    case "stray-call":
      return answer([call(`stray_${index}`, "mcp__docs__get")]);
    case "unknown-tool":
      return answer([call(`unknown_${index}`, "no_such_tool")]);
    case "repeated-id":
      return answer([call("the_same_id", "mcp__docs__get")]);
    case "cut-off":
      return answer([{ type: "text", text: "An answer that was going to be" }], {
        stopReason: "output-limit",
      });
    case "inflated":
      return answer([{ type: "text", text: GOOD_SUMMARY.replace("reading", "reading and ".repeat(30_000)) }]);
    case "cut-silently":
      return answer(usual, { usage: { ...usage, inputTokens: Math.ceil(tokens * 0.2) } });
    case "usage-withheld":
      return answer(usual, { usage: undefined });
    case "window-full":
      return answer([{ type: "text", text: "No room" }], { stopReason: "window-full" });
    default:
      return answer(usual);
  }
}

function wrongsOf(request: ModelRequest, binds: boolean): readonly string[] {
  const { messages } = request;
  const judged = {
    anthropic: judgeAnthropicRequest(anthropicBody(request, 1_000)),
    chat: judgeOpenAIChatRequest({ messages: toOpenAIChat(messages) }),
    responses: judgeOpenAIResponsesRequest({ input: toOpenAIResponses(messages) }),
  };
  return [
    ...Object.entries(judged).flatMap(([wire, violations]) =>
      violations.map(({ rule, path }) => `${wire}: ${rule} at ${path}`),
    ),
    ...(binds ? brokenSeals(request) : []),
  ];
}

interface RoledBlock {
  readonly role: string;
  readonly block: unknown;
}

/** The conversation as it is sent, block by block, without marks of the cache. */
function blocksOf({ messages, model }: ModelRequest): readonly RoledBlock[] {
  const body = anthropicBody({ model, messages }, 1);
  const sent = body["messages"] as readonly { role: string; content: readonly object[] }[];
  return sent.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
}

const SEAL = "seal:";

function sealOf(blocks: readonly RoledBlock[]): string {
  return blocks.reduce(sealedWith, SEAL);
}

function sealedWith(seal: string, { role, block }: RoledBlock): string {
  return SEAL + createHash("sha256").update(seal).update(role).update(JSON.stringify(block)).digest("hex");
}

/** Thinking whose signature belongs to another conversation. */
function brokenSeals(request: ModelRequest): readonly string[] {
  const broken: string[] = [];
  let seal = SEAL;
  let atTurn = SEAL;
  let before = "";
  for (const one of blocksOf(request)) {
    if (one.role === "assistant" && before !== "assistant") atTurn = seal;
    before = one.role;
    const { block } = one;
    if (isObject(block) && block["type"] === "thinking" && block["signature"] !== atTurn)
      broken.push(`a broken signature: ${String(block["thinking"])}`);
    seal = sealedWith(seal, one);
  }
  return broken;
}
