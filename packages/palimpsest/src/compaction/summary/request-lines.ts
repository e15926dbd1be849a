/**
 * The user's requests in a summary, each with what came of it in the log: finished work is not begun again, and demands
 * that neither the summary nor the quoted words have are not forgotten.
 */
import { shorten } from "../../base/text/text.ts";
import type { Digest } from "../digest/digest.ts";
import { openRequest, type RequestRecord } from "../digest/request-outcomes.ts";
import { type Measure, measureText } from "../shared/measure.ts";
import { inline } from "../shared/quoted-lines.ts";

/** Tokens of all lines, at the most. Our choice: some 30 requests. */
const REQUESTS_TOKENS = 1_500;
const HEADING = "## Requests of the user and what came of each, from the log";
/** Characters of a request that is quoted beside it in full, or that the summary tells. */
const KNOWN_CHARACTERS = 80;
const CHANGED_CHARACTERS = 80;
const DEMANDS_SHOWN = 3;
const DEMAND_CHARACTERS = 240;
/** Characters of one message in which demands are looked for: behind them is pasted data. */
const SEARCHED_CHARACTERS = 12_000;

interface RequestLinesOptions {
  readonly budgetTokens: number;
  /** The last entry whose requests are listed. */
  readonly throughSeq: number;
  /** Entries whose words are quoted in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
  /** True if the summary names what a text asks for. */
  readonly isCovered: (text: string) => boolean;
}

/** The section, with as many requests as fit: those that are not done or not in the summary first, then the newest. */
export function composeRequests(
  digest: Digest,
  options: RequestLinesOptions,
  measure: Measure,
): readonly string[] {
  const requests = digest.requests.filter(({ seq }) => seq <= options.throughSeq);
  const open = openRequest(digest.requests, digest.userWords);
  const described = requests.map((request) => describeRequest(request, request === open, digest, options));
  if (!described.some(({ hasMore }) => hasMore)) return [];
  let leftTokens =
    Math.min(REQUESTS_TOKENS, options.budgetTokens) - measureText(`${HEADING}\n\n- and 999 more`, measure);
  const taken = new Set<string>();
  for (const { line } of described
    .toReversed()
    .sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent))) {
    leftTokens -= measureText(`${line}\n`, measure);
    if (leftTokens < 0) break;
    taken.add(line);
  }
  if (taken.size === 0) return [];
  const lines = described.filter(({ line }) => taken.has(line)).map(({ line }) => line);
  const left = described.length - lines.length;
  return [[HEADING, "", ...(left > 0 ? [`- and ${left} more`] : []), ...lines].join("\n")];
}

interface DescribedRequest {
  readonly line: string;
  /** True if the quoted words lack it: an outcome, or a demand that the summary dropped. */
  readonly hasMore: boolean;
  readonly isUrgent: boolean;
}

function describeRequest(
  request: RequestRecord,
  isOpen: boolean,
  { userWords }: Digest,
  { verbatimSeqs, isCovered }: RequestLinesOptions,
): DescribedRequest {
  const { seq, pointer, text, answer, failure } = request;
  const isDropped = !verbatimSeqs.has(seq) && !isCovered(text);
  const words = verbatimSeqs.has(seq) ? undefined : userWords.find((one) => one.pointer === pointer)?.text;
  const demands = findDemands(words ?? "", (sentence) => !text.includes(sentence) && !isCovered(sentence));
  const line = [
    `- ${pointer} "${inline(isDropped ? text : shorten(text, KNOWN_CHARACTERS))}": ${describeOutcome(request, isOpen)}`,
    ...demands.map((demand) => `  - demanded there: "${inline(demand)}"`),
  ].join("\n");
  return {
    line,
    hasMore: !isOpen || isDropped || demands.length > 0,
    isUrgent: answer === undefined || failure !== undefined || isDropped || demands.length > 0,
  };
}

function describeOutcome(
  { answer, answerPointer, failure, changesCount, lastChanged }: RequestRecord,
  isOpen: boolean,
): string {
  const changed =
    changesCount === 0 || lastChanged === undefined
      ? ""
      : `; ${changesCount} ${changesCount === 1 ? "change" : "changes"}, last in ${inline(shorten(lastChanged, CHANGED_CHARACTERS))}`;
  const failed = failure === undefined || failure === "" ? "" : `; its last call failed: ${inline(failure)}`;
  if (answer !== undefined) return `answered (${answerPointer}): "${inline(answer)}"${changed}${failed}`;
  return `${isOpen ? "open" : "cut short by the next message"}${changed}${failed}`;
}

/** Words of a sentence that demands or forbids, in some languages; in others the beginning of a message counts. */
const DEMAND_WORDS = [
  ...[
    "must",
    "never",
    "always",
    "don['’]?t",
    "do not",
    "only",
    "make sure",
    "instead of",
    "should(?:n['’]t| not)?",
  ],
  ...["nicht", "nie", "niemals", "immer", "muss", "nur"],
  ...["jamais", "toujours", "doit", "nunca", "siempre", "debe", "sempre", "deve", "solo", "apenas"],
];
const DEMAND_SIGNS = [
  ...["必须", "必須", "不要", "绝不", "絕不", "总是", "總是", "禁止", "务必", "務必", "不能", "只能"],
  ...["必ず", "しないで", "決して", "てはいけない"],
  ...["반드시", "절대", "항상", "하지 마", "금지"],
  ...["никогда", "всегда", "нельзя", "должн"],
].join("|");
const DEMAND = new RegExp(`\\b(?:${DEMAND_WORDS.join("|")})\\b|${DEMAND_SIGNS}`, "iu");

/** The first sentences of a message that demand or forbid something, and that are missing elsewhere. */
function findDemands(text: string, isMissing: (sentence: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const line of text.slice(0, SEARCHED_CHARACTERS).split(/\n|(?<=[.!?。！？])\s+|(?<=[。！？])/u)) {
    const sentence = line.replace(/^\s*(?:[-*>]|\d{1,3}[.)])\s+/, "").trim();
    if (sentence.length <= DEMAND_CHARACTERS && DEMAND.test(sentence) && isMissing(sentence))
      found.push(sentence);
    if (found.length === DEMANDS_SHOWN) break;
  }
  return found;
}
