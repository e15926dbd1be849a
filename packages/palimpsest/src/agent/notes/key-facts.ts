/**
 * The key facts of a stretch of the log, which a compaction writes into the notes before it hides the stretch.
 */
import type { Digest } from "../../compaction/digest/digest.ts";
import { factualSentences } from "../../compaction/digest/digest-findings.ts";
import { factsOfDigest } from "../../compaction/digest/saved-digest.ts";
import type { KeyFact } from "../../notes/merge-key-facts.ts";
import { FACT_LINES_COUNT } from "../../notes/session-facts.ts";
import type { Message } from "../../transcript/blocks.ts";

/** Sentences that are kept until a compaction, at the most. Our choice: eight times what one merges. */
const KEPT_COUNT = 240;

/** Sentences of answers that say something to the letter, until facts are merged into the notes. */
export class AnswerFacts {
  #kept: { readonly seq: number; readonly text: string }[] = [];

  /** Adds the messages of an answer; their numbers are `seqs`. */
  add(seqs: readonly number[], messages: readonly Pick<Message, "content">[]): void {
    messages.forEach(({ content }, index) => {
      const texts = content.flatMap((block) => (block.type === "text" ? factualSentences(block.text) : []));
      for (const text of texts) this.#kept.push({ seq: seqs[index] ?? 0, text });
    });
    if (this.#kept.length > KEPT_COUNT) this.#kept = this.#kept.slice(-KEPT_COUNT);
  }

  /** The sentences of messages that are still part of the conversation, oldest first. */
  visible(isVisible: (seq: number) => boolean): readonly string[] {
    return this.#kept.filter(({ seq }) => isVisible(seq)).map(({ text }) => text);
  }

  /** Those through `seq` are in the notes. */
  merged(throughSeq: number): void {
    this.#kept = this.#kept.filter(({ seq }) => seq > throughSeq);
  }
}

/**
 * The key facts of the entries after `afterSeq`: the most important kinds first, the oldest first in each. `sentences`: of
 * answers that say something to the letter, oldest first.
 */
export function keyFacts(
  digest: Digest,
  afterSeq: number,
  sentences: readonly string[] = [],
): readonly KeyFact[] {
  const facts = factsOfDigest(digest);
  const upTo = <Fact extends { readonly seq: number }>(some: readonly Fact[]): readonly Fact[] =>
    newest(some.filter(({ seq }) => seq > afterSeq));
  const used = <Fact extends { readonly lastSeq: number }>(some: readonly Fact[]): readonly Fact[] =>
    newest(some.filter(({ lastSeq }) => lastSeq > afterSeq));
  const errors = upTo(facts.errors).map(
    ({ call, line, resolvedPointer }): KeyFact => ({
      kind: "errors",
      text: `${call}: ${line}${resolvedPointer === undefined ? "" : "; later it worked"}`,
    }),
  );
  const open = upTo(facts.todos)
    .filter(({ status }) => status !== "done")
    .map(({ text }): KeyFact => ({ kind: "state", text: `Open: ${text}` }));
  const asked = upTo(facts.userWords).map(({ text }): KeyFact => ({ kind: "task", text }));
  const files = used(facts.files)
    .filter(({ edits }) => edits > 0)
    .map(({ path, edits }): KeyFact => ({ kind: "files", text: `${path}: edited ${times(edits)}` }));
  const commands = used(facts.commands)
    .filter(({ failures, runs }) => failures > 0 || runs > 1)
    .map(({ command, line }): KeyFact => {
      return { kind: "workflow", text: line === "" ? command : `${command}: ${line}` };
    });
  const found = upTo(facts.decisions).map(({ text }): KeyFact => ({ kind: "learnings", text }));
  // The digest has the newest answers only; those of this process are known as far back as nothing was merged.
  const telling = facts.results
    .filter(({ seq }) => seq > afterSeq)
    .flatMap(({ text }) => factualSentences(text));
  const answered = [...new Set([...sentences, ...telling])]
    .slice(-FACT_LINES_COUNT)
    .map((text): KeyFact => ({ kind: "results", text }));
  return [...errors, ...open, ...asked, ...files, ...commands, ...found, ...answered];
}

const newest = <Fact>(facts: readonly Fact[]): readonly Fact[] => facts.slice(-FACT_LINES_COUNT);

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
