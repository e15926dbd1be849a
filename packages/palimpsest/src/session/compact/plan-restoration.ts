/**
 * Plans what is shown again after a compaction, as messages for the same edit.
 *
 * All restorers are asked at the same time, each with its own time limit, so the whole takes no longer than the slowest
 * may. Tokens are then given out by priority, within what the compaction's target leaves; a share of what files find is
 * kept for skills, which come later and say how to work. Nothing is appended here: the
 * driver puts the messages behind the summary, so that all is one rewrite, and keeps `announced` in the next
 * checkpoint. The texts are made once and stay as they were sent.
 */

import { RESTORE_DEFAULTS } from "../../base/defaults/compaction/restore.ts";
import { fingerprint } from "../../base/fingerprint.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import { cutHead } from "../../base/text/text.ts";
import type { RestorationSource } from "../../compaction/restore/restore-candidates.ts";
import {
  type FileBudget,
  fileBudget,
  formatRestored,
  LEAST_FILE_TOKENS,
  RESTORED_OPENING,
} from "../../compaction/restore/restore-files.ts";
import { normalisePath } from "../../compaction/restore/restore-paths.ts";
import type { InvokedSkill } from "../../compaction/restore/restore-skills.ts";
import { type LayerLimits, limitsOf } from "../../compaction/shared/layer-limits.ts";
import { fairShare, type Measure, measureText, scaleTokens } from "../../compaction/shared/measure.ts";
import type { HistoryAccess } from "../../compaction/shared/pointer.ts";
import type { FileRestorer, RestoredItem, RestoredMessage, Restorer } from "../../ports/restorer.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { blockText } from "../../transcript/blocks.ts";
import type { RestorationEvent, RestoreSkipReason } from "../events/events.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import { type PlanHost, planRestorer } from "./restored-context.ts";
import { type EntryReader, type RecentFiles, recentFiles } from "./restored-files.ts";
import { type ListedThing, listRestorer } from "./restored-lists.ts";
import { ANNOUNCED_COUNT, type RestorerAnswer, readFingerprints, runRestorer } from "./run-restorer.ts";

/** A compaction that is planned and not yet appended, and what may be put back after it. */
export interface RestorationInput extends RestorationSource, HistoryAccess {
  readonly windowTokens: number;
  /** The tokens that the compaction's target leaves; everything restored stays within them. */
  readonly budgetTokens: number;
  readonly measure: Measure;
  /** The host's own; recent files and the plan are added. */
  readonly restorers: readonly Restorer[];
  /** Limits of recent files, or none of them. @defaultValue `fileBudget(windowTokens, limits)` */
  readonly files?: FileBudget | "off";
  /** Numbers of the layers. @defaultValue `LAYER_LIMITS` */
  readonly limits?: LayerLimits;
  readonly fileReader?: FileRestorer;
  /** Skills that the log shows in use, the newest last. */
  readonly skills?: readonly InvokedSkill[];
  /** The host's plan, or `off`. */
  readonly plan?: PlanHost | "off";
  /** Original blocks of an entry that the window shows shortened, or not any longer. */
  readonly readEntry?: EntryReader;
  /** Text that every request carries besides: what stands there is not put back. */
  readonly systemPrompt?: string;
  /** The `announced` of the last restoration, from a checkpoint; anything else counts as empty. */
  readonly announced?: JsonValue;
  readonly deadline: Deadline;
  readonly turns: FairTurns;
  readonly signal?: AbortSignal;
}

/** The messages to show again. */
export interface Restoration {
  /** To be inserted behind the summary; none where nothing is put back. */
  readonly messages: readonly RestoredMessage[];
  readonly events: readonly RestorationEvent[];
  /** Size of the messages. */
  readonly tokens: number;
  /** The lists as the model knows them now, for the next checkpoint. */
  readonly announced: JsonObject;
}

const PRIORITY = 50;

