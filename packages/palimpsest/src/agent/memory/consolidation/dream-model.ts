/**
 * Asks a model about the memories and the conversations since the last dream: once, before the final plan, without a
 * lock on any memory.
 *
 * It is asked after the rules: for facts, decisions and patterns in the sessions, by the same judged extraction as at
 * a session's end, and then for memories that belong together or contradict each other in other words. Its answers
 * are claims, judged by the plan. If it fails, takes too long or answers in no readable form, the rules' dream
 * remains, with a note.
 */

import { MEMORY_DREAM_DEFAULTS } from "../../../base/defaults/memory/dream.ts";
import { addAll } from "../../../base/lists.ts";
import { createMemorySearch } from "../../../base/search/memory-search.ts";
import type { Steps } from "../../../base/steps.ts";
import { stopIfAborted } from "../../../base/stop-if-aborted.ts";
import type { ClaimedFact, DreamClaims, DreamProposal } from "../../../memory/consolidation/dream-claims.ts";
import { type DreamInput, memoriesAfterDream } from "../../../memory/consolidation/dream-plan.ts";
import { composeDream, DREAM_TOOLS, readDreamCall } from "../../../memory/consolidation/dream-prompt.ts";
import type { KnownMemory, Memory } from "../../../memory/files/memory.ts";
import {
  type AttributedText,
  attributeTexts,
  type ConversationMessage,
} from "../../../memory/trust/attributed-text.ts";
import { findFirstMention } from "../../../memory/trust/claim-evidence.ts";
import { cleanErrorMessage } from "../../../memory/trust/clean-memory.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askModel, formatTools } from "../../../session/model/model-call.ts";
import { addSpent, NOTHING_SPENT, type SpentSum, spentOn } from "../../../tokens/price/spent.ts";
import { blockText, type ToolUseBlock } from "../../../transcript/blocks.ts";
import { askForMemories, type JudgedMemory, type ReadableMemory } from "../extraction/ask-for-memories.ts";
import { asRemembered } from "../extraction/model-extraction.ts";
import { readFresh } from "../store/fresh-memory.ts";

/** Tokens of one answer. Our choice: all proposals that are read, each with a paragraph. */
const DREAM_OUTPUT_TOKENS = 8_000;
/** Proposals of one answer that are looked at. Our choice: more is a model that runs on. */
const PROPOSALS_COUNT = 40;

/** The conversation of one session in order, tool results included: all of it decides the source of a fact. */
export interface DreamConversation {
  readonly sessionId: string;
  /** Messages since the last dream. One without a time is ignored: it may be long outdated. */
  readonly messages: readonly ConversationMessage[];
  /** Before it: what is said now may have been read then. */
  readonly earlier?: readonly ConversationMessage[];
}

interface DreamModelWorld {
  readonly client: ModelClient;
  readonly deadline: Deadline;
  readonly yieldTurn: YieldToEventLoop;
}

interface DreamModelOptions {
  /** The newest first; `undefined` where facts are not asked for. */
  readonly conversations: AsyncIterable<DreamConversation> | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The outcome of asking a model. */
export interface DreamAnswer {
  readonly claims: DreamClaims;
  /** The cost of its calls. */
  readonly spent: SpentSum;
  /** Proposals that were refused at once, with the reasons. */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
}

/** Asks about a directory as it is now. @throws `ABORTED` */
export async function askForConsolidation(
  world: DreamModelWorld,
  input: DreamInput,
  { conversations, signal }: DreamModelOptions,
): Promise<DreamAnswer> {
  const questions = new DreamQuestions(world, signal);
  const known = await inSteps(memoriesAfterDream(input), world, signal);
  const facts = conversations === undefined ? [] : await questions.facts(known, input, conversations);
  const claims: DreamClaims = { facts, proposals: [], shown: new Map() };
  const withFacts =
    facts.length === 0 ? known : await inSteps(memoriesAfterDream({ ...input, claims }), world, signal);
  const { proposals, shown } = await questions.proposals(withFacts, input.nowMs);
  const { spent, refused, notes } = questions;
  return {
    claims: { facts, proposals, shown },
    spent,
    refused,
    notes,
  };
}

/** The origin of a message of several sessions. */
interface MessageSource {
  readonly sessionId: string;
  readonly messageId: string;
  /** When, where its log says so. */
  readonly statedAtMs: number | undefined;
}

/** Several sessions as one talk. */
interface Together {
  readonly messages: readonly ConversationMessage[];
  readonly earlier: readonly ConversationMessage[];
  readonly sessionOf: ReadonlyMap<string, MessageSource>;
}

class DreamQuestions {
  spent = NOTHING_SPENT;
  readonly refused: string[] = [];
  readonly notes: string[] = [];
  readonly #world: DreamModelWorld;
  readonly #signal: AbortSignal | undefined;

