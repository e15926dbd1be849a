/**
 * Summaries that the provider makes: with an answer, or for a compaction by hand in sessions whose context it may edit.
 * Then the conversation is sent to be summarised, and the provider's block or item takes its place; if that fails, the
 * session compacts by itself.
 */
import { errorMessage } from "../../base/errors.ts";
import type { ModelClient } from "../../ports/model-client.ts";
import type { CompactionHelp } from "../../session/compact/fit-options.ts";
import { modelRequest } from "../../session/model/model-call.ts";
import { validateUsage } from "../../session/model/validate-answer.ts";
import type { CallAnswer, CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { summariesSince } from "../../session/window/provider-edits.ts";

interface CompactingAgent {
  readonly session: Session;
  readonly model: ModelClient;
  ask<Answer>(
    work: (signal: AbortSignal) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer>;
}

/** Resolves with the edit; `undefined` where the provider is not asked, or its summary cannot be used. */
export async function compactByProvider(
  agent: CompactingAgent,
  request: CallRequest,
  signal: AbortSignal | undefined,
): Promise<PreparedCall["edits"] | undefined> {
  const { session, model } = agent;
  const { inTurn, budgets, provider, writer, tracker, cache, emit } = internalsOf(session);
  const compact = model.compact?.bind(model);
  if (compact === undefined || !provider.summarizes(request, budgets)) return undefined;
  const asked = await inTurn(async () => {
    await budgets.receive(request, { isLeaving: false });
    return budgets.summaryRequest(request, "manual");
  });
  const { messages, cacheMarks, cacheLifetimes, throughSeq, usedTokens, budget } = asked;
  if (messages.at(-1)?.role !== "user" && hasOpenCall(messages)) return undefined;
  const call = { trigger: "manual", model: request.model, form: "provider", attempt: 0 } as const;
  try {
    emit({ type: "summary-started", ...call, tokens: usedTokens, isBackground: false });
    const sent = modelRequest(request, { messages, cacheMarks }, cacheLifetimes);
    const answer = await agent.ask((inner) => compact(sent, { signal: inner }), signal);
    const usage = validateUsage(answer.providerEdits?.compactionUsage ?? answer.usage);
    return await inTurn(async () => {
      // What came meanwhile is not in the summary.
      if (writer.nextSeq - 1 !== throughSeq) return undefined;
      const edit = await provider.summarized(
        { messages: answer.messages, usage },
        { throughSeq, model: request.model },
      );
      if (edit === undefined) {
        provider.failed("the answer holds no summary");
        return undefined;
      }
      const { seq } = await writer.appendOne({ type: "edit", edit });
      cache.rewritten();
      tracker.follow(writer.projection);
      await writer.checkpoint();
      writer.forgetHidden();
      const why = `asked for by hand, at ${usedTokens} of ${budget.windowTokens} tokens`;
      emit({ type: "summary-call", ...call, outcome: "written", tookMs: 0, usage });
      emit({ type: "layer", seq, layer: edit.kind, edit, why });
      return [{ seq, edit }];
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    provider.failed(errorMessage(error));
    return undefined;
  }
}

/** Appends an answer, and tells hooks and notes of the summaries that it brought. */
export async function recordWithSummaries(
  session: Session,
  answer: CallAnswer,
  help: CompactionHelp,
): Promise<readonly number[]> {
  const { writer, compaction } = internalsOf(session);
  const { nextSeq } = writer;
  const seqs = await session.record(answer);
  const summaries = summariesSince(writer.projection, nextSeq);
  if (summaries.length > 0) await compaction.summarizedInAnswer(summaries, help);
  return seqs;
}

function hasOpenCall(
  messages: readonly { readonly content: readonly { readonly type: string }[] }[],
): boolean {
  return messages.at(-1)?.content.some(({ type }) => type === "tool_use") === true;
}
