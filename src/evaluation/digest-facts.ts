/**
 * What the log's digest knows, as facts for notes that are written without a model.
 *
 * The engine does the same for a session at work; a test holds the two together.
 */
import type { Digest } from "../compaction/digest.ts";
import { doneTodos, openTodos } from "../compaction/todo-state.ts";
import type { SessionFacts } from "../notes/session-facts.ts";

/** A sentence that says what was found or decided; below it stand first sentences of answers. */
const FINDING_WEIGHT = 2;

export function factsOfDigest(digest: Digest): SessionFacts {
  return {
    userWords: digest.userWords,
    files: byLastUse(digest.files),
    commands: byLastUse(digest.commands),
    errors: digest.errors,
    todos: [...openTodos(digest.todos), ...doneTodos(digest.todos)],
    decisions: digest.tellings.filter(({ weight }) => weight >= FINDING_WEIGHT),
    results: digest.assistantWords,
    actions: digest.actions,
  };
}

function byLastUse<Fact extends { readonly lastSeq: number }>(
  facts: ReadonlyMap<string, Fact>,
): readonly Fact[] {
  return [...facts.values()].sort((one, other) => one.lastSeq - other.lastSeq);
}