/** Plans what is put back. Never rejects: what a restorer does wrong is an event. */
export async function planRestoration(input: RestorationInput): Promise<Restoration> {
  const files = filesOf(input);
  const own = [...builtIn(input), ...(files === undefined ? [] : [files.restorer])];
  const restorers = [...own, ...input.restorers].sort((one, other) => rank(one) - rank(other));
  const announced = isObject(input.announced) ? input.announced : {};
  const isVisible = visibilityOf(input);
  const answers = await Promise.all(
    restorers.map((restorer) =>
      runRestorer(
        restorer,
        {
          ...shareOf(restorer, input),
          measure: (text) => measureText(text, input.measure),
          isVisible,
          announced: readFingerprints(announced[restorer.name]),
        },
        input,
      ),
    ),
  );
  const filling = new Filling(input, isVisible);
  for (const [index, restorer] of restorers.entries()) {
    const before = readFingerprints(announced[restorer.name]);
    const answer = answers[index]!;
    let { items } = answer;
    if (files !== undefined && restorer === files.restorer) {
      filling.keepForSkills(restorers.slice(index + 1), answers.slice(index + 1));
      items = items && (await files.itemsWithin(filling.filesTokens));
    }
    filling.add(restorer, { ...answer, items }, before);
  }
  return filling.restoration();
}

function builtIn(input: RestorationInput): readonly Restorer[] {
  const planTokens = scaleTokens(RESTORE_DEFAULTS.planTokens, input.windowTokens);
  return [
    ...(input.plan === "off" ? [] : [planRestorer(input.digest, input.plan ?? {}, planTokens, input)]),
    ...skillsRestorers(input),
  ];
}

function filesOf(input: RestorationInput): RecentFiles | undefined {
  const { windowTokens, measure, fileReader, readEntry, files, hasHistoryTools } = input;
  if (files === "off") return undefined;
  return recentFiles({
    ...{ source: input, measure, hasHistoryTools, turns: input.turns },
    ...(fileReader === undefined ? {} : { reader: fileReader }),
    ...(readEntry === undefined ? {} : { readEntry }),
    budget: files ?? fileBudget(windowTokens, limitsOf(input)),
  });
}

/** Skills in use come after a host's own list of them, which goes before. */
const SKILLS_PRIORITY = 60;

/** The restorer of skills that the log shows in use; none where there are none. */
function skillsRestorers({ skills = [], readEntry }: RestorationInput): readonly Restorer[] {
  if (skills.length === 0 || readEntry === undefined) return [];
  const list = async (): Promise<readonly ListedThing[]> =>
    Promise.all(
      skills.toReversed().map(async ({ name, seq, block }) => {
        const found = (await readEntry(seq).catch(() => undefined))?.[block];
        return { key: name, text: found === undefined ? "" : blockText(found) };
      }),
    );
  return [
    listRestorer({
      ...{ name: "invoked-skills", kind: "skill", label: "Skill in use", form: "each" },
      ...{ priority: SKILLS_PRIORITY, list },
    }),
  ];
}

function rank({ priority }: Restorer): number {
  return typeof priority === "number" && Number.isFinite(priority) ? priority : PRIORITY;
}

function shareOf(
  { budgetTokens, itemTokens }: Restorer,
  input: RestorationInput,
): { readonly budgetTokens: number; readonly itemTokens: number } {
  const own = budgetTokens ?? scaleTokens(RESTORE_DEFAULTS.listTokens, input.windowTokens);
  const all = Math.max(0, Math.min(own, input.budgetTokens));
  const item = itemTokens ?? scaleTokens(limitsOf(input).restoredItemTokens, input.windowTokens);
  // A shared budget may be larger than a list's.
  const most = budgetTokens === undefined ? input.budgetTokens : all;
  return { budgetTokens: all, itemTokens: Math.max(0, Math.min(item, most)) };
}

/** Kinds of items that share one budget across restorers, unless their restorer has its own. */
const SHARED_BUDGETS = [
  { kinds: ["skill", "mcp-instructions"], tokensOf: (limits: LayerLimits) => limits.restoredSkillsTokens },
  { kinds: ["instructions", "git-status"], tokensOf: () => RESTORE_DEFAULTS.sessionStartTokens },
] as const;

/** Share of the room of files that is kept for skills, as far as they need it. Our choice: skills say how to work, and in small windows files alone would take everything. */
const SKILLS_SHARE = 0.5;
const SKILL_KINDS: ReadonlySet<string> = new Set(SHARED_BUDGETS[0].kinds);

/** A budget that is being used up. */
interface Budget {
  leftTokens: number;
}

/** The shared budgets of one restoration, by kind. */
function sharedBudgets(input: RestorationInput): ReadonlyMap<string, Budget> {
  return new Map(
    SHARED_BUDGETS.flatMap(({ kinds, tokensOf }) => {
      const budget = { leftTokens: scaleTokens(tokensOf(limitsOf(input)), input.windowTokens) };
      return kinds.map((kind) => [kind, budget] as const);
    }),
  );
}

