/**
 * Adds to a compaction what the model is to see again: files, plans, lists, memories and the host's own text.
 *
 * This happens between planning and appending, so that the model sees one rewrite. The session keeps what it
 * announced, so that lists are shown as differences also after a restart.
 */
import { BUDGET_DEFAULTS } from "../../base/defaults/tokens/tokens.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { measureMessages } from "../../compaction/shared/measure.ts";
import { situationOf, visibleAfter, type WindowState } from "../../compaction/shared/window-state.ts";
import { blockText, type Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { SessionParts } from "../window/session-parts.ts";
import type { CompactionCollaborators } from "./collaborators.ts";
import { planRestoration } from "./plan-restoration.ts";

type RestoredFrom = Pick<SessionParts, "log" | "digest" | "reader" | "carried" | "emit">;

export class WindowRestorer {
  readonly #parts: RestoredFrom;
  readonly #with: CompactionCollaborators;

  constructor(parts: RestoredFrom, collaborators: CompactionCollaborators) {
    this.#parts = parts;
    this.#with = collaborators;
  }

  /** Returns the compaction with what it shows again. Never rejects. */
  async restore(edit: LayerEdit, state: WindowState, systemPrompt: string | undefined): Promise<LayerEdit> {
    const restored = await this.#planned(edit, state, systemPrompt);
    const { memory, hooks } = this.#with;
    const remembered = (await memory?.afterCompaction(visibleAfter(state, [edit]))) ?? [];
    const { sessionId } = this.#parts.log;
    const text = await hooks.sessionStart({ sessionId, source: "compacted" });
    const started: readonly Message[] =
      text === undefined ? [] : [{ role: "user", origin: "host", content: [{ type: "text", text }] }];
    return withInserted(edit, [...restored, ...remembered, ...started]);
  }

  async #planned(
    edit: LayerEdit,
    state: WindowState,
    systemPrompt: string | undefined,
  ): Promise<readonly Message[]> {
    const { restorers = [], fileReader, plan, restoredFiles, deadline } = this.#with;
    const { digest, reader, carried, emit } = this.#parts;
    const after = visibleAfter(state, [edit]);
    const { fullTargetShare, sessionMemoryTargetShare } = BUDGET_DEFAULTS;
    const targetShare = edit.kind === "session-memory" ? sessionMemoryTargetShare : fullTargetShare;
    const targetTokens = Math.floor(situationOf(state).effectiveTokens * targetShare);
    const { messages, events, announced } = await planRestoration({
      hidden: hiddenBy(state.visible, after),
      tail: after.filter(({ insertedBy }) => insertedBy === undefined),
      summaryTexts: summaryTexts(edit),
      digest: await digest.get(),
      windowTokens: state.budget.windowTokens,
      budgetTokens: Math.max(0, targetTokens - measureMessages(after, state.measure)),
      measure: state.measure,
      hasHistoryTools: state.hasHistoryTools,
      restorers,
      files: restoredFiles,
      fileReader,
      plan,
      systemPrompt,
      original: async (seq, block) => reader.findBlock(seq, block),
      announced: carried.get("announced") ?? {},
      deadline,
    });
    carried.set("announced", announced as JsonObject);
    for (const event of events) emit(event);
    return messages;
  }
}

/** The messages that the edit takes from view. */
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
