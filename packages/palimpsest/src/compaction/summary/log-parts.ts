/**
 * The parts of a summary that come from the log, and not from the model: the user's own words, the string
 * appendix, and open tasks that the text does not name.
 */
import type { Steps } from "../../base/steps.ts";
import type { Digest } from "../digest/digest.ts";
import { openTodos } from "../digest/todo-state.ts";
import { byRank, findBestLiterals, type LiteralLedger } from "../literals/literal-ledger.ts";
import { type LiteralKind, literalsOfText } from "../literals/literals.ts";
import { fitPrefix, type Measure, measureText } from "../shared/measure.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import { inline, LOG_STRINGS_HEADING, neutralise } from "../shared/quoted-lines.ts";
import { composeUserWords } from "./summary-words.ts";

/** Share of what is left beside the model's text that the user's words may take. Our choice. */
export const WORDS_SHARE_OF_REST = 0.6;
/** Kept free for the appendix's heading and for joining the parts, in tokens. Our choice: some twice what they take. */
const APPENDIX_FRAME_TOKENS = 60;
/** Share of the words of an open task that a summary must have to have told it. Our choice. */
const TASK_WORDS_SHARE = 0.6;

interface LogPartsOptions extends HistoryAccess {
  /** All that the parts may take. */
  readonly budgetTokens: number;
  /** The budget of the user's words; infinite: all that fits. */
  readonly userWordsTokens: number;
  readonly appendixTokens: number;
  /** The last entry whose words are quoted. */
  readonly throughSeq: number;
  /** The text beside them: its strings are not repeated. */
  readonly shownText: string;
  /** Literals that the window shows in any case. */
  readonly visibleLiterals: ReadonlySet<string>;
}

interface LogParts {
  /** With their headings; none where nothing fits. */
  readonly sections: readonly string[];
  /** Entries whose user words are quoted in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
}

/** The user's words and the strings, as many as fit the budget. */
export function* composeLogParts(
  digest: Digest,
  options: LogPartsOptions,
  measure: Measure,
): Steps<LogParts> {
  const { budgetTokens, userWordsTokens, appendixTokens, throughSeq, shownText, visibleLiterals } = options;
  const words = yield* composeUserWords(
    digest,
    {
      throughSeq,
      budgetTokens: Math.min(userWordsTokens, budgetTokens * WORDS_SHARE_OF_REST),
      hasHistoryTools: options.hasHistoryTools,
      isUnlimited: userWordsTokens === Number.POSITIVE_INFINITY,
    },
    measure,
  );
  const quoted = ["## The user's own words, from the log", ...words.request, ...words.messages].join("\n\n");
  const hasWords = measureText(quoted, measure) <= budgetTokens && words.request.length > 0;
  const wordsText = hasWords ? quoted : "";
  const shown = yield* literalsOfText(`${shownText}\n${wordsText}`);
  const strings = yield* composeAppendix(
    yield* rankForAppendix(digest.literals, appendixTokens),
    {
      budgetTokens: Math.min(
        appendixTokens,
        budgetTokens - measureText(wordsText, measure) - APPENDIX_FRAME_TOKENS,
      ),
      isShown: (text) => shown.has(text) || visibleLiterals.has(text),
    },
    measure,
  );
  const appendix = strings.length === 0 ? [] : [`${LOG_STRINGS_HEADING}\n\n${strings.join(" ")}`];
  return {
    sections: hasWords ? [wordsText, ...appendix] : appendix,
    verbatimSeqs: hasWords ? words.verbatimSeqs : new Set(),
  };
}

/**
 * Tasks of the log that are open and that the text tells nothing of, as a section: as many as fit; none where it
 * names all.
 */
export function composeDroppedTasks(
  digest: Digest,
  text: string,
  fits: (section: string) => boolean = () => true,
): readonly string[] {
  const isCovered = coverageOf(text);
  const tasks = [...openTodos(digest.todos).map((task) => task.text), ...planSteps(digest)]
    .filter((task) => !isCovered(task))
    .map((task) => `- ${inline(task)}`);
  for (let count = tasks.length; count > 0; count--) {
    const more = count === tasks.length ? [] : [`- and ${tasks.length - count} more`];
    const lines = [...tasks.slice(0, count), ...more].join("\n");
    const section = `## Open tasks that the summary does not name, from the log\n\n${lines}`;
    if (fits(section)) return [section];
  }
  return [];
}

/** The steps of the plan that the user has seen, if the agent keeps no list of tasks. */
function planSteps({ plan, todos }: Digest): readonly string[] {
  if (plan === undefined || todos.listed.size > 0) return [];
  const steps = plan.text.matchAll(/^ {0,1}(?:[-*]|\d{1,2}[.)])[ \t]+(?:\[ \][ \t]+)?(?!\[[xX]\])(\S.*)$/gm);
  return Array.from(steps, ([, step]) => step!.slice(0, STEP_CHARACTERS)).slice(0, STEPS_SHOWN);
}