/** True if the request contains exactly this text already. */
function visibilityOf({ tail, systemPrompt, summaryTexts }: RestorationInput): (text: string) => boolean {
  const shown = tail.flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block)));
  const texts = [...shown, ...summaryTexts, ...(systemPrompt === undefined ? [] : [systemPrompt])];
  return (text) => text.trim() !== "" && texts.some((one) => one.includes(text.trim()));
}

class Filling {
  readonly #measure: Measure;
  readonly #input: RestorationInput;
  readonly #isVisible: (text: string) => boolean;
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  readonly #events: RestorationEvent[] = [];
  readonly #announced: Record<string, JsonObject> = {};
  readonly #shared: ReadonlyMap<string, Budget>;
  #leftTokens: number;
  /** Part of them that only skills may take. */
  #keptTokens = 0;

  constructor(input: RestorationInput, isVisible: (text: string) => boolean) {
    this.#input = input;
    this.#measure = input.measure;
    this.#isVisible = isVisible;
    this.#shared = sharedBudgets(input);
    this.#leftTokens = input.budgetTokens - measureText(RESTORED_OPENING, input.measure);
  }

  /** The room that files are cut to: all there is at first, except what is kept for skills. */
  get filesTokens(): number {
    const { budgetTokens, measure } = this.#input;
    return budgetTokens - measureText(RESTORED_OPENING, measure) - this.#keptTokens;
  }

