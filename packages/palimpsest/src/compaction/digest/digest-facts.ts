/**
 * The facts of a digest as plain lists in the order of their last use: notes without a model are written from
 * them, and no compaction may lose them.
 */
import type { CommandRecord, Digest, FileRecord } from "./digest.ts";
import type { DigestFinding } from "./digest-findings.ts";
import { doneTodos, openTodos, type TodoItem } from "./todo-state.ts";

/** Facts of a session, each list from the oldest to the newest; open tasks come before those that are done. */
interface DigestFacts extends Pick<Digest, "userWords" | "errors" | "actions"> {
  readonly files: readonly FileRecord[];
  readonly commands: readonly CommandRecord[];
  readonly todos: readonly TodoItem[];
  readonly decisions: readonly DigestFinding[];
  /** The last words of turns. */
  readonly results: Digest["assistantWords"];
}

/** A sentence that says what was found or decided; below it stand first sentences of answers. */
const FINDING_WEIGHT = 2;

export function factsOfDigest(digest: Digest): DigestFacts {
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
