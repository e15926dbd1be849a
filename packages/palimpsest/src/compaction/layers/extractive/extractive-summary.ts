/**
 * The extractive summary: nine sections and a string appendix from the digest, without a model.
 *
 * Everything in it is quoted from the log, so it is in the conversation's language and invents nothing. Each section has a
 * share of the budget; the sections filled after it share what it leaves unused. So the summary is as long as there are
 * facts, and never over its budget.
 */
import { finish, type Steps } from "../../../base/steps.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import type { Digest } from "../../digest/digest.ts";
import { openRequest } from "../../digest/request-outcomes.ts";
import { openTodos } from "../../digest/todo-state.ts";
import { literalsOfText } from "../../literals/literals.ts";
import { fitPrefix, type Lines, type Measure, measureText } from "../../shared/measure.ts";
import { inline } from "../../shared/quoted-lines.ts";
import {
  type AppendixCandidate,
  composeAppendix,
  rankForAppendix,
  WORDS_SHARE_OF_REST,
} from "../../summary/log-parts.ts";
import {
  type CompactionInput,
  type CompactionShape,
  type PartialSpan,
  planCompaction,
  planPartialCompaction,
  type SummaryComposer,
} from "../../summary/plan-compaction.ts";
import { composeUserWords } from "../../summary/summary-words.ts";
import {
  commandLines,
  conceptLines,
  currentWorkLines,
  EMPTY_SECTIONS,
  errorLines,
  fileLines,
  findingLines,
  layOut,
  pendingLines,
  type Sections,
  type SummaryOptions,
  snippetLines,
} from "./summary-sections.ts";

