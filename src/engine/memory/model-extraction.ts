/**
 * Extraction by a model: a small agent of two answers, all reads and then all writes, inside the memory directory
 * and in this process.
 *
 * DESIGN. It has three tools of ours and no others, no shell and no paths to write to. What it proposes is a claim:
 * who is behind it is found out from what was said, by everything that was said, tools' results among it
 * (`trust.ts`), and never from what the model says of it. What only a tool or the web said is quarantined, what
 * stood in a recalled memory is no news, and what is known is not written twice.
 */
import { MEMORY_EXTRACTION_DEFAULTS } from "../../base/defaults/memory-extraction.ts";
import { showHidden } from "../../base/hidden-characters.ts";
import { cutHead } from "../../base/text.ts";
import { cleanMemoryText } from "../../memory/clean-memory.ts";
import {
  composeExtraction,
  EXTRACTION_TOOLS,
  type ProposedMemory,
  readExtractionCall,
} from "../../memory/extraction/extraction-prompt.ts";
import { isRecallable } from "../../memory/recall-plan.ts";
import { type SpokenPiece, spokenPieces, type TalkMessage } from "../../memory/spoken-pieces.ts";
import { judgeTrust } from "../../memory/trust.ts";
import type { Deadline } from "../../ports/deadline.ts";
import type { ModelClient } from "../../ports/model-client.ts";
import type { ContentBlock, ToolUseBlock } from "../../transcript/blocks.ts";
import { sumUsage, type Usage } from "../../transcript/messages.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { askModel, formatTools } from "../model-call.ts";
import type { MemoryReceipt } from "./memory-receipt.ts";
import type { PersistentMemory } from "./persistent-memory.ts";

export interface ModelExtractionWorld {
  readonly client: ModelClient;
  readonly memory: PersistentMemory;
  readonly deadline: Deadline;
  readonly sessionId: string;
}

export interface ModelExtraction {
  readonly receipts: readonly MemoryReceipt[];
  /** What its calls cost, where the provider said so. */
  readonly usage: Usage | undefined;
  /** Calls that were refused, and why. */
  readonly refused: readonly string[];
}

/** Asks the model, and keeps at most `limit` of what it finds. @throws what the model and the store throw; `ABORTED` */
export async function extractByModel(
  world: ModelExtractionWorld,
  talk: readonly TalkMessage[],
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<ModelExtraction> {
  const pieces = spokenPieces(talk);
  const { memories } = await world.memory.list();
  const { system, text } = composeExtraction(pieces, memories.filter(isRecallable), limit);
  const first: RequestMessage = { role: "user", content: [{ type: "text", text }] };
  const usages: Usage[] = [];
  const ask = async (messages: readonly RequestMessage[]): Promise<readonly ContentBlock[]> => {
    const { content, usage } = await askExtractor(world, { system, messages }, signal);
    if (usage !== undefined) usages.push(usage);
    return content;
  };
  let answer = await ask([first]);
  let calls = callsOf(answer);
  // One that writes at once has nothing to compare with.
  const isReading = calls.some(({ name }) => name === "memory_read" || name === "memory_grep");
  const refused: string[] = [];
  const receipts = await keep(world, calls, { pieces, limit, refused });
  if (isReading) {
    const results = await Promise.all(calls.map((call) => resultOf(world.memory, call)));
    const messages: readonly RequestMessage[] = [
      first,
      { role: "assistant", content: answer },
      { role: "user", content: results },
    ];
    answer = await ask(messages);
    calls = callsOf(answer);
    receipts.push(...(await keep(world, calls, { pieces, limit: limit - receipts.length, refused })));
  }
  return { receipts, usage: usages.length === 0 ? undefined : sumUsage(usages), refused };
}

function askExtractor(
  { client, deadline }: ModelExtractionWorld,
  { system, messages }: { readonly system: string; readonly messages: readonly RequestMessage[] },
  signal: AbortSignal,
) {
  const request = {
    model: client.model ?? "",
    system,
    messages,
    tools: formatTools(client, EXTRACTION_TOOLS),
    maxOutputTokens: MEMORY_EXTRACTION_DEFAULTS.outputTokens,
  };
  return askModel(client, request, { deadline, timeoutMs: MEMORY_EXTRACTION_DEFAULTS.callTimeoutMs, signal });
}

function callsOf(content: readonly ContentBlock[]): readonly ToolUseBlock[] {
  return content
    .filter((block): block is ToolUseBlock => block.type === "tool_use")
    .slice(0, MEMORY_EXTRACTION_DEFAULTS.callsCount);
}

/** Writes what was proposed, as far as it may be. */
async function keep(
  { memory, sessionId }: ModelExtractionWorld,
  calls: readonly ToolUseBlock[],
  {
    pieces,
    limit,
    refused,
  }: { readonly pieces: readonly SpokenPiece[]; readonly limit: number; readonly refused: string[] },
): Promise<MemoryReceipt[]> {
  const read = calls.map(({ name, input }) => readExtractionCall(name, input));
  refused.push(...read.flatMap((call) => (call.kind === "refused" ? [call.why] : [])));
  const proposals = read
    .flatMap((call) => (call.kind === "write" ? [call.proposed] : []))
    .slice(0, Math.max(0, limit));
  const verdicts = judgeTrust(
    proposals.map(({ name, description, text, type, messageIds }) => ({
      text: [name, description, text].join("\n"),
      type,
      messageIds,
    })),
    pieces,
  );
  const receipts: MemoryReceipt[] = [];
  for (const [index, proposed] of proposals.entries()) {
    const { source, isConfirmed, isQuarantined, isRecalled, why } = verdicts[index]!;
    if (isRecalled) {
      refused.push(why);
      continue;
    }
    const told = { source, isConfirmed, isQuarantined, sessionId };
    receipts.push(await write(memory, proposed, told));
  }
  return receipts;
}

/** What it says to replace gives way only to somebody who is to be believed as much. */
function write(
  memory: PersistentMemory,
  { name, description, type, text, messageIds, replaces }: ProposedMemory,
  told: Pick<
    Parameters<PersistentMemory["remember"]>[1] & object,
    "source" | "isConfirmed" | "isQuarantined" | "sessionId"
  >,
): Promise<MemoryReceipt> {
  const [messageId] = messageIds;
  return memory.remember(text, {
    ...told,
    ...{ name, description, type },
    ...(messageId === undefined ? {} : { messageId }),
    ...(replaces === undefined ? {} : { corrects: [replaces] }),
  });
}

async function resultOf(memory: PersistentMemory, { id, name, input }: ToolUseBlock): Promise<ContentBlock> {
  const result = (content: string, isError = false): ContentBlock => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...(isError ? { is_error: true } : {}),
  });
  const call = readExtractionCall(name, input);
  if (call.kind === "refused") return result(call.why, true);
  if (call.kind === "write") return result("Noted.");
  const { readCharacters, grepLinesCount } = MEMORY_EXTRACTION_DEFAULTS;
  if (call.kind === "read") {
    const known = (await memory.list()).memories.find(({ path }) => path === call.path);
    if (known === undefined || !isRecallable(known))
      return result(`There is no memory ${showHidden(call.path)}.`, true);
    return result(cutHead(cleanMemoryText(known.body, "body").text, readCharacters));
  }
  const found = (await memory.search(call.words, { limit: grepLinesCount })).filter(isRecallable);
  const lines = found.map(({ path, body }) => `${path}: ${cutHead(cleanMemoryText(body, "hook").text, 200)}`);
  return result(lines.length === 0 ? "Nothing has these words." : lines.join("\n"));
}
