/**
 * The key facts of a stretch of the log, which a compaction writes into the notes before it hides the stretch.
 */
import type { Digest } from "../../compaction/digest/digest.ts";
import { factualSentences } from "../../compaction/digest/digest-findings.ts";
import { factsOfDigest } from "../../compaction/digest/saved-digest.ts";
import type { KeyFact } from "../../notes/merge-key-facts.ts";
import { FACT_LINES_COUNT } from "../../notes/session-facts.ts";

/** The key facts of the entries after `afterSeq`: the most important kinds first, the oldest first in each. */
export function keyFacts(digest: Digest, afterSeq: number): readonly KeyFact[] {
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
  const answered = upTo(facts.results)
    .flatMap(({ text }) => factualSentences(text))
    .slice(-FACT_LINES_COUNT)
    .map((text): KeyFact => ({ kind: "results", text }));
  return [...errors, ...open, ...asked, ...files, ...commands, ...found, ...answered];
}

const newest = <Fact>(facts: readonly Fact[]): readonly Fact[] => facts.slice(-FACT_LINES_COUNT);

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