const STEPS_SHOWN = 12;
const STEP_CHARACTERS = 200;

/** Returns a check if a text names a task, in whatever words: most words of the task are in it. */
export function coverageOf(text: string): (task: string) => boolean {
  const knownWords = new Set(wordsOf(text));
  return (task) => {
    const words = wordsOf(task);
    return words.filter((word) => knownWords.has(word)).length >= words.length * TASK_WORDS_SHARE;
  };
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];

// The string appendix: identifiers, paths and other literals of the whole session that are most likely to
// be needed letter by letter. A summary keeps about a quarter of the strings that are used later; this list
// keeps most of the rest for a few tokens each (where-the-numbers-come-from.md, "String appendix").

/** Candidates that are looked at for each token of the budget: some multiples of what it holds, and of what is shown elsewhere. */
const CANDIDATES_PER_TOKEN = 0.75;
/** A string costs more of the budget the longer it is; its score is divided by this power of its length. */
const LENGTH_POWER = 0.1;
const SEPARATOR = " ";
/** Strings that are written in one step. */
const WRITTEN_AT_ONCE = 1_024;

/** A string for the appendix. */
export interface AppendixCandidate {
  readonly literal: string;
  readonly kind: LiteralKind;
}

/** The strings most likely to be needed, best first: several times what an appendix of `budgetTokens` holds. */
export function* rankForAppendix(
  ledger: LiteralLedger,
  budgetTokens: number,
): Steps<readonly AppendixCandidate[]> {
  const count = Math.ceil(Math.max(0, budgetTokens) * CANDIDATES_PER_TOKEN);
  const best = yield* findBestLiterals(ledger, count);
  yield;
  const candidates = best.map((ranked) => ({
    ranked,
    value: ranked.score / Math.max(4, ranked.text.length) ** LENGTH_POWER,
  }));
  yield;
  candidates.sort((a, b) => b.value - a.value || byRank(a.ranked, b.ranked));
  yield;
  return candidates.map(({ ranked: { text, record } }) => ({ literal: text, kind: record.kind }));
}

/** As many of the candidates as fit, without those that `isShown` elsewhere in the window. */
export function* composeAppendix(
  candidates: readonly AppendixCandidate[],
  options: { readonly budgetTokens: number; readonly isShown: (text: string) => boolean },
  measure: Measure,
): Steps<readonly string[]> {
  const texts: string[] = [];
  for (const { literal, kind } of candidates) {
    if (options.isShown(literal)) continue;
    texts.push(neutralise(kind === "quoted" ? delimited(literal) : literal));
    if (texts.length % WRITTEN_AT_ONCE === 0) yield;
  }
  return yield* fitPrefix(texts, options.budgetTokens, measure, SEPARATOR);
}

/** Words with spaces and signs in them: one sees where the string begins and ends. */
function delimited(text: string): string {
  const mark = ["`", '"', "'"].find((quote) => !text.includes(quote));
  return mark === undefined ? text : `${mark}${text}${mark}`;
}
