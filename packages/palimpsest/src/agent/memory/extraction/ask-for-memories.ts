/**
 * Asks a model to extract memories from a conversation, in at most two calls: the model may read existing memories in
 * its first answer, and then proposes new ones. Its three tools run in this process.
 *
 * Proposals are claims. `trust.ts` finds out their source from the whole conversation, tool results included, and does
 * not believe what the model says of it. The caller decides about each claim.
 */

import { MEMORY_EXTRACTION_DEFAULTS } from "../../../base/defaults/memory/extraction.ts";
import { MEMORY_SAFETY_DEFAULTS } from "../../../base/defaults/memory/safety.ts";
import { addAll } from "../../../base/lists.ts";
import { showHidden } from "../../../base/text/hidden-characters.ts";
import { cutHead } from "../../../base/text/text.ts";
import {
  composeExtraction,
  EXTRACTION_TOOLS,
  type ProposedMemory,
  readExtractionCall,
} from "../../../memory/extraction/extraction-prompt.ts";
import type { Memory } from "../../../memory/files/memory.ts";
import { isRecallable } from "../../../memory/recall/recall-plan.ts";
import {
  type AttributedText,
  attributeTexts,
  type ConversationMessage,
} from "../../../memory/trust/attributed-text.ts";
import { cleanMemoryText } from "../../../memory/trust/clean-memory.ts";
import { sentenceWords, shareIn } from "../../../memory/trust/sentences.ts";
import {
  hasRead,
  type JudgedConversation,
  judgeTrust,
  type TrustVerdict,
} from "../../../memory/trust/trust.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askModel, formatTools } from "../../../session/model/model-call.ts";
import { addSpent, NOTHING_SPENT, type SpentSum, spentOn } from "../../../tokens/price/spent.ts";
import type { ContentBlock, ToolUseBlock } from "../../../transcript/blocks.ts";
import type { RequestMessage } from "../../../transcript/window.ts";

/** Tool calls of one answer that are carried out. Our choice: a model that makes more has lost its way. */
const CALLS_COUNT = 40;
/** Characters of one memory that a model reads. Our choice: what a memory may have and be read whole. */
const READ_CHARACTERS = 8_000;
/** Lines that one search returns. Our choice: a screen. */
const GREP_LINES_COUNT = 40;
/** Tokens of one answer. Our choice: twenty memories of a paragraph each. */
const OUTPUT_TOKENS = 8_000;

/** Existing memories, for an extractor to read and search. */
export interface ReadableMemory {
  list(): Promise<{ readonly memories: readonly Memory[] }>;
  search(words: string, options: { readonly limit: number }): Promise<readonly Memory[]>;
}

interface ExtractionWorld {
  readonly client: ModelClient;
  readonly memory: ReadableMemory;
  readonly deadline: Deadline;
}

/** A memory that a model proposes, with its judged source. */
export interface JudgedMemory {
  readonly proposed: ProposedMemory;
  readonly verdict: TrustVerdict;
}

export interface ExtractionLimits {
  /** Most facts that are accepted. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  /** The conversation before: a claim may have been read there. */
  readonly earlier?: readonly AttributedText[];
}

interface AskedExtraction {
  /** The cost of its calls. */
  readonly spent: SpentSum;
  /** Calls that were refused, and why. */
  readonly refused: readonly string[];
}

/**
 * Asks the model, and calls `keep` with the proposals of each answer. @throws errors of the model, the memory and
 * `keep`; `ABORTED`
 */
export async function askForMemories(
  world: ExtractionWorld,
  conversation: readonly ConversationMessage[],
  { limit, signal, earlier = [] }: ExtractionLimits,
  keep: (judged: readonly JudgedMemory[]) => Promise<void>,
): Promise<AskedExtraction> {
  const pieces = attributeTexts(conversation, earlier.at(-1)?.turn);
  const { memories } = await world.memory.list();
  const { system, text } = composeExtraction(pieces, memories.filter(isRecallable), limit);
  const first: RequestMessage = { role: "user", content: [{ type: "text", text }] };
  let spent = NOTHING_SPENT;
  const refused: string[] = [];
  const ask = async (messages: readonly RequestMessage[]): Promise<readonly ContentBlock[]> => {
    const { content, usage } = await askExtractor(world, { system, messages }, signal);
    spent = addSpent(spent, spentOn(usage, world.client.model));
    return content;
  };
  let answer = await ask([first]);
  let calls = callsOf(answer);
  // A model that writes without reading gets no second call.
  const isReading = calls.some(({ name }) => name === "memory_read" || name === "memory_grep");
  const judging = { pieces, earlier, memories, refused };
  const judged = judgeCalls(calls, { ...judging, limit });
  await keep(judged);
  if (isReading) {
    const results = await Promise.all(calls.map((call) => resultOf(world.memory, call)));
    const messages: readonly RequestMessage[] = [
      first,
      { role: "assistant", content: answer },
      { role: "user", content: results },
    ];
    answer = await ask(messages);
    calls = callsOf(answer);
    await keep(judgeCalls(calls, { ...judging, limit: limit - judged.length }));
  }
  return { spent, refused };
}

