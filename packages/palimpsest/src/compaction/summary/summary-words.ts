/**
 * The user's own words in a summary: verbatim within a budget, newest first, and the very first
 * message (the task) always.
 */
import { findBroken } from "../../base/redaction/broken-secrets.ts";
import type { SecretSpan } from "../../base/redaction/secret-patterns.ts";
import type { Steps } from "../../base/steps.ts";
import type { Digest, Words } from "../digest/digest.ts";
import { previewText } from "../preview/preview.ts";
import { type Measure, measureText } from "../shared/measure.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import { quote } from "../shared/quoted-lines.ts";

interface SummaryWords {
  /** The first message and, where it is another one, the latest that is summarised. */
  readonly request: readonly string[];
  /** All messages in the order in which they were said. */
  readonly messages: readonly string[];
  /** Entries that are quoted in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
}

/** The first message gets this share of the budget at the most, and the latest one the same. */
const REQUEST_SHARE = 0.3;
/** Any other message gets this share at the most, so that one pasted log does not displace ten wishes. */
const MESSAGE_SHARE = 0.2;
/** Less room than this is not worth a preview, in tokens. */
const LEAST_PREVIEW_TOKENS = 80;
const POINTERS_LISTED = 40;
const LATEST = "Latest message of the user that is summarised here ({pointer})";

/**
 * Chooses and quotes the words said up to `throughSeq`; the window shows later ones in any case.
 * `isUnlimited`: the budget is all the room there is, and no message is shortened if all of them fit.
 */
export function* composeUserWords(
  digest: Digest,
  options: HistoryAccess & {
    readonly throughSeq: number;
    readonly budgetTokens: number;
    readonly isUnlimited?: boolean;
  },
  measure: Measure,
): Steps<SummaryWords> {
  const earlierWords = digest.userWords.filter(({ seq }) => seq <= options.throughSeq);
  const first = earlierWords[0];
  if (first === undefined)
    return { request: ["The user has said nothing so far."], messages: [], verbatimSeqs: new Set() };

  const verbatimSeqs = new Set<number>();
  let leftTokens = options.budgetTokens;
  const take = (words: Words, label: string, limitTokens: number): string | undefined => {
    const quoted = quoteWithin(words, Math.min(leftTokens, limitTokens), measure, options);
    if (quoted === undefined) return undefined;
    if (quoted.isVerbatim) verbatimSeqs.add(words.seq);
    leftTokens -= measureText(quoted.text, measure);
    return `${label.replace("{pointer}", words.pointer)}:\n${quoted.text}`;
  };

  const latest = earlierWords.length > 1 ? earlierWords.at(-1) : undefined;
  const fitAll = options.isUnlimited === true && (yield* measureQuoted(earlierWords, measure)) <= leftTokens;
  const requestTokens = fitAll ? leftTokens : leftTokens * REQUEST_SHARE;
  const messageTokens = fitAll ? leftTokens : leftTokens * MESSAGE_SHARE;
  const asked = [
    { words: first, text: take(first, "First message of the user ({pointer})", requestTokens) },
    ...(latest === undefined ? [] : [{ words: latest, text: take(latest, LATEST, requestTokens) }]),
  ];
  const request = asked.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const quoted = asked.flatMap(({ words, text }) => (text === undefined ? [] : [words]));

  const taken = new Map<Words, string>();
  const between = earlierWords.slice(1, -1).toReversed();
  for (const words of between) {
    if (!fitAll && leftTokens < LEAST_PREVIEW_TOKENS / 2) break;
    const text = take(words, "- {pointer}", messageTokens);
    if (text !== undefined) taken.set(words, text);
    yield;
  }
  return { request, messages: listMessages(earlierWords, quoted, taken), verbatimSeqs };
}

function* measureQuoted(messages: readonly Words[], measure: Measure): Steps<number> {
  let tokens = 0;
  for (const { text } of messages) {
    tokens += measureText(quote(text), measure);
    yield;
  }
  return tokens;
}

/** Each message in one way: quoted above, quoted here, or by its pointer. */
function listMessages(
  messages: readonly Words[],
  quoted: readonly Words[],
  taken: ReadonlyMap<Words, string>,
): readonly string[] {
  const left = messages.filter((words) => !quoted.includes(words) && !taken.has(words));
  const listed = left.slice(-POINTERS_LISTED).map(({ pointer }) => pointer);
  const lines = messages.map((words) => taken.get(words)).filter((text) => text !== undefined);
  if (left.length > 0)
    lines.unshift(
      `- ${left.length} older messages are not repeated here; newest of them: ${listed.join(", ")}`,
    );
  if (quoted.length > 0) {
    const pointers = quoted.map(({ pointer }) => pointer).join(" and ");
    lines.unshift(`- ${pointers} ${quoted.length === 1 ? "is" : "are"} quoted above.`);
  }
  return lines;
}

/** For words that were shortened before: they never change, and every compaction quotes them again, some several times. */
const knownSecrets = new WeakMap<Words, readonly SecretSpan[]>();

function secretsIn(words: Words): readonly SecretSpan[] {
  const found = knownSecrets.get(words) ?? findBroken(words.text);
  knownSecrets.set(words, found);
  return found;
}

/** The words as a quote: whole where they fit, else head and tail. */
function quoteWithin(
  words: Words,
  budgetTokens: number,
  measure: Measure,
  { hasHistoryTools }: HistoryAccess,
): { readonly text: string; readonly isVerbatim: boolean } | undefined {
  const { text, pointer, characters } = words;
  const whole = quote(text);
  const isWhole = characters <= text.length;
  if (measureText(whole, measure) <= budgetTokens) return { text: whole, isVerbatim: isWhole };
  if (budgetTokens < LEAST_PREVIEW_TOKENS / 2) return undefined;
  const secretsOf = () => secretsIn(words);
  const options = { budgetTokens: budgetTokens * 0.9, pointer, hasHistoryTools, secretsOf };
  const preview = previewText(text, options, measure);
  return preview === undefined ? undefined : { text: quote(preview), isVerbatim: false };
}
