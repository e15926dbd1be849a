/**
 * When notes are due and what they cost, worked out from a journal of what happened, beside the engine: sizes are
 * those of the entries in the log, prices those of the model that was asked.
 */
import { shownOf } from "#session/history/hydrate.ts";
import type { JournalItem } from "#test/helpers/noted-session.ts";
import { estimateText } from "#tokens/estimate/character-automaton.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { Usage } from "#transcript/blocks.ts";
import type { Entry } from "#transcript/entries.ts";

/** The gates and the limits of notes in a window of this size. */
export const NOTES_RULES: Readonly<Record<number, NotesRules>> = {
  200000: {
    startTokens: 10_000,
    growthTokens: 5_000,
    sectionTokens: 2_000,
    totalTokens: 12_000,
    effectiveTokens: 180_000,
  },
  64000: {
    startTokens: 3_200,
    growthTokens: 1_600,
    sectionTokens: 640,
    totalTokens: 3_840,
    effectiveTokens: 57_600,
  },
  32000: {
    startTokens: 2_000,
    growthTokens: 1_000,
    sectionTokens: 500,
    totalTokens: 3_000,
    effectiveTokens: 28_800,
  },
};

export interface NotesRules {
  readonly startTokens: number;
  readonly growthTokens: number;
  readonly sectionTokens: number;
  readonly totalTokens: number;
  /** The window without the room for a summary. */
  readonly effectiveTokens: number;
}

export interface UpdateRules {
  readonly model?: keyof typeof READ_PRICES;
  readonly windowTokens: number;
  readonly isGated: boolean;
  /** `undefined` where costs do not count. */
  readonly cap: number | undefined;
  readonly updater: "forked" | "cold" | "extractive";
  /** Newest messages that a compaction from notes keeps in any case, in a window of 200,000. */
  readonly leastKeptTokens?: number | undefined;
}

/** After which answer an update begins, and who writes it. */
export interface Begun {
  readonly answer: number;
  readonly by: "model" | "log";
}

/** In tokens of input: written to the cache, said; and read from it, by the model. */
const PRICES = { written: 1.25, output: 5 };
export const READ_PRICES = { "claude-opus-4-6": 0.1, "claude-opus-5-5": 0.05 } as const;

export function priceOf(usage: Usage, readPrice: number): number {
  return (
    usage.inputTokens +
    usage.cacheReadTokens * readPrice +
    usage.cacheWriteTokens * PRICES.written +
    usage.outputTokens * PRICES.output
  );
}

export interface Reckoned {
  readonly due: readonly Begun[];
  readonly sessionCost: number;
  readonly notesCost: number;
  /** The highest share of the notes after any update. */
  readonly highestShare: number;
}

/** Outcomes that do not count as a failure of the model. */
const HELD: ReadonlySet<string> = new Set(["written", "unchanged", "dropped"]);

/** Reasons of a failed update that say nothing about the model. */
const NO_FAULT: ReadonlySet<string> = new Set(["network", "no-room"]);

/** The expected updates. */
export function reckonNotes(
  journal: readonly JournalItem[],
  entries: readonly Entry[],
  { windowTokens, isGated, cap, updater, model = "claude-opus-4-6", leastKeptTokens = 10_000 }: UpdateRules,
): Reckoned {
  const { startTokens, growthTokens, totalTokens, effectiveTokens } = NOTES_RULES[windowTokens]!;
  // An update for which the cap counts waits in a large window until a compaction is so near that it can use these notes.
  const nearTokens = windowTokens === 200_000 ? 153_000 - leastKeptTokens : 0;
  const readPrice = READ_PRICES[model];
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry] : []));
  const due: Begun[] = [];
  let answer = -1;
  let messageCount = 0;
  let conversationTokens = 0;
  let notedTokens = 0;
  let calls = 0;
  let sessionCost = 0;
  let notesCost = 0;
  let begunTokens = 0;
  let coveredTokens = 0;
  let outputTokens = 1_200;
  let begunCall = { callTokens: 0, answerTokens: 0 };
  let failures = 0;
  let highestShare = 0;
  let isRunning = false;
  const expectedPrice = ({ callTokens, answerTokens }: typeof begunCall, notes: string): number => {
    // The instruction, the notes that it quotes, and what is new to the model; a conversation that it has cached.
    const frameTokens = 600 + Math.ceil(estimateText(notes));
    const fits = callTokens + frameTokens + answerTokens + totalTokens <= effectiveTokens;
    const promptPrice =
      updater === "forked" && fits
        ? frameTokens + answerTokens + callTokens * readPrice
        : frameTokens + Math.min(conversationTokens - coveredTokens, callTokens + answerTokens);
    return promptPrice + outputTokens * PRICES.output;
  };
  for (const item of journal) {
    if (item.type === "summary" && item.usage !== undefined) sessionCost += priceOf(item.usage, readPrice);
    if (item.type === "update") {
      isRunning = false;
      const { form, outcome, usage, reason = "" } = item.event;
      if (form !== "log") {
        const isHeld = HELD.has(outcome);
        if (!isHeld && !NO_FAULT.has(reason)) failures++;
        else if (isHeld) failures = 0;
        // A connection that broke may have broken behind the bill.
        const mayBeBilled = outcome !== "failed" || reason === "network";
        const expected = mayBeBilled ? expectedPrice(begunCall, item.notes) : 0;
        const price = usage === undefined ? expected : priceOf(usage, readPrice);
        sessionCost += price;
        notesCost += price;
        if (usage !== undefined) outputTokens = usage.outputTokens;
      }
      highestShare = Math.max(highestShare, notesCost / sessionCost);
      if (item.event.throughSeq !== undefined) coveredTokens = begunTokens;
    }
    if (item.type !== "answer") continue;
    answer++;
    const { ratio, callTokens, callsCount, throughSeq } = item;
    let replyTokens = 0;
    for (; messageCount < messages.length && messages[messageCount]!.seq <= throughSeq; messageCount++) {
      const { role, content } = messages[messageCount]!;
      const tokens = estimateMessage({ content: content.map(shownOf) }) * ratio;
      conversationTokens += tokens;
      if (role === "assistant") replyTokens += tokens;
    }
    calls += callsCount;
    const answerTokens = item.usage?.outputTokens ?? replyTokens;
    sessionCost +=
      item.usage === undefined
        ? callTokens * readPrice + answerTokens * PRICES.output
        : priceOf(item.usage, readPrice);
    if (isRunning) continue;
    const call = { callTokens, answerTokens };
    const price = expectedPrice(call, item.notes);
    const isByModel = updater !== "extractive" && failures < 3;
    const isNear = cap === undefined || !isByModel || callTokens + answerTokens >= nearTokens;
    const isOpen =
      conversationTokens >= startTokens &&
      conversationTokens - notedTokens >= growthTokens &&
      (calls >= 3 || callsCount === 0) &&
      isNear;
    const isPaid = cap === undefined || !isByModel || notesCost + price <= cap * (sessionCost + price);
    if ((isGated && !isOpen) || !isPaid) continue;
    due.push({ answer, by: isByModel ? "model" : "log" });
    begunCall = call;
    notedTokens = conversationTokens;
    begunTokens = conversationTokens;
    calls = 0;
    isRunning = true;
  }
  return { due, sessionCost, notesCost, highestShare };
}

