/**
 * The checks of a session in plain words, each with a tick or a cross and its figures.
 */

import { showOnOneLine } from "palimpsest/internal";
import type { ContextBudget } from "palimpsest/tokens";
import { wrapWords } from "../../terminal/columns.ts";
import {
  formatBytes,
  formatCount,
  formatQuantity,
  formatShare,
  formatTokens,
} from "../../terminal/figures.ts";
import type { Styles } from "../../terminal/styles.ts";
import type { PromptFigures, ReplayedSession } from "../measure/replay-json.ts";
import type { FoundViolation } from "../measure/session-track.ts";

/** A session's figures, and details of failed checks. */
export interface SessionChecks {
  readonly result: ReplayedSession;
  readonly budget: ContextBudget;
  readonly violations: readonly FoundViolation[];
  /** Pointers of blocks that could not be read back. */
  readonly lost: readonly string[];
  /** Calls whose windows came out different, counted from 1. */
  readonly differentCalls: readonly number[];
}

/** Width and colours of a report. */
export interface ReportLayout {
  readonly columns: number;
  readonly styles: Styles;
}

/** Width of the names of checks, so that what is said about them begins in one column. */
const NAME_COLUMNS = 13;
/** In a narrower terminal the name of a check gets a separate line: 20 columns of words are hard to read. */
const NARROW_COLUMNS = 40;
/** Details of a failed check that are shown: the first ones say what is wrong. */
const DETAILS_SHOWN_COUNT = 5;

export interface Check {
  /** `undefined` if nothing is judged. */
  readonly holds: boolean | undefined;
  readonly name: string;
  readonly words: string;
  readonly details: readonly string[];
}

export function checksOf(session: SessionChecks): readonly Check[] {
  const remarks = [...notRead(session), ...estimates(session)];
  if (session.result.calls === 0) return [NO_CALLS, isLossless(session), ...remarks];
  return [fits(session), isAccepted(session), isLossless(session), isRebuilt(session), ...remarks];
}

/** Nothing was prepared, so nothing can be said for it. */
const NO_CALLS: Check = {
  holds: undefined,
  name: "No calls",
  words: "nothing in it would have been sent to a model, so no request was prepared or judged",
  details: [],
};

/** The check with its sign, broken into lines. */
export function formatCheck(
  { holds, name, words, details }: Check,
  { columns, styles }: ReportLayout,
): readonly string[] {
  const sign = holds === undefined ? styles.dim("·") : holds ? styles.green("✓") : styles.red("✗");
  const isNarrow = columns < NARROW_COLUMNS;
  const first = `  ${sign} ${styles.bold(isNarrow ? name : name.padEnd(NAME_COLUMNS))} `;
  return [
    ...(isNarrow
      ? [first.trimEnd(), ...wrapWords("    ", words, columns)]
      : wrapWords(first, words, columns)),
    ...details.flatMap((detail) => wrapWords("      ", showOnOneLine(detail), columns).map(styles.dim)),
  ];
}

/** A window without the prompt that its session was sent with proves nothing of the window with it. */
function fits({ result, budget }: SessionChecks): Check {
  const { calls, peakTokens, overflows, fits: holds, prompt } = result;
  const limit = formatTokens(budget.blockingTokens);
  const ofCalls = formatQuantity(calls, "call");
  const largest = `the largest request has ${formatTokens(peakTokens)} tokens`;
  if (holds === undefined)
    return {
      holds,
      name: "Not judged",
      words: `${ofCalls}: ${largest}, the limit is ${limit}, but ${PROMPT_WORDS.unknown(prompt)}`,
      details: [],
    };
  return {
    holds,
    name: "It fits",
    words: holds
      ? `${ofCalls}: ${largest} with ${PROMPT_WORDS[prompt.source](prompt)}; the limit is ${limit}`
      : `${formatCount(overflows)} of ${ofCalls} above the limit of ${limit}; ${largest}`,
    details: [],
  };
}