interface ExtractiveSummary {
  readonly text: string;
  /** Entries whose user words are quoted in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
}

/** Shares of the facts' budget, relative to the sections that `composeFacts` has not filled yet. */
const SHARES = {
  pending: 0.14,
  current: 0.24,
  errors: 0.16,
  files: 0.24,
  snippets: 0.1,
  findings: 0.8,
  commands: 0.12,
  concepts: 0.04,
};
/** Shares of the whole budget that user words and appendix may take when it is small. */
const USER_WORDS_SHARE = 0.36;
const APPENDIX_SHARE = 0.34;
/** The most of the assistant's last words, in characters; less where nothing fits otherwise. Our choice: small windows show their start. */
const LAST_WORDS_CHARACTERS = [2_400, 600, 200, 80];
/** Most attempts, each with a smaller budget: the whole text may measure more than the sum of its parts. */
const PASSES = 4;

export function* composeInSteps(
  digest: Digest,
  options: SummaryOptions,
  measure: Measure,
): Steps<ExtractiveSummary> {
  let budgetTokens = options.budgetTokens;
  const candidates = yield* rankForAppendix(digest.literals, options.appendixTokens);
  let summary = yield* compose(digest, candidates, { ...options, budgetTokens }, measure);
  for (let pass = 1; pass < PASSES; pass++) {
    const tokens = measureText(summary.text, measure);
    if (tokens <= options.budgetTokens) break;
    budgetTokens = Math.max(0, budgetTokens - (tokens - options.budgetTokens) * 1.2 - 8);
    summary = yield* compose(digest, candidates, { ...options, budgetTokens }, measure);
  }
  return summary;
}

function* compose(
  digest: Digest,
  candidates: readonly AppendixCandidate[],
  options: SummaryOptions,
  measure: Measure,
): Steps<ExtractiveSummary> {
  const frameTokens = measureText(layOut(EMPTY_SECTIONS, [], options), measure);
  const bodyTokens = Math.max(0, options.budgetTokens - frameTokens);

  const isUnlimited = options.userWordsTokens === Number.POSITIVE_INFINITY;
  const wordsShare = isUnlimited ? WORDS_SHARE_OF_REST : USER_WORDS_SHARE;
  const words = yield* composeUserWords(
    digest,
    {
      throughSeq: options.throughSeq,
      budgetTokens: Math.min(options.userWordsTokens, bodyTokens * wordsShare),
      isUnlimited,
      hasHistoryTools: options.hasHistoryTools,
    },
    measure,
  );
  const wordsTokens = measureText([...words.request, ...words.messages].join("\n"), measure);
  const appendixReserve = Math.min(options.appendixTokens, bodyTokens * APPENDIX_SHARE);
  const sections = yield* composeFacts(
    digest,
    {
      ...options,
      factsTokens: Math.min(options.factsTokens, Math.max(0, bodyTokens - wordsTokens - appendixReserve)),
    },
    measure,
  );
  const body = layOut({ ...sections, request: words.request, messages: words.messages }, [], options);
  const shown = yield* literalsOfText(body);
  const appendix = yield* composeAppendix(
    candidates,
    {
      budgetTokens: Math.min(options.appendixTokens, options.budgetTokens - measureText(body, measure)),
      isShown: (text) => shown.has(text) || options.visibleLiterals.has(text),
    },
    measure,
  );
  const text = layOut({ ...sections, request: words.request, messages: words.messages }, appendix, options);
  return { text, verbatimSeqs: words.verbatimSeqs };
}

function* composeFacts(
  digest: Digest,
  options: SummaryOptions,
  measure: Measure,
): Steps<Omit<Sections, "request" | "messages">> {
  let leftTokens = options.factsTokens;
  let sharesLeft = Object.values(SHARES).reduce((sum, share) => sum + share, 0);
  /** The first of several forms of a section of which something fits. */
  function* take(name: keyof typeof SHARES, ...forms: readonly Lines[]): Steps<readonly string[]> {
    const budget = sharesLeft <= 0 ? leftTokens : (leftTokens * SHARES[name]) / sharesLeft;
    let taken: readonly string[] = [];
    for (const lines of forms) if (taken.length === 0) taken = yield* fitPrefix(lines, budget, measure);
    if (taken.length > 0) leftTokens -= measureText(taken.join("\n"), measure);
    sharesLeft -= SHARES[name];
    return taken;
  }
  const { throughSeq } = options;
  const pending = yield* take("pending", pendingLines(digest));
  const concepts = yield* take("concepts", conceptLines(digest));
  const current = yield* take(
    "current",
    ...LAST_WORDS_CHARACTERS.map((characters) => currentWorkLines(digest, throughSeq, characters)),
  );
  const errors = yield* take("errors", errorLines(digest));
  const files = yield* take("files", fileLines(digest));
  const findings = yield* take("findings", findingLines(digest, throughSeq));
  const commands = yield* take("commands", commandLines(digest));
  const snippets = yield* take("snippets", snippetLines(digest));
  return {
    concepts,
    files: [...files, ...snippets],
    errors,
    solving: [
      ...headed("What the assistant found and decided, in its words:", inOrder(findings)),
      ...headed("Commands and how they ended, newest first:", commands),
    ],
    pending,
    current,
    next: nextStep(digest, options),
  };
}

const headed = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [heading, ...lines];

/** Sorts lines that start with a pointer (`m12`) by the order of the log. */
function inOrder(lines: readonly string[]): readonly string[] {
  const place = (line: string) => Number(/m(\d+)/.exec(line)?.[1] ?? 0);
  return lines.toSorted((a, b) => place(a) - place(b));
}

/** Has the user's newest words near its end, unless they follow in the tail or are answered: models go on with what comes last. */
function nextStep(digest: Digest, { hasTail, throughSeq }: SummaryOptions): readonly string[] {
  const active = openTodos(digest.todos)[0];
  const open = openRequest(digest.requests, digest.userWords);
  const asked = open !== undefined && open.seq <= throughSeq ? open : undefined;
  const lastWords = digest.assistantWords
    .findLast(({ seq }) => seq <= throughSeq)
    ?.text.trim()
    .split("\n")
    .at(-1);
  const ahead = [
    ...(active === undefined ? [] : [`- Next on the task list: "${inline(active.text)}"`]),
    ...(asked === undefined
      ? []
      : [`- The user's latest request, open (${asked.pointer}): "${inline(asked.text)}"`]),
  ];
  if (hasTail) return [...ahead, "- Go on from the newest messages, which follow below verbatim."];
  const words =
    lastWords === undefined ? [] : [`- The assistant's last line: "${inline(lastWords.slice(0, 400))}"`];
  return [...ahead, ...words, "- Go on with the latest request of the user unless it is answered."];
}

/**
 * Budgets of one extractive compaction, in tokens as `measure` counts them. `extractivePolicy` makes
 * the policy of a window of a given size.
 */
export interface ExtractivePolicy extends CompactionShape {
  /** The user's own words, verbatim. */
  readonly userWordsTokens: number;
  /** Files, commands, errors, decisions and open tasks. */
  readonly factsTokens: number;
  /** Strings that are likely to be needed to the letter. */
  readonly appendixTokens: number;
}

/** The window to compact, and the digest of everything ever said in it. */
interface ExtractiveInput extends CompactionInput {
  /** Folded from all original messages of the session's line. */
  readonly digest: Digest;
  readonly policy: ExtractivePolicy;
}

/**
 * Plans the compaction, of one side of a pivot where a `span` is given; or returns `undefined` where nothing
 * is gained or a call is pending.
 */
export function planExtractiveCompact(input: ExtractiveInput, span?: PartialSpan): LayerEdit | undefined {
  return finish(extractiveInSteps(input, span));
}

/** The same in steps. @internal */
export function* extractiveInSteps(
  input: ExtractiveInput,
  span: PartialSpan | undefined,
): Steps<LayerEdit | undefined> {
  const { digest, policy, measure } = input;
  const { userWordsTokens, factsTokens, appendixTokens } = policy;
  const writer: SummaryComposer = {
    kind: "extractive",
    ledger: digest.literals,
    compose: (budget) =>
      composeInSteps(digest, { ...budget, userWordsTokens, factsTokens, appendixTokens }, measure),
  };
  return span === undefined
    ? yield* planCompaction(input, writer)
    : yield* planPartialCompaction(input, span, writer);
}