/** The observed updates. */
export function begunUpdates(journal: readonly JournalItem[]): readonly Begun[] {
  const begun: Begun[] = [];
  let answer = -1;
  for (const item of journal) {
    if (item.type === "answer") answer++;
    if (item.type === "asked" && item.for === "notes") begun.push({ answer, by: "model" });
    if (item.type === "update" && item.event.form === "log") begun.push({ answer, by: "log" });
    // It was due, and found the request too large before anybody was asked.
    else if (item.type === "update" && item.event.reason === "no-room") begun.push({ answer, by: "model" });
  }
  return begun;
}

/** The ten sections as they always read: a heading, and a line in italics below it. */
const SECTIONS: readonly (readonly [heading: string, description: string])[] = [
  ["# Session Title", "_What this session is about, in 5 to 10 words, dense and without filler_"],
  ["# Current State", "_What is being worked on right now, what is still open, and the very next steps_"],
  [
    "# Task Specification",
    "_What the user asked for, with every demand and constraint, and the design decisions that were made_",
  ],
  ["# Files and Functions", "_Which files and functions matter, what is in them, and why_"],
  ["# Workflow", "_Commands that are usually run, in their order, and how to read what they print_"],
  [
    "# Errors & Corrections",
    "_What failed and what mended it, what the user corrected, and what was tried and must not be tried again_",
  ],
  ["# Codebase and System Documentation", "_The parts of the system, and how they work together_"],
  ["# Learnings", "_What worked well, what did not, and what to avoid, where no other section tells it_"],
  ["# Key Results", "_What the user asked to see, to the letter: an answer, a table, a figure, a document_"],
  ["# Worklog", "_Step by step what was tried and done, one short entry each, the oldest first_"],
];

/** The text of each section, by its heading. */
export function sectionsOf(notes: string): ReadonlyMap<string, string> {
  const bodies = new Map<string, string[]>();
  let body: string[] = [];
  for (const line of notes.split("\n")) {
    if (line.startsWith("# ")) {
      body = [];
      bodies.set(line, body);
    } else body.push(line);
  }
  return new Map([...bodies].map(([heading, lines]) => [heading, lines.slice(1).join("\n")]));
}

/** Problems of notes: changed headings and descriptions, and sections that are too long. */
export function notesFaults(notes: string, windowTokens: number): readonly string[] {
  const { sectionTokens, totalTokens } = NOTES_RULES[windowTokens]!;
  const lines = notes.split("\n");
  const read = lines.flatMap((line, index) =>
    line.startsWith("# ") ? [`${line}\n${lines[index + 1]}`] : [],
  );
  const faults = SECTIONS.flatMap((section, index) =>
    read[index] === section.join("\n") ? [] : [`${section[0]} reads ${read[index]}`],
  );
  if (read.length !== SECTIONS.length) faults.push(`${read.length} headings`);
  for (const [heading, body] of sectionsOf(notes)) {
    const tokens = estimateText(body);
    if (tokens > sectionTokens) faults.push(`${heading} has ${tokens} tokens`);
  }
  const tokens = estimateText(notes);
  return tokens > totalTokens ? [...faults, `${tokens} tokens in all`] : faults;
}
