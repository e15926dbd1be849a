/**
 * What the log's digest knows, as facts for the notes: all of it for an update without a model, and what
 * matters most of a stretch for the pass at a compaction.
 */
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

/** What must not be forgotten of the entries after `afterSeq`, the most important first. */
export function keyFacts(digest: Digest, afterSeq: number): readonly KeyFact[] {
  const isNew = ({ seq }: { readonly seq: number }): boolean => seq > afterSeq;
  const isUsedSince = ({ lastSeq }: { readonly lastSeq: number }): boolean => lastSeq > afterSeq;
  const newestFirst = <Fact>(facts: readonly Fact[]): readonly Fact[] => facts.toReversed();
  return [
    ...newestFirst(digest.errors.filter(isNew)).map(
      ({ call, line, resolvedPointer }): KeyFact => ({
        kind: "errors",
        text: `${call}: ${line}${resolvedPointer === undefined ? "" : "; later it worked"}`,
      }),
    ),
    ...openTodos(digest.todos)
      .filter(isNew)
      .map(({ text }): KeyFact => ({ kind: "state", text: `Open: ${text}` })),
    ...newestFirst(digest.userWords.filter(isNew)).map(({ text }): KeyFact => ({ kind: "task", text })),
    ...newestFirst(byLastSeq([...digest.files.values()]).filter(isUsedSince))
      .filter(({ edits }) => edits > 0)
      .map(({ path, edits }): KeyFact => ({ kind: "files", text: `${path}: edited ${edits} times` })),
    ...newestFirst(byLastSeq([...digest.commands.values()]).filter(isUsedSince))
      .filter(({ failures, runs }) => failures > 0 || runs > 1)
      .map(
        ({ command, line }): KeyFact => ({
          kind: "workflow",
          text: line === "" ? command : `${command}: ${line}`,
        }),
      ),
    ...newestFirst(digest.tellings.filter(isNew))
      .filter(({ weight }) => weight >= FINDING_WEIGHT)
      .map(({ text }): KeyFact => ({ kind: "learnings", text })),
  ];
}

/** A sentence that says what was found or decided; below it stand first sentences of answers. */
const FINDING_WEIGHT = 2;

function byLastSeq<Fact extends { readonly lastSeq: number }>(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted((a, b) => a.lastSeq - b.lastSeq);
}