const PROMPT_WORDS: Readonly<Record<PromptFigures["source"], (prompt: PromptFigures) => string>> = {
  recorded: ({ tokens }) => `${formatTokens(tokens)} of system prompt and tools, as recorded`,
  fixed: ({ tokens }) => `${formatTokens(tokens)} of system prompt and tools, as given by --fixed`,
  billed: ({ tokens }) => `about ${formatTokens(tokens)} of system prompt and tools, as billed`,
  unknown: () =>
    "the recording lacks the system prompt or the tools it was sent with, and does not say what was billed. Pass --fixed N to reserve N tokens for them",
};

function isAccepted({ result, violations }: SessionChecks): Check {
  const { checked, broken } = result.invariants;
  const shown = violations.slice(0, DETAILS_SHOWN_COUNT);
  const more = violations.length - shown.length;
  return {
    holds: broken === 0,
    name: "It is valid",
    words:
      broken === 0
        ? `${formatQuantity(checked, "request")} judged by the rules of Anthropic and OpenAI: none would be refused`
        : `${formatCount(broken)} of ${formatQuantity(checked, "request")} would be refused by their provider`,
    details: [
      ...shown.map(
        ({ call, vendor, rule, path, message }) => `call ${call}, ${vendor}, ${rule} at ${path}: ${message}`,
      ),
      ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
    ],
  };
}

function isLossless({ result, lost }: SessionChecks): Check {
  const { blocks, recovered } = result.lossless;
  const hasGaps = result.notRead.records > 0 || result.notRead.isCutOff;
  const whole = blocks === 1 ? "the 1 original block" : `all ${formatQuantity(blocks, "original block")}`;
  return {
    // If parts of the file could not be read, recovering the others does not earn a tick.
    holds: recovered < blocks ? false : hasGaps ? undefined : true,
    name: hasGaps ? "What was read" : "Nothing lost",
    words:
      recovered === blocks
        ? `${whole} read back by pointer, byte for byte`
        : `${formatCount(blocks - recovered)} of ${formatQuantity(blocks, "original block")} could not be read back as they were`,
    details: listed("pointers", lost),
  };
}

/** Parts of the file that could not be read. */
function notRead({ result }: SessionChecks): readonly Check[] {
  const { records, bytes, isCutOff } = result.notRead;
  if (records === 0 && !isCutOff) return [];
  const lost = `${formatQuantity(records, "record")} of ${formatBytes(bytes)}`;
  const words = [
    ...(records > 0
      ? [`${lost} in the file could not be read and ${records === 1 ? "is" : "are"} missing here`]
      : []),
    ...(isCutOff ? ["the file is cut off: what came after is not known"] : []),
  ];
  return [{ holds: undefined, name: "Not read", words: words.join("; "), details: [] }];
}

function isRebuilt({ result, differentCalls }: SessionChecks): Check {
  const { checked, different } = result.rebuild;
  return {
    holds: different === 0,
    name: "It is exact",
    words:
      different === 0
        ? `${formatQuantity(checked, "earlier window")} built again from the reopened log: identical`
        : `${formatCount(different)} of ${formatQuantity(checked, "earlier window")} came out different from the reopened log`,
    details: listed("calls", differentCalls.map(String)),
  };
}

function estimates({ result: { estimator } }: SessionChecks): readonly Check[] {
  if (estimator === undefined) return [];
  const { calls, medianError, p95Error } = estimator;
  const words = `context size predicted for ${formatQuantity(calls, "billed call")}: off by ${formatError(medianError)} in the middle, ${formatError(p95Error)} at the 95th percentile`;
  return [{ holds: undefined, name: "Estimates", words, details: [] }];
}

function formatError(share: number): string {
  return share < 0.001 ? `${(share * 100).toFixed(2)} %` : formatShare(share);
}

function listed(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, DETAILS_SHOWN_COUNT);
  return [`${what}: ${shown.join(", ")}${names.length > shown.length ? " …" : ""}`];
}