  /** Keeps tokens for the skills among the answers of `restorers`, as far as they need them. */
  keepForSkills(restorers: readonly Restorer[], answers: readonly RestorerAnswer[]): void {
    const sizes = restorers.flatMap((restorer, index) =>
      this.#skillSizes(answers[index]?.items ?? [], shareOf(restorer, this.#input).itemTokens),
    );
    const neededTokens = sizes.reduce((sum, tokens) => sum + tokens, 0);
    const most = this.#shared.get("skill")?.leftTokens ?? 0;
    const share = Math.max(0, this.#leftTokens) * SKILLS_SHARE;
    this.#keptTokens = Math.min(neededTokens, most, share);
  }

  /** The tokens that each skill needs, of those that cannot be read anyway. */
  #skillSizes(items: readonly RestoredItem[], itemTokens: number): readonly number[] {
    const skills = items.filter(
      (item) => SKILL_KINDS.has(item.kind) && item.isVisible !== true && !this.#isVisible(item.text),
    );
    return skills.map((item) => Math.min(itemTokens, measureText(asText(item, item.text), this.#measure)));
  }

  add(restorer: Restorer, { items, events }: RestorerAnswer, before: Readonly<Record<string, number>>): void {
    const { name } = restorer;
    addAll(this.#events, events);
    // If a restorer failed, its changes are unknown: its last announcement still counts.
    const counts: Record<string, number> = items === undefined ? { ...before } : {};
    const limits = shareOf(restorer, this.#input);
    const own: Budget = { leftTokens: limits.budgetTokens };
    const fairTokens = this.#fairSkillTokens(restorer, items ?? [], limits);
    for (const item of items ?? []) {
      const shared = restorer.budgetTokens === undefined ? this.#shared.get(item.kind) : undefined;
      const budget = shared ?? own;
      const isSkill = SKILL_KINDS.has(item.kind);
      const leftTokens = isSkill ? this.#leftTokens : this.#leftTokens - this.#keptTokens;
      const itemTokens = isSkill ? Math.min(limits.itemTokens, fairTokens) : limits.itemTokens;
      const maxTokens = Math.min(itemTokens, budget.leftTokens, leftTokens);
      const done = this.#place(item, maxTokens);
      if ("reason" in done) {
        this.#skip(name, item, done.reason);
        if (done.reason !== "visible") continue;
      } else {
        this.#texts.push(done.text);
        this.#leftTokens -= done.tokens;
        if (isSkill) this.#keptTokens = Math.max(0, this.#keptTokens - done.tokens);
        budget.leftTokens -= done.tokens;
        const { kind, key } = item;
        this.#events.push({
          type: "restored",
          restorer: name,
          kind,
          key,
          tokens: Math.ceil(done.tokens),
          isCut: done.isCut,
        });
      }
      // If a list was cut, it is unknown which names the model saw.
      const isCutList = "isCut" in done && done.isCut && Object.keys(item.announces ?? {}).length > 1;
      if (!isCutList) Object.assign(counts, item.announces ?? { [item.key]: fingerprint(item.text) });
    }
    const kept = Object.entries(counts).slice(0, ANNOUNCED_COUNT);
    if (kept.length > 0) this.#announced[name] = Object.fromEntries(kept);
  }

  /**
   * The most of one skill. In windows too small for the whole limit of one, short ones are shown whole and the first others
   * share what is left; in larger ones each may have its limit, the first ones first, as in Claude Code.
   */
  #fairSkillTokens(
    restorer: Restorer,
    items: readonly RestoredItem[],
    { itemTokens, budgetTokens }: { readonly itemTokens: number; readonly budgetTokens: number },
  ): number {
    if (itemTokens >= limitsOf(this.#input).restoredItemTokens.tokens) return itemTokens;
    const shared = restorer.budgetTokens === undefined ? this.#shared.get("skill") : undefined;
    const leftTokens = Math.min(shared?.leftTokens ?? budgetTokens, this.#leftTokens);
    // As many as can have enough to be shown at all, with as much again for what stands around each.
    const most = Math.max(1, Math.floor(leftTokens / (2 * LEAST_FILE_TOKENS)));
    return fairShare(this.#skillSizes(items, itemTokens).slice(0, most), leftTokens);
  }

  restoration(): Restoration {
    const texts = this.#texts.length === 0 ? [] : [RESTORED_OPENING, ...this.#texts];
    const content = texts.map((text) => ({ type: "text", text }) as const);
    return {
      messages: content.length === 0 ? [] : [{ role: "user", origin: "restored", content }],
      events: this.#events,
      tokens: content.reduce((sum, block) => sum + this.#measure(block), 0),
      announced: this.#announced,
    };
  }

  #place(
    item: RestoredItem,
    availableTokens: number,
  ):
    | { readonly text: string; readonly tokens: number; readonly isCut: boolean }
    | { readonly reason: RestoreSkipReason } {
    const identity = identityOf(item);
    if (this.#seen.has(identity)) return { reason: "duplicate" };
    const isVisible = item.isVisible === true || this.#isVisible(item.text);
    if (!isVisible && item.text.trim() === "") return { reason: "empty" };
    const text = isVisible ? undefined : fitItem(item, availableTokens, this.#measure);
    if (!isVisible && text === undefined) return { reason: "budget" };
    // Only what the model can read takes the place of another of its name.
    this.#seen.add(identity);
    if (text === undefined) return { reason: "visible" };
    const isCut = item.isCut === true || text !== asText(item, item.text);
    return { text, tokens: measureText(text, this.#measure), isCut };
  }

  #skip(restorer: string, { kind, key }: RestoredItem, reason: RestoreSkipReason): void {
    this.#events.push({ type: "restore-skipped", restorer, kind, key, reason });
  }
}

/** A file and an instruction file with the same path are one, across restorers. */
function identityOf({ kind, key }: RestoredItem): string {
  const isFile = kind === "file" || kind === "instructions";
  return JSON.stringify(isFile ? ["file", normalisePath(key) ?? key] : [kind, key]);
}

function asText({ kind, key, label, title, note }: RestoredItem, text: string): string {
  return formatRestored({
    label: label ?? kind,
    title: title ?? key,
    note,
    text,
  });
}

/** Passes with a shorter text, where it measured too large. */
const PASSES = 6;

/** The item within its room, its end left out where it has to be; `undefined` where nothing of use fits. */
function fitItem(item: RestoredItem, availableTokens: number, measure: Measure): string | undefined {
  let kept = item.text;
  for (let pass = 0; pass < PASSES; pass++) {
    const missing = item.text.length - kept.length;
    const body = missing === 0 ? kept : `${kept}\n[… ${missing} characters are not shown …]`;
    const text = asText(item, body);
    const tokens = measureText(text, measure);
    if (tokens <= availableTokens) return text;
    const frame = measureText(asText(item, ""), measure);
    if (availableTokens - frame < LEAST_FILE_TOKENS) return undefined;
    kept = cutHead(
      kept,
      Math.floor((kept.length * (availableTokens - frame) * 0.9) / Math.max(1, tokens - frame)),
    );
  }
  return undefined;
}
