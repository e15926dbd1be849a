/**
 * From an imported session to a trajectory: the whole conversation in the order in which it was
 * said, chunks of one response joined, calls and results paired.
 */
import type { ContentBlock, Message } from "palimpsest";
import type { ImportedMessage, ImportedSession } from "palimpsest/formats";
import { defaultOrigin } from "palimpsest/internal";
import { estimateFixed, estimateMessage, tokenizerRatio } from "palimpsest/tokens";
import { promptTokens, type ToolUseBlock } from "palimpsest/transcript";
import { readableIn } from "./readable-strings.ts";
import { type Author, makeTrajectory, type RecordedMessage, type Trajectory } from "./trajectory.ts";

/** Fixed part of a prompt where the recording does not say: system prompt and tools, in tokens. Our choice, a small agent's. */
const FIXED_TOKENS = 4_000;
/** Bounds of a fixed part that is inferred from the first billed call, in tokens. Our choice. */
const FIXED_LEAST_TOKENS = 1_500;
/** And the most, in tokens. Our choice: larger ones are messages that were not recorded. */
const FIXED_MOST_TOKENS = 60_000;
/** Time between two messages of a recording without times, in milliseconds. Our choice. */
export const RECORDING_STEP_MS = 10_000;

/** Options of turning a session into a trajectory. */
interface TrajectoryOptions {
  readonly name: string;
  /** The model whose tokenizer is assumed. */
  readonly model: string;
  /** System prompt and tools; where it is left out, what the first billed call says, or the recording. */
  readonly fixedTokens?: number;
}

/** The trajectory of a recorded session. */
export function trajectoryOf(session: ImportedSession, options: TrajectoryOptions): Trajectory {
  const ratio = tokenizerRatio(options.model);
  const { messages, fixedTokens } = new Recorder(options.model).record(session);
  return makeTrajectory({
    name: options.name,
    model: options.model,
    fixedTokens: options.fixedTokens ?? fixedTokens ?? recordedFixedTokens(session, ratio) ?? FIXED_TOKENS,
    messages,
  });
}

function recordedFixedTokens({ system, tools }: ImportedSession, ratio: number): number | undefined {
  if (system === undefined && tools === undefined) return undefined;
  const tokens = estimateFixed({
    system,
    ...(tools === undefined ? {} : { tools: JSON.stringify(tools) }),
  });
  return boundedFixedTokens(tokens * ratio);
}

function boundedFixedTokens(tokens: number): number {
  return Math.max(FIXED_LEAST_TOKENS, Math.min(FIXED_MOST_TOKENS, Math.round(tokens)));
}

class Recorder {
  readonly #model: string;
  readonly #ratio: number;
  readonly #messages: RecordedMessage[] = [];
  readonly #tools = new Map<string, string>();
  /** The recorded message of an item that was changed. */
  readonly #originals = new Map<ImportedMessage, Message>();
  #lastMs = 0;
  #tokens = 0;
  #fixedTokens: number | undefined;

  constructor(model: string) {
    this.#model = model;
    this.#ratio = tokenizerRatio(model);
  }

