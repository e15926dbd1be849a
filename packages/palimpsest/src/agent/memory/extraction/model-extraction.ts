/**
 * Extraction by a model: writes the memories that it proposes and may write.
 *
 * DESIGN. It has three tools of this library, no shell and no paths to write to (`ask-for-memories.ts`). Text that
 * only a tool or the web said is quarantined, text of a recalled memory is ignored, and known facts are not written
 * twice.
 */

import { MEMORY_SAFETY_DEFAULTS } from "../../../base/defaults/memory/safety.ts";
import { KnownSecrets } from "../../../base/redaction/known-secrets.ts";
import { isUnmeant, rememberRequestOf } from "../../../memory/cues/remember-request.ts";
import { extractByRules, type RuleProposal } from "../../../memory/extraction/rule-extractor.ts";
import type { ConversationMessage } from "../../../memory/trust/attributed-text.ts";
import { sentencesOf, sentenceWords, shareIn } from "../../../memory/trust/sentences.ts";
import type { MemoryReceipt } from "../../../memory/write/memory-receipt.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { FileRestorer } from "../../../ports/restorer.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { reportedUsage } from "../../../tokens/price/spent.ts";
import type { Usage } from "../../../transcript/blocks.ts";
import { learnSecrets, redactJson } from "../../../transcript/without-secrets.ts";
import type { RememberOptions } from "../store/fresh-memory.ts";
import {
  askForMemories,
  type ExtractionLimits,
  type JudgedMemory,
  type ReadableMemory,
} from "./ask-for-memories.ts";
import { codeStates } from "./code-facts.ts";

interface ModelExtractionWorld {
  readonly client: ModelClient;
  /** The memory to write to. */
  readonly memory: ReadableMemory & {
    remember(text: string, options: RememberOptions): Promise<MemoryReceipt>;
  };
  readonly deadline: Deadline;
  /** The working copy, where there is one: what it says is not remembered. */
  readonly files?: FileRestorer | undefined;
  readonly sessionId: string;
}

interface ModelExtraction {
  readonly receipts: readonly MemoryReceipt[];
  /** The cost of its calls, if the provider reports it. */
  readonly usage: Usage | undefined;
  /** Calls that were refused, and why. */
  readonly refused: readonly string[];
}

interface ModelExtractionOptions extends ExtractionLimits {
  readonly quarantinedLimit: number;
  /** True if it was kept when it was said, or is over by now. */
  readonly isKnown: (fact: Pick<FreshMemory, "body" | "messageId">) => boolean;
  /** When a message was said, where that is not now. */
  readonly timesOf: (messageId: string | undefined) => Pick<RememberOptions, "createdAtMs">;
}

/** Asks the model, and keeps at most `limit` of what it finds. @throws what the model and the store throw; `ABORTED` */
export async function extractByModel(
  world: ModelExtractionWorld,
  conversation: readonly ConversationMessage[],
  { quarantinedLimit, isKnown, timesOf, ...limits }: ModelExtractionOptions,
): Promise<ModelExtraction> {
  const receipts: MemoryReceipt[] = [];
  const leftOut: string[] = [];
  let quarantinedLeft = quarantinedLimit;
  // A model repeats keys of the conversation, whole, cut or without their prefix.
  const secrets = new KnownSecrets();
  learnSecrets(
    conversation.flatMap(({ message }) => message.content),
    secrets,
  );
  const asked = extractByRules(conversation).proposals.filter(({ decays }) => !decays);
  const { spent, refused } = await askForMemories(world, conversation, limits, async (judged) => {
    for (const one of judged) {
      if (one.verdict.isQuarantined && quarantinedLeft <= 0) {
        leftOut.push(`There is no room for more that is quarantined. ${one.verdict.why}`);
        continue;
      }
      const proposed = redactJson(one.proposed, (value) => secrets.redact(value).text);
      const { text, options } = asRemembered({ ...one, proposed }, world.sessionId);
      if (isKnown({ body: text, messageId: options.messageId })) continue;
      const why = notAFact(text) ?? (await codeStates(text, { ...world, signal: limits.signal }));
      if (why !== undefined) {
        leftOut.push(why);
        continue;
      }
      const decays = options.source !== "user" || !isAskedFor(text, asked);
      const receipt = await world.memory.remember(text, {
        ...options,
        decays,
        ...timesOf(options.messageId),
      });
      if (receipt.status === "quarantined") quarantinedLeft--;
      receipts.push(receipt);
    }
  });
  return { receipts, usage: reportedUsage(spent), refused: [...refused, ...leftOut] };
}

function notAFact(text: string): string | undefined {
  const sentences = sentencesOf(text);
  // “Could you remember that …?” is a request.
  const isQuestion = (sentence: string): boolean =>
    /[?？]["'”’)」』]{0,3}$/u.test(sentence) && rememberRequestOf(sentence)?.kind !== "remember";
  if (sentences.every(isQuestion)) return "It is a question.";
  return sentences.every(isUnmeant) ? "It is irony, or reports what another says." : undefined;
}

/** True if a user asked to remember it by that word: such a memory does not decay, in any wording. */
function isAskedFor(text: string, asked: readonly RuleProposal[]): boolean {
  const { words } = sentenceWords(text);
  const { userWordsShare } = MEMORY_SAFETY_DEFAULTS;
  return asked.some(({ body }) => shareIn(words, sentenceWords(body).words) >= userWordsShare);
}

/** Options for remembering a proposal: it supersedes only memories of a source as trusted. */
export function asRemembered(
  { proposed, verdict }: JudgedMemory,
  sessionId: string | undefined,
): { readonly text: string; readonly options: RememberOptions } {
  const { name, description, type, text, messageIds, replaces } = proposed;
  const { source, isConfirmed, isQuarantined } = verdict;
  const [messageId] = messageIds;
  return {
    text,
    options: {
      ...{ name, description, type, source, isConfirmed, isQuarantined },
      // A model found it without a request, even in a user's words.
      decays: true,
      sessionId,
      messageId,
      ...(replaces === undefined ? {} : { corrects: [replaces] }),
    },
  };
}