  constructor(world: DreamModelWorld, signal: AbortSignal | undefined) {
    this.#world = world;
    this.#signal = signal;
  }

  /** Finds facts in the conversations, as far as these support them. */
  async facts(
    known: ReadonlyMap<string, KnownMemory>,
    { gathered }: DreamInput,
    conversations: AsyncIterable<DreamConversation>,
  ): Promise<readonly ClaimedFact[]> {
    const limit = MEMORY_DREAM_DEFAULTS.gatheredCount - gathered.length;
    if (limit <= 0) return [];
    const facts: ClaimedFact[] = [];
    const isAsked = await this.#orByRules("What was said in sessions", async () => {
      const { messages, earlier, sessionOf } = await this.#together(conversations);
      if (messages.length === 0) return;
      const pieces = inTime(attributeTexts(messages), sessionOf);
      const keep = async (judged: readonly JudgedMemory[]): Promise<void> => {
        const source = findSources(judged, pieces, sessionOf);
        for (const [index, one] of judged.entries()) {
          const fact = this.#asFact(one, known, source[index]);
          if (fact !== undefined) facts.push(fact);
        }
      };
      const world = { ...this.#world, memory: readable(known) };
      const limits = { limit, signal: this.#signal, earlier: attributeTexts(earlier) };
      const { spent, refused } = await askForMemories(world, messages, limits, keep);
      this.spent = addSpent(this.spent, spent);
      addAll(this.refused, refused);
    });
    return isAsked ? facts : [];
  }

  /** Collects proposals about the memories. */
  async proposals(
    known: ReadonlyMap<string, KnownMemory>,
    nowMs: number,
  ): Promise<Pick<DreamClaims, "proposals" | "shown">> {
    const proposals: DreamProposal[] = [];
    const memories = [...known.values()].map(({ memory }) => memory);
    const request = composeDream(memories, nowMs);
    if (request === undefined) return { proposals, shown: new Map() };
    const { system, text, shown, leftOutCount } = request;
    if (leftOutCount > 0)
      this.notes.push(`${leftOutCount} memories were not shown to the model: there was no room for them.`);
    await this.#orByRules("The memories", async () => {
      for (const call of await this.#ask(system, text)) {
        const read = readDreamCall(call.name, call.input);
        if (read.kind === "refused") this.refused.push(read.why);
        else proposals.push(read);
      }
    });
    return { proposals, shown };
  }

  async #ask(system: string, text: string): Promise<readonly ToolUseBlock[]> {
    const { client, deadline } = this.#world;
    const { dreamTimeoutMs: timeoutMs } = MEMORY_DREAM_DEFAULTS;
    const request = {
      model: client.model ?? "",
      system,
      messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
      tools: formatTools(client, DREAM_TOOLS),
      maxOutputTokens: DREAM_OUTPUT_TOKENS,
    };
    const { content, usage } = await askModel(client, request, { deadline, timeoutMs, signal: this.#signal });
    this.spent = addSpent(this.spent, spentOn(usage, client.model));
    if (content.length === 0) this.notes.push("The model answered nothing; the rules alone decided.");
    const calls = content.filter((block): block is ToolUseBlock => block?.type === "tool_use");
    if (calls.length > PROPOSALS_COUNT)
      this.refused.push(`Of ${calls.length} proposals the first ${PROPOSALS_COUNT} were looked at.`);
    return calls.slice(0, PROPOSALS_COUNT);
  }

  /** The sessions as one talk, the oldest first, with ids that tell them apart. */
  async #together(conversations: AsyncIterable<DreamConversation>): Promise<Together> {
    const sessions: DreamConversation[] = [];
    const sessionOf = new Map<string, MessageSource>();
    let left: number = MEMORY_DREAM_DEFAULTS.judgedCharacters;
    for await (const { sessionId, messages, earlier = [] } of conversations) {
      stopIfAborted(this.#signal, "The dream");
      left -= charactersOf(messages) + charactersOf(earlier);
      if (left < 0) {
        this.notes.push("The older sessions were too long for the model; the rules read them.");
        break;
      }
      const number = sessions.length + 1;
      const apart = ({ id, message }: ConversationMessage) => ({ id: `${number}/${id}`, message });
      for (const { id, message } of messages)
        sessionOf.set(`${number}/${id}`, { sessionId, messageId: id, statedAtMs: message.at });
      sessions.push({ sessionId, messages: messages.map(apart), earlier: earlier.map(apart) });
    }
    sessions.reverse();
    return {
      messages: sessions.flatMap(({ messages }) => messages),
      earlier: sessions.flatMap(({ earlier = [] }) => earlier),
      sessionOf,
    };
  }

  /** Text that only a tool or the web said, or that no speaker's words carry, is ignored. */
  #asFact(
    { proposed, verdict }: JudgedMemory,
    known: ReadonlyMap<string, KnownMemory>,
    source: MessageSource | undefined,
  ): ClaimedFact | undefined {
    const messageIds = source === undefined ? [] : [source.messageId];
    const { text, options } = asRemembered(
      { proposed: { ...proposed, messageIds }, verdict },
      source?.sessionId,
    );
    const { fresh } = readFresh(text, options, false);
    if (fresh === undefined || fresh.isQuarantined) {
      this.refused.push(verdict.why);
      return undefined;
    }
    // With the current time, an outdated fact would return, and an old one would supersede a newer one.
    if (source?.statedAtMs === undefined) {
      this.refused.push("Its messages have no time: it may be outdated.");
      return undefined;
    }
    const path = proposed.replaces;
    const replaced = path === undefined ? undefined : known.get(path)?.memory;
    return {
      ...fresh,
      createdAtMs: source.statedAtMs,
      why: verdict.why,
      replaces: replaced === undefined ? undefined : { path: replaced.path, body: replaced.body },
    };
  }

  /** Returns false if the model failed and the rules' result stands. @throws `ABORTED` */
  async #orByRules(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      stopIfAborted(this.#signal, "The dream");
      const reason = cleanErrorMessage(error);
      this.notes.push(`${what} could not be looked at by the model, and the rules alone decided: ${reason}`);
      return false;
    }
  }
}