  record(session: ImportedSession): {
    readonly messages: readonly RecordedMessage[];
    readonly fixedTokens: number | undefined;
  } {
    const items = session.items.filter((item) => item.type === "message");
    for (const chunks of joinChunks(withPairs(items, this.#originals))) this.#add(chunks);
    return { messages: this.#messages, fixedTokens: this.#fixedTokens };
  }

  #add(chunks: readonly ImportedMessage[]): void {
    const first = chunks[0]!;
    const usage = chunks.find((chunk) => chunk.usage !== undefined)?.usage;
    if (usage !== undefined && this.#fixedTokens === undefined && promptTokens(usage) > 0) {
      this.#fixedTokens = boundedFixedTokens(promptTokens(usage) - this.#tokens);
    }
    const content = chunks.flatMap((chunk) => chunk.message.content);
    if (content.length === 0) return;
    const message: Message = { ...first.message, content };
    for (const block of content) if (block.type === "tool_use") this.#tools.set(block.id, block.name);
    const atMs = message.at ?? (this.#messages.length === 0 ? 0 : this.#lastMs + RECORDING_STEP_MS);
    this.#lastMs = Math.max(this.#lastMs, atMs);
    const author = speakerOf(message, first.isAttachment === true);
    const tool = author === "tool" ? this.#toolOf(content) : undefined;
    const tokens = Math.round(estimateMessage(message, this.#model) * this.#ratio);
    this.#tokens += tokens;
    this.#messages.push({
      message,
      parts: chunks.map((chunk) => this.#originals.get(chunk) ?? chunk.message),
      author,
      tool,
      ...textsOf(content),
      tokens,
      atMs: this.#lastMs,
    });
  }

  #toolOf(content: readonly ContentBlock[]): string {
    const result = content.find((block) => block.type === "tool_result");
    return (result && this.#tools.get(result.tool_use_id)) ?? "tool";
  }
}

function speakerOf(message: Message, isAttachment: boolean): Author {
  if (message.role === "assistant") return "assistant";
  const origin = message.origin ?? defaultOrigin(message);
  if (origin === "tool") return "tool";
  return isAttachment || origin !== "user" ? "note" : "user";
}

/** The readable strings of a message: its texts, then the arguments of its calls. */
function textsOf(content: readonly ContentBlock[]): Pick<RecordedMessage, "text" | "argumentsText"> {
  const isCall = ({ type }: ContentBlock): boolean => type.endsWith("tool_use");
  const read = (blocks: readonly ContentBlock[]): string =>
    blocks
      .map(readableIn)
      .filter((text) => text !== "")
      .join("\n");
  const argumentsText = read(content.filter(isCall));
  const texts = read(content.filter((block) => !isCall(block)));
  return { text: [texts, argumentsText].filter((text) => text !== "").join("\n"), argumentsText };
}

/**
 * Leaves out results without a call. A call without a result becomes text: it was made, and an answer that
 * consisted of it was a request all the same.
 */
function withPairs(
  items: readonly ImportedMessage[],
  originals: Map<ImportedMessage, Message>,
): readonly ImportedMessage[] {
  const called = new Set<string>();
  const answered = new Set<string>();
  for (const { message } of items)
    for (const block of message.content) {
      if (block.type === "tool_use") called.add(block.id);
      if (block.type === "tool_result") answered.add(block.tool_use_id);
    }
  const paired = (block: ContentBlock): ContentBlock | readonly ContentBlock[] => {
    if (block.type === "tool_use") return answered.has(block.id) ? block : callAsText(block);
    return block.type === "tool_result" && !called.has(block.tool_use_id) ? [] : block;
  };
  return items.map((item) => {
    const content = item.message.content.flatMap(paired);
    const isSame = content.every((block, index) => block === item.message.content[index]);
    if (isSame && content.length === item.message.content.length) return item;
    const changed = { ...item, message: { ...item.message, content } };
    originals.set(changed, item.message);
    return changed;
  });
}

function callAsText(call: ToolUseBlock): ContentBlock {
  return { type: "text", text: `${call.name}\n${readableIn(call)}` };
}

/** Chunks of one response together, where its first one stands. */
function joinChunks(items: readonly ImportedMessage[]): readonly (readonly ImportedMessage[])[] {
  const joined: ImportedMessage[][] = [];
  const ofResponse = new Map<string, ImportedMessage[]>();
  for (const item of items) {
    const { role, responseId } = item.message;
    const known = role === "assistant" && responseId !== undefined ? ofResponse.get(responseId) : undefined;
    if (known !== undefined) {
      known.push(item);
      continue;
    }
    const chunks = [item];
    joined.push(chunks);
    if (role === "assistant" && responseId !== undefined) ofResponse.set(responseId, chunks);
  }
  return joined;
}
