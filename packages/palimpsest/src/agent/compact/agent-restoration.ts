/**
 * What a compaction shows again: the restoration, planned for the edit and put behind its summary.
 *
 * It happens between planning and appending, so that the model sees one rewrite. What was announced is kept
 * with the session, so that lists are told as differences also after a restart.
 */
import { BUDGET_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { measureMessages } from "../../compaction/shared/measure.ts";
import { situationOf, visibleAfter } from "../../compaction/shared/window-state.ts";
import type { PlannedCompaction } from "../../session/compact/budget-tracker.ts";
import { planRestoration } from "../../session/compact/plan-restoration.ts";
import { notify } from "../../session/events/events.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { blockText, type Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { AgentMemory } from "../memory/in-session/agent-memory.ts";
import type { AgentOptions, AgentWorld } from "../options/agent-options.ts";

interface RestorationWorld extends AgentWorld {
  readonly hooks: HookRunner;
  readonly memory: AgentMemory | undefined;
}

export class AgentRestoration {
  readonly #session: Session;
  readonly #options: AgentOptions;
  readonly #world: RestorationWorld;

  constructor(session: Session, options: AgentOptions, world: RestorationWorld) {
    this.#session = session;
    this.#options = options;
    this.#world = world;
  }

  /** The compaction with what it shows again. Never rejects. */
  async restore(
    edit: LayerEdit,
    planned: PlannedCompaction,
    systemPrompt: string | undefined,
  ): Promise<LayerEdit> {
    const restored = await this.#planned(edit, planned, systemPrompt);
    const remembered = await this.#world.memory?.afterCompaction(visibleAfter(planned.state, [edit]));
    const hookResult = await this.#world.hooks.sessionStart({
      sessionId: this.#session.id,
      source: "compacted",
    });
    const started: readonly Message[] =
      hookResult === undefined
        ? []
        : [{ role: "user", origin: "host", content: [{ type: "text", text: hookResult }] }];
    return withInserted(edit, [...restored, ...(remembered ?? []), ...started]);
  }

  async #planned(
    edit: LayerEdit,
    { state }: PlannedCompaction,
    systemPrompt: string | undefined,
  ): Promise<readonly Message[]> {
    const { restorers = [], fileReader, plan, restoredFiles } = this.#options;
    const { parts } = internalsOf(this.#session);
    const after = visibleAfter(state, [edit]);
    const tail = after.filter(({ insertedBy }) => insertedBy === undefined);
    const { fullTargetShare, sessionMemoryTargetShare } = BUDGET_DEFAULTS;
    const targetShare = edit.kind === "session-memory" ? sessionMemoryTargetShare : fullTargetShare;
    const targetTokens = Math.floor(situationOf(state).effectiveTokens * targetShare);
    const { messages, events, announced } = await planRestoration({
      hidden: hiddenBy(state.visible, after),
      tail,
      summaryTexts: summaryTexts(edit),
      digest: await parts.digest.get(),
      windowTokens: state.budget.windowTokens,
      budgetTokens: Math.max(0, targetTokens - measureMessages(after, state.measure)),
      measure: state.measure,
      hasHistoryTools: state.hasHistoryTools,
      restorers,
      files: restoredFiles,
      fileReader,
      plan,
      systemPrompt,
      original: async (seq, block) => parts.reader.findBlock(seq, block),
      announced: parts.carried.get("announced") ?? {},
      deadline: this.#world.deadline,
    });
    parts.carried.set("announced", announced as JsonObject);
    for (const event of events) notify(parts.observer, event);
    return messages;
  }
}

/** What was shown before and is not any more. */
function hiddenBy(
  before: readonly VisibleMessage[],
  after: readonly VisibleMessage[],
): readonly VisibleMessage[] {
  const kept = new Set(after.map(({ seq, insertedBy }) => `${seq}:${insertedBy ?? ""}`));
  return before.filter(({ seq, insertedBy }) => !kept.has(`${seq}:${insertedBy ?? ""}`));
}

function summaryTexts({ effect }: LayerEdit): readonly string[] {
  return (effect.insert ?? []).flatMap(({ messages }) =>
    messages.flatMap(({ origin, content }) => (origin === "summary" ? content.map(blockText) : [])),
  );
}

/** The edit with messages behind its summary. */
function withInserted(edit: LayerEdit, messages: readonly Message[]): LayerEdit {
  if (messages.length === 0) return edit;
  const insert = (edit.effect.insert ?? []).map((insertion) =>
    insertion.messages.some(({ origin }) => origin === "summary")
      ? { ...insertion, messages: [...insertion.messages, ...messages] }
      : insertion,
  );
  return { ...edit, effect: { ...edit.effect, insert } };
}