/** Sessions may have gone on beside each other. */
function inTime(
  pieces: readonly AttributedText[],
  sessionOf: ReadonlyMap<string, MessageSource>,
): readonly AttributedText[] {
  const timeOf = ({ id }: AttributedText): number => sessionOf.get(id)?.statedAtMs ?? Number.MAX_SAFE_INTEGER;
  return pieces.toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** Finds the origin of each fact: by its words, otherwise the oldest message that the model names. */
function findSources(
  judged: readonly JudgedMemory[],
  pieces: readonly AttributedText[],
  sessionOf: ReadonlyMap<string, MessageSource>,
): readonly (MessageSource | undefined)[] {
  const facts = judged.map(({ proposed, verdict }) => ({
    text: proposed.text,
    isUsers: verdict.source === "user",
  }));
  const found = findFirstMention(facts, pieces);
  return judged.map(({ proposed: { messageIds } }, index) => {
    const named = new Set(messageIds);
    const piece = found[index] ?? pieces.find(({ id }) => named.has(id));
    return piece === undefined ? undefined : sessionOf.get(piece.id);
  });
}

function charactersOf(messages: readonly ConversationMessage[]): number {
  let count = 0;
  for (const { message } of messages) for (const block of message.content) count += blockText(block).length;
  return count;
}

/** Memories that are no more than on paper. */
function readable(known: ReadonlyMap<string, KnownMemory>): ReadableMemory {
  const memories: readonly Memory[] = [...known.values()].map(({ memory }) => memory);
  return {
    list: async () => ({ memories }),
    search: async (words, { limit }) => {
      const search = createMemorySearch();
      for (const memory of memories) search.set(memory.path, memory);
      return search.search(words, { limit }).flatMap(({ id }) => known.get(id)?.memory ?? []);
    },
  };
}

/** Lets everything else happen that is due. */
export type YieldToEventLoop = () => Promise<void>;

/** @throws `ABORTED` */
export async function inSteps<Result>(
  steps: Steps<Result>,
  { yieldTurn }: { readonly yieldTurn: YieldToEventLoop },
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (count % MEMORY_DREAM_DEFAULTS.stepsCount !== 0) continue;
    await yieldTurn();
    stopIfAborted(signal, "The dream");
  }
}
