/**
 * What the log's digest knows, as facts for the notes: all of it for an update without a model, and what
 * matters most of a stretch for the pass at a compaction.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
import type { Digest } from "../compaction/digest.ts";
import { doneTodos, openTodos } from "../compaction/todo-state.ts";
import type { KeyFact } from "../notes/merge-key-facts.ts";
import type { SessionFacts } from "../notes/session-facts.ts";

/** Everything that notes without a model are written from. */
export function sessionFacts(digest: Digest): SessionFacts {
  return {
    userWords: digest.userWords,
    files: byLastSeq([...digest.files.values()]),
    commands: byLastSeq([...digest.commands.values()]),
    errors: digest.errors,
    todos: [...openTodos(digest.todos), ...doneTodos(digest.todos)],
    decisions: digest.tellings.filter(({ weight }) => weight >= FINDING_WEIGHT),
    results: digest.assistantWords,
    actions: digest.actions,
  };
}

/** What must not be forgotten of the entries after `afterSeq`: the most important kinds first, the oldest first in each. */
export function keyFacts(digest: Digest, afterSeq: number): readonly KeyFact[] {
  const since = <Fact>(facts: readonly Fact[], seqOf: (fact: Fact) => number): readonly Fact[] =>
    facts.filter((fact) => seqOf(fact) > afterSeq).slice(-NOTES_DEFAULTS.factLinesCount);
  const errors = since(digest.errors, ({ seq }) => seq).map(
    ({ call, line, resolvedPointer }): KeyFact => ({
      kind: "errors",
      text: `${call}: ${line}${resolvedPointer === undefined ? "" : "; later it worked"}`,
    }),
  );
  const open = since(openTodos(digest.todos), ({ seq }) => seq).map(
    ({ text }): KeyFact => ({ kind: "state", text: `Open: ${text}` }),
  );
  const asked = since(digest.userWords, ({ seq }) => seq).map(
    ({ text }): KeyFact => ({ kind: "task", text }),
  );
  const files = since(byLastSeq([...digest.files.values()]), ({ lastSeq }) => lastSeq)
    .filter(({ edits }) => edits > 0)
    .map(({ path, edits }): KeyFact => ({ kind: "files", text: `${path}: edited ${times(edits)}` }));
  const commands = since(byLastSeq([...digest.commands.values()]), ({ lastSeq }) => lastSeq)
    .filter(({ failures, runs }) => failures > 0 || runs > 1)
    .map(
      ({ command, line }): KeyFact => ({
        kind: "workflow",
        text: line === "" ? command : `${command}: ${line}`,
      }),
    );
  const found = since(digest.tellings, ({ seq }) => seq)
    .filter(({ weight }) => weight >= FINDING_WEIGHT)
    .map(({ text }): KeyFact => ({ kind: "learnings", text }));
  return [...errors, ...open, ...asked, ...files, ...commands, ...found];
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

/** A sentence that says what was found or decided; below it stand first sentences of answers. */
const FINDING_WEIGHT = 2;

function byLastSeq<Fact extends { readonly lastSeq: number }>(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted((a, b) => a.lastSeq - b.lastSeq);
}