function askExtractor(
  { client, deadline }: ExtractionWorld,
  { system, messages }: { readonly system: string; readonly messages: readonly RequestMessage[] },
  signal: AbortSignal | undefined,
) {
  const request = {
    model: client.model ?? "",
    system,
    messages,
    tools: formatTools(client, EXTRACTION_TOOLS),
    maxOutputTokens: OUTPUT_TOKENS,
  };
  return askModel(client, request, { deadline, timeoutMs: MEMORY_EXTRACTION_DEFAULTS.callTimeoutMs, signal });
}

function callsOf(content: readonly ContentBlock[]): readonly ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use").slice(0, CALLS_COUNT);
}

interface Judging extends JudgedConversation {
  readonly memories: readonly Memory[];
  readonly limit: number;
  readonly refused: string[];
}

/** Judges the proposals that are not known already. */
function judgeCalls(
  calls: readonly ToolUseBlock[],
  { memories, limit, refused, ...conversation }: Judging,
): readonly JudgedMemory[] {
  const read = calls.map(({ name, input }) => readExtractionCall(name, input));
  addAll(
    refused,
    read.flatMap((call) => (call.kind === "refused" ? [call.why] : [])),
  );
  const proposals = read
    .flatMap((call) => (call.kind === "write" ? [call.proposed] : []))
    .slice(0, Math.max(0, limit));
  return judgeProposals(proposals, conversation).flatMap(({ proposed, verdict }) => {
    if (verdict.isRecalled) refused.push(verdict.why);
    return verdict.isRecalled ? [] : [{ proposed, verdict }];
  });
}

/** Judges each text. A name and a description with words that were not said are replaced by the text's beginning. */
function judgeProposals(
  proposals: readonly ProposedMemory[],
  conversation: JudgedConversation,
): readonly JudgedMemory[] {
  if (proposals.length === 0) return [];
  // One call for all, because judging reads the whole conversation.
  const verdicts = judgeTrust(
    proposals.flatMap(({ text, name, description, type, messageIds }) =>
      [text, name, description].map((words) => ({ text: words, type, messageIds })),
    ),
    conversation,
  );
  const hasForeignText = hasRead([...(conversation.earlier ?? []), ...conversation.pieces]);
  return proposals.map((proposed, index) => {
    const [verdict, ofName, ofDescription] = verdicts.slice(index * 3) as [
      TrustVerdict,
      TrustVerdict,
      TrustVerdict,
    ];
    // A quarantined proposal stays as it is, so that people can see it.
    const kept = (label: string, { isQuarantined }: TrustVerdict): string =>
      verdict.isQuarantined || !hasForeignText || (!isQuarantined && isAbout(label, proposed.text))
        ? label
        : "";
    const name = kept(proposed.name, ofName);
    const description = kept(proposed.description, ofDescription);
    return { proposed: { ...proposed, name, description }, verdict };
  });
}

/** True if `other` has a third of the words of `text`. */
function isAbout(text: string, other: string): boolean {
  return (
    shareIn(sentenceWords(text).words, sentenceWords(other).words) >= MEMORY_SAFETY_DEFAULTS.readingShare
  );
}

async function resultOf(memory: ReadableMemory, { id, name, input }: ToolUseBlock): Promise<ContentBlock> {
  const result = (content: string, isError = false): ContentBlock => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...(isError ? { is_error: true } : {}),
  });
  const call = readExtractionCall(name, input);
  if (call.kind === "refused") return result(call.why, true);
  if (call.kind === "write") return result("Noted.");
  if (call.kind === "read") {
    const known = (await memory.list()).memories.find(({ path }) => path === call.path);
    if (known === undefined || !isRecallable(known))
      return result(`There is no memory ${showHidden(call.path)}.`, true);
    return result(cutHead(cleanMemoryText(known.body, "body").text, READ_CHARACTERS));
  }
  const found = (await memory.search(call.words, { limit: GREP_LINES_COUNT })).filter(isRecallable);
  const lines = found.map(({ path, body }) => `${path}: ${cutHead(cleanMemoryText(body, "hook").text, 200)}`);
  return result(lines.length === 0 ? "Nothing has these words." : lines.join("\n"));
}
