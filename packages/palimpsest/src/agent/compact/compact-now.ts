/**
 * A compaction by hand: now, whatever the size of the window, as somebody wished.
 *
 * Without wishes of its own the session's notes may stand for the messages; else a model writes a summary, and
 * where that fails it is made without one.
 */
import type { PartialSpan } from "../../compaction/summary/plan-compaction.ts";
import type { CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { nothingGained, vetoed } from "../options/agent-refusals.ts";
import type { AgentCompaction } from "./agent-compaction.ts";

interface CompactedByHand {
  readonly session: Session;
  readonly compaction: AgentCompaction;
  readonly request: CallRequest;
  /** Whether the conversation was sent with this request before. */
  readonly hasPrefix: boolean;
}

/** @throws `COMPACTION_REFUSED` where nothing is gained; `COMPACTION_VETOED`; `ABORTED`. */
export async function compactByHand(
  { session, compaction, request, hasPrefix }: CompactedByHand,
  options: {
    readonly instructions?: string;
    readonly span: PartialSpan | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<PreparedCall["edits"]> {
  const { instructions, span, signal } = options;
  const { builder } = internalsOf(session);
  const first = compaction.help({
    request,
    mayUseNotes: instructions === undefined && !compaction.asksHooks,
  });
  const by = { compactFor: "manual", span } as const;
  const asked = await internalsOf(session).inTurn(() =>
    builder.compact(request, { ...first, ...by, writesSummaries: true, decide: () => "wait" }),
  );
  if (!("ask" in asked)) return orNothing(asked);
  const isWarm = asked.ask.isWarm && hasPrefix;
  const ask = { ...asked.ask, trigger: "manual" as const, isWarm, instructions, span };
  const { written, veto } = await compaction.write(ask, await compaction.askHook(ask), signal);
  if (veto !== undefined) throw vetoed(veto);
  const { restore, ...help } = compaction.help({ request, written, isSettled: true, mayUseNotes: false });
  // What stands on the other side of a pivot is in view: nothing has to be shown again.
  const again = span === undefined && restore !== undefined ? { restore } : {};
  const edits = await internalsOf(session).inTurn(async () => {
    const still = compaction.ifStill(ask, { ...help, ...again });
    const done = await builder.compact(request, { ...still, ...by });
    return "ask" in done ? [] : done;
  });
  compaction.judge(edits, written);
  return orNothing(edits);
}

function orNothing(edits: PreparedCall["edits"]): PreparedCall["edits"] {
  if (edits.length === 0) throw nothingGained();
  return edits;
}
