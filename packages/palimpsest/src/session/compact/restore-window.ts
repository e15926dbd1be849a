/**
 * Adds to a compaction what the model is to see again: files, plans, lists, memories and the host's own text.
 *
 * This happens between planning and appending, so that the model sees one rewrite. The session keeps what it
 * announced, so that lists are shown as differences also after a restart.
 */
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import type { CostPolicy } from "../../compaction/planner/cost-policy.ts";
import { entriesToRead } from "../../compaction/restore/restore-candidates.ts";
import { fileBudget } from "../../compaction/restore/restore-files.ts";
import {
  compactedWindow,
  filesAfter,
  firstCandidates,
  withFilesInSteps,
  withInserted,
} from "../../compaction/restore/restore-from-log.ts";
import { findSkills, mergeSkills } from "../../compaction/restore/restore-skills.ts";
import { limitsOf } from "../../compaction/shared/layer-limits.ts";
import { visibleAfter, type WindowState } from "../../compaction/shared/window-state.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import { type CountedParts, layerFailed } from "../append/breakers.ts";
import { SKILLS_MARK } from "../append/carried-marks.ts";
import type { SessionParts } from "../window/session-parts.ts";
import type { CompactionCollaborators } from "./collaborators.ts";
import { planRestoration } from "./plan-restoration.ts";
import { type EntryReader, readEntries } from "./restored-files.ts";

type RestoredFrom = CountedParts &
  Pick<SessionParts, "log" | "digest" | "reader" | "turns" | "carried" | "isHostVisible" | "emit">;

/** A session without an agent shows recent files again as the log has them. */
export async function restoreFromLog(
  edit: LayerEdit,
  state: WindowState,
  { digest, reader, turns }: Pick<RestoredFrom, "digest" | "reader" | "turns">,
  policy: Pick<CostPolicy, "earlyFiles">,
): Promise<LayerEdit> {
  const { budget: window, limits } = state;
  const usual = fileBudget(window.windowTokens, limits);
  const budget = filesAfter(edit, policy, window.windowTokens, usual);
  if (budget.filesTokens <= 0) return edit;
  const source = compactedWindow(edit, state, await digest.get());
  const ranked = await turns.run(firstCandidates(source));
  const read: EntryReader = (seq) => reader.findContent(seq);
  const contentOf = await readEntries(entriesToRead(ranked, source), read, turns);
  return turns.run(withFilesInSteps(edit, state, { source, ranked, budget, contentOf }));
}

export class WindowRestorer {
  readonly #parts: RestoredFrom;
  readonly #with: CompactionCollaborators;

  readonly #policy: Pick<CostPolicy, "earlyFiles">;

  constructor(
    parts: RestoredFrom,
    collaborators: CompactionCollaborators,
    policy: Pick<CostPolicy, "earlyFiles">,
  ) {
    this.#parts = parts;
    this.#with = collaborators;
    this.#policy = policy;
  }

  /** Returns the compaction with what it shows again. Never rejects. */
  async restore(edit: LayerEdit, state: WindowState, systemPrompt: string | undefined): Promise<LayerEdit> {
    const restored = await this.#guarded(edit, state, systemPrompt);
    const { memory, hooks } = this.#with;
    const remembered = (await memory?.afterCompaction(visibleAfter(state, [edit]))) ?? [];
    const { sessionId } = this.#parts.log;
    const text = await hooks.sessionStart({ sessionId, source: "compacted" });
    const started: readonly Message[] =
      text === undefined ? [] : [{ role: "user", origin: "host", content: [{ type: "text", text }] }];
    return withInserted(edit, [...restored, ...remembered, ...started]);
  }

  /** Nothing is shown again where that is switched off, or failed too often in a row. */
  async #guarded(
    edit: LayerEdit,
    state: WindowState,
    systemPrompt: string | undefined,
  ): Promise<readonly Message[]> {
    const { breakers } = this.#parts;
    const { breakerFailuresCount } = limitsOf(state);
    if (state.disabledLayers.has("restoration")) return [];
    if (breakers.count("restoration") >= breakerFailuresCount) return [];
    try {
      const messages = await this.#planned(edit, state, systemPrompt);
      breakers.reset("restoration");
      return messages;
    } catch (error) {
      layerFailed(this.#parts, "restoration", error);
      return [];
    }
  }

  async #planned(
    edit: LayerEdit,
    state: WindowState,
    systemPrompt: string | undefined,
  ): Promise<readonly Message[]> {
    const { restorers = [], fileReader, plan, restoredFiles, deadline } = this.#with;
    const { digest, reader, turns, carried, isHostVisible, emit } = this.#parts;
    const { windowTokens } = state.budget;
    const files =
      restoredFiles === "off"
        ? "off"
        : filesAfter(
            edit,
            this.#policy,
            windowTokens,
            restoredFiles ?? fileBudget(windowTokens, state.limits),
          );
    const window = compactedWindow(edit, state, await digest.get());
    const skills = mergeSkills(carried.get(SKILLS_MARK), findSkills([...window.hidden, ...window.tail]));
    const { messages, events, announced } = await planRestoration({
      ...window,
      skills: skills.filter(({ seq }) => isHostVisible(seq)),
      windowTokens,
      measure: state.measure,
      hasHistoryTools: state.hasHistoryTools,
      restorers,
      files,
      limits: state.limits,
      fileReader,
      plan,
      systemPrompt,
      readEntry: (seq) => reader.findContent(seq),
      turns,
      announced: carried.get("announced") ?? {},
      deadline,
    });
    carried.set("announced", announced as JsonObject);
    if (skills.length > 0) carried.set(SKILLS_MARK, skills as unknown as JsonValue);
    for (const event of events) emit(event);
    return messages;
  }
}
