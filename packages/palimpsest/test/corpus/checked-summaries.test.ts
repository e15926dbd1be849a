/**
 * Recorded summaries of real models, checked against the log that they retell: every string that is marked has a verdict
 * by a person in `checked-summaries.verdicts.json` (by its hash, because no text of the corpus is kept here), and almost
 * every corruption is marked.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { holdsLiteral } from "#compaction/literals/known-literal.ts";
import { type LiteralKind, visitLiterals } from "#compaction/literals/literals.ts";
import { LogWords } from "#compaction/literals/log-words.ts";
import { findVerified, markUnverified } from "#compaction/summary/unverified.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { blockText } from "#transcript/blocks.ts";
import { hasCorpus, recordedFiles } from "../../../../test/helpers/corpus.ts";

/** The part of the conversation that this summary retells was not recorded: its file begins shortly before it. */
const RECORDED_IN_PART: ReadonlySet<string> = new Set(["cc-entire-apierror#0", "cc-omp-77#0"]);

interface CheckedSummary {
  readonly name: string;
  readonly text: string;
  /** All that was said and seen before, in small letters. */
  readonly log: string;
  readonly isInLog: (literal: string, kind: LiteralKind) => boolean;
}

/** The recorded summaries in the order of the corpora, each with the log until then. */
async function readSummaries(): Promise<readonly CheckedSummary[]> {
  const summaries: CheckedSummary[] = [];
  for (const { id, path } of recordedFiles().filter(({ path }) => /claude-code|\/pi\//.test(path))) {
    const { sessions } = await importFile(path);
    for (const { items } of sessions) {
      let count = 0;
      const log = new RecordedLog(besideMessages(path));
      for (const item of items) {
        if (item.type === "message") log.add(item.message);
        if (item.type !== "boundary" || item.summary === undefined) continue;
        const name = `${id}#${count++}`;
        if (!RECORDED_IN_PART.has(name)) summaries.push(log.check(name, withoutFrame(item.summary)));
        log.addSummary(item.summary);
      }
    }
  }
  return summaries;
}

/** What the model saw and the recording keeps outside of messages: folder, branch, and words typed during a turn. */
function besideMessages(path: string): readonly string[] {
  const texts = new Set<string>();
  for (const line of gunzipSync(readFileSync(path)).toString("utf8").split("\n")) {
    if (line === "" || line === "[REDACTED]") continue;
    const record = JSON.parse(line) as Record<string, unknown>;
    const words = record["type"] === "queue-operation" ? [record["content"]] : [];
    for (const text of [record["cwd"], record["gitBranch"], ...words])
      if (typeof text === "string") texts.add(text);
  }
  return [...texts];
}

class RecordedLog {
  readonly #digest: Digest = createDigest();
  readonly #beside = new LogWords();
  readonly #texts: string[];
  #seq = 0;

  constructor(beside: readonly string[]) {
    this.#texts = [...beside];
    for (const text of beside) this.#beside.add(text);
  }

  add(message: Parameters<typeof addToDigest>[2]): void {
    addToDigest(this.#digest, ++this.#seq, message);
    this.#texts.push(...message.content.map((block) => blockText(block)));
  }

  addSummary(text: string): void {
    for (const literal of findVerified(text)) this.#beside.add(literal);
    this.#texts.push(text);
  }

  check(name: string, text: string): CheckedSummary {
    const [words, beside] = [this.#digest.words.copy(), this.#beside.copy()];
    return {
      name,
      text,
      log: this.#texts.join("\n").toLowerCase(),
      isInLog: (literal, kind) => holdsLiteral(words, literal, kind) || holdsLiteral(beside, literal, kind),
    };
  }
}

/** Without the sentences that the host puts before and after a summary. */
function withoutFrame(summary: string): string {
  const start =
    /^This session is being continued[\s\S]*?(?=\n(?:Summary:|Analysis:|\s*<analysis>|\s*1\.|#))/.exec(
      summary,
    );
  const text = summary.slice(start?.[0].length ?? 0);
  const end = text.search(
    /\n(?:If you need specific details from before compaction|Please continue the conversation from)/,
  );
  return (end === -1 ? text : text.slice(0, end)).trim();
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The strings that are marked, and how many were checked. */
function marksOf({ name, text, isInLog }: CheckedSummary) {
  const marks: { readonly summary: string; readonly kind: LiteralKind; readonly literal: string }[] = [];
  let checkedCount = 0;
  markUnverified(text, (literal, kind) => {
    checkedCount++;
    const isKnown = isInLog(literal, kind);
    if (!isKnown) marks.push({ summary: name, kind, literal });
    return isKnown;
  });
  return { marks, checkedCount };
}

interface Verdict {
  readonly summary: string;
  readonly kind: LiteralKind;
  readonly sha256: string;
  readonly verdict: "right" | "wrong";
  readonly reason: string;
}

let seed = 7;
function pick(count: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * count);
}

/** The text with one character replaced that matches, or `undefined` if none does. */
function replaceOne(text: string, matches: RegExp, other: (character: string) => string): string | undefined {
  const places = [...text.matchAll(matches)].map(({ index }) => index);
  if (places.length === 0) return undefined;
  const at = places[pick(places.length)]!;
  return text.slice(0, at) + other(text[at]!) + text.slice(at + 1);
}

function swapLetters(text: string): string | undefined {
  const places = [...text.matchAll(/(?=(\p{L})(\p{L}))/gu)].filter(
    ([, a, b]) => a!.toLowerCase() !== b!.toLowerCase(),
  );
  if (places.length === 0) return undefined;
  const at = places[pick(places.length)]!.index;
  return text.slice(0, at) + text[at + 1]! + text[at]! + text.slice(at + 2);
}

const letter = (text: string) =>
  replaceOne(text, /[a-z]/g, (one) =>
    String.fromCharCode(97 + ((one.charCodeAt(0) - 97 + 1 + pick(25)) % 26)),
  );
/** A digit of a number of four digits and more. */
const digit = (text: string) => {
  const number = /\d{4,}|\d{1,3}(?:[.,]\d{3})+/.exec(text);
  const changed =
    number === null
      ? undefined
      : replaceOne(number[0], /\d/g, (one) => `${(Number(one) + 1 + pick(9)) % 10}`);
  return changed === undefined ? undefined : text.replace(number![0], changed);
};
const hexDigit = (text: string) => replaceOne(text, /\d/g, (one) => `${(Number(one) + 1 + pick(9)) % 10}`);
/** Leaves one word of a sentence out. */
const word = (text: string) => {
  const words = text.split(" ");
  if (words.length < 4 || !/^[A-Za-z ,.'?!]+$/.test(text)) return undefined;
  const left = 1 + pick(words.length - 2);
  return words.filter((_, index) => index !== left).join(" ");
};

const CORRUPTIONS: Readonly<Record<LiteralKind, readonly ((text: string) => string | undefined)[]>> = {
  identifier: [swapLetters, letter],
  path: [swapLetters, letter],
  url: [letter, swapLetters],
  hash: [hexDigit],
  number: [digit],
  quoted: [letter, swapLetters, word, digit],
};

/** Each string that the log holds to the letter, altered in one way such that the log does not hold the result. */
function* corruptionsOf({ text, log, isInLog }: CheckedSummary) {
  for (const line of text.split("\n")) {
    const literals = new Map<string, LiteralKind>();
    visitLiterals(line, (literal, kind) => void literals.set(literal, kind));
    for (const [literal, kind] of literals) {
      // Sizes such as `1.5s` and places such as `12-34` are not checked.
      if (/^[\d.,–-]+[a-z%]{0,3}$/i.test(literal) && digit(literal) === undefined) continue;
      if (!log.includes(literal.toLowerCase()) || !isInLog(literal, kind)) continue;
      const alter = CORRUPTIONS[kind][pick(CORRUPTIONS[kind].length)]!;
      const altered = alter(literal);
      if (altered === undefined || log.includes(altered.toLowerCase())) continue;
      const corrupted = line.replace(literal, () => altered);
      let isLiteral = false;
      visitLiterals(corrupted, (found) => {
        isLiteral ||= found === altered;
      });
      if (isLiteral) yield { kind, literal, altered, line, corrupted };
    }
  }
}

const countMarks = (text: string): number => text.split("[unverified]").length - 1;

const hasBoth = hasCorpus && recordedFiles().some(({ id }) => id.startsWith("cc2-"));

describe.skipIf(!hasBoth)("recorded summaries (skipped without both corpora)", async () => {
  const summaries = hasBoth ? await readSummaries() : [];
  const verdicts: readonly Verdict[] = JSON.parse(
    readFileSync(new URL("./checked-summaries.verdicts.json", import.meta.url), "utf8"),
  );

  it("have no mark without a verdict, and at most one in twenty is wrong", () => {
    const all = summaries.map(marksOf);
    const marks = all.flatMap((one) => one.marks);
    const key = (mark: Pick<Verdict, "summary" | "kind" | "sha256">) =>
      `${mark.summary} ${mark.kind} ${mark.sha256}`;
    const found = marks.map((mark) => ({ ...mark, sha256: hashOf(mark.literal) }));
    const judged = new Set(verdicts.map(key));
    expect(
      found.filter((mark) => !judged.has(key(mark))).map((mark) => `${key(mark)} ${mark.literal}`),
    ).toEqual([]);
    const stillMarked = new Set(found.map(key));
    expect(verdicts.filter((verdict) => !stillMarked.has(key(verdict)))).toEqual([]);

    const wrong = verdicts.filter(({ verdict }) => verdict === "wrong");
    const checkedCount = all.reduce((sum, one) => sum + one.checkedCount, 0);
    expect({
      summaries: summaries.length,
      checkedCount,
      marks: marks.length,
      wrong: wrong.length,
    }).toEqual({ summaries: 32, checkedCount: 3_711, marks: 37, wrong: 1 });
    expect(wrong.length / marks.length).toBeLessThanOrEqual(0.05);
  });

  it("have 99 of 100 corruptions marked", () => {
    const counts = new Map<string, { made: number; marked: number }>();
    const missed: string[] = [];
    for (const summary of summaries)
      for (const { kind, altered, line, corrupted } of corruptionsOf(summary)) {
        const count = counts.get(kind) ?? { made: 0, marked: 0 };
        counts.set(kind, count);
        count.made++;
        const before = countMarks(markUnverified(line, summary.isInLog));
        if (countMarks(markUnverified(corrupted, summary.isInLog)) > before) count.marked++;
        else missed.push(`${kind}: ${hashOf(altered)}`);
      }
    const made = [...counts.values()].reduce((sum, count) => sum + count.made, 0);
    if (process.env["PALIMPSEST_FIGURES"] !== undefined) console.log(Object.fromEntries(counts));
    expect(made).toBeGreaterThan(1_500);
    expect(counts.size).toBe(6);
    expect(missed.length / made, missed.join("\n")).toBeLessThan(0.01);
  });
});
