/**
 * The memories that a server shows: of a project, of the user in every project, and of a team, behind one kind of id.
 *
 * An id is a memory's path in its project's directory (`deploy-days.md`, `team/release.md`), or `user:` with a path in
 * the user's (`user:editor.md`). File names cannot contain a colon, so no id means two memories.
 */
import { OptionError } from "palimpsest";
import {
  cleanMemoryText,
  type ListedMemory,
  type MemoryReceipt,
  type PersistentMemory,
  type RecalledMemory,
} from "palimpsest/memory";

export const SCOPE_NAMES = ["project", "user", "team"] as const;

export type ScopeName = (typeof SCOPE_NAMES)[number];

const TEAM_FOLDER = "team/";
const USER_PREFIX = "user:";

/** One memory directory, and the ids of what is in it. */
interface Directory {
  readonly memory: PersistentMemory;
  readonly prefix: string;
}

/** A memory with its id. */
export interface ScopedMemory {
  readonly id: string;
  readonly scope: ScopeName;
  readonly memory: ListedMemory;
}

/** The memory that an id names. */
interface FoundDirectory extends Directory {
  readonly path: string;
  readonly scope: ScopeName;
}

interface MemoryScopesOptions {
  /** The project's memories; those of its team are below `team/`. */
  readonly project: PersistentMemory;
  readonly user: PersistentMemory;
  /** The scopes that clients see; the first one gets what names no other. */
  readonly scopes: readonly ScopeName[];
}

export class MemoryScopes {
  readonly scopes: readonly ScopeName[];
  readonly #directories: readonly Directory[];

  constructor({ project, user, scopes }: MemoryScopesOptions) {
    this.scopes = scopes;
    const needsProject = scopes.includes("project") || scopes.includes("team");
    this.#directories = [
      ...(needsProject ? [{ memory: project, prefix: "" }] : []),
      ...(scopes.includes("user") ? [{ memory: user, prefix: USER_PREFIX }] : []),
    ];
  }

  /** The directory of a scope. @throws `OptionError` for one that is not served */
  directoryOf(scope: ScopeName): PersistentMemory {
    const prefix = scope === "user" ? USER_PREFIX : "";
    const directory = this.#directories.find((one) => one.prefix === prefix);
    if (directory === undefined || !this.scopes.includes(scope))
      throw new OptionError({
        message: `The scope ${scope} is not served here.`,
        hint: `Use one of ${this.scopes.join(", ")}; the server was started with these.`,
      });
    return directory.memory;
  }

  /** Returns the directory and the path that an id names; the memory may be missing. @throws `OptionError` for a scope that is not served */
  resolve(id: string): FoundDirectory {
    const prefix = id.startsWith(USER_PREFIX) ? USER_PREFIX : "";
    const path = id.slice(prefix.length);
    const scope = prefix === USER_PREFIX ? "user" : scopeOfPath(path);
    return { memory: this.directoryOf(scope), prefix, path, scope };
  }

  /** All memories of the served scopes, or of one, in the order of their ids. Quarantined ones are only counted: no model sees them. */
  async list(
    scope?: ScopeName,
  ): Promise<{ readonly memories: readonly ScopedMemory[]; readonly quarantinedCount: number }> {
    if (scope !== undefined) this.directoryOf(scope);
    const all: ScopedMemory[] = [];
    for (const { memory, prefix } of this.#directories)
      for (const one of (await memory.list()).memories) {
        const its = prefix === USER_PREFIX ? "user" : scopeOfPath(one.path);
        if (scope === undefined ? this.scopes.includes(its) : its === scope)
          all.push({ id: prefix + one.path, scope: its, memory: one });
      }
    const memories = all.filter(({ memory: { state } }) => state !== "quarantined");
    return { memories, quarantinedCount: all.length - memories.length };
  }

  /** A memory that a model may read. @throws `MEMORY_NOT_FOUND`, `OptionError` where it is quarantined */
  async show(id: string): Promise<ScopedMemory> {
    const { memory, path, scope } = this.resolve(id);
    const shown = await memory.show(path);
    if (shown.state !== "quarantined") return { id, scope, memory: shown };
    throw new OptionError({
      message: `${id} is quarantined: only a tool or the web said so, and no model is shown it.`,
      hint: "A person can read and confirm it: palimpsest memory confirm.",
    });
  }

  /**
   * Memories for a message as fenced texts, one for each directory, within the tokens; paths in them are ids.
   * @param isLogged - false leaves the recall out of the record of what models were shown
   */
  async recall(
    query: string,
    options: {
      readonly limit: number;
      readonly budgetTokens: number;
      readonly isLogged: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<string> {
    const texts: string[] = [];
    let { limit, budgetTokens } = options;
    for (const { memory, prefix } of this.#directories) {
      if (limit === 0) break;
      // The scopes that are not served count as shown already, so they are left out.
      const shown = (await memory.list()).memories
        .map(({ path }) => path)
        .filter((path) => prefix === "" && !this.scopes.includes(scopeOfPath(path)));
      const recalled = await memory.recall(query, { ...options, limit, budgetTokens, shown });
      if (recalled.text === "") continue;
      texts.push(prefix === "" ? recalled.text : withPrefix(recalled.text, recalled.memories, prefix));
      limit -= recalled.memories.length;
      budgetTokens = Math.max(0, budgetTokens - recalled.tokens);
    }
    return texts.join("\n\n");
  }

  /** The indexes as a session is shown them at its start: of the project with its team, and of the user. */
  async index(scope: "project" | "user"): Promise<string> {
    return (await this.directoryOf(scope).index()).text;
  }

  async close(): Promise<void> {
    await Promise.all(this.#directories.map(({ memory }) => memory.close()));
  }
}

function scopeOfPath(path: string): ScopeName {
  return path.startsWith(TEAM_FOLDER) ? "team" : "project";
}

/** Writes ids in place of paths into the fence's own lines; those of memories begin with `> `. */
function withPrefix(text: string, memories: readonly RecalledMemory[], prefix: string): string {
  let at = 0;
  const lines = text.split("\n").map((line) => {
    const cut = memories[at - 1];
    if (cut?.isCut === true && line === `> [cut: the whole is in ${cut.path}]`)
      return `> [cut: the whole is in ${prefix}${cut.path}]`;
    const { path } = memories[at] ?? { path: undefined };
    if (path === undefined || !line.startsWith(`[${at + 1}] `)) return line;
    at++;
    const place = line.lastIndexOf(`(${path}; `);
    return place === -1 ? line : `${line.slice(0, place + 1)}${prefix}${line.slice(place + 1)}`;
  });
  return lines.join("\n");
}

/** A receipt in words for a model, with ids. */
export function receiptText(receipt: MemoryReceipt, scope: ScopeName): string {
  const { status, path, reason, cleaned, warnings } = receipt;
  const id = path === undefined ? "" : ` ${scope === "user" ? USER_PREFIX + path : path}`;
  const note = scope === "user" && reason.includes(".md") ? ` (Paths here are below ${USER_PREFIX})` : "";
  return [
    `${status}${id}`,
    `${reason}${note}`,
    ...(cleaned.length > 0 ? [`Removed or escaped: ${cleaned.join(", ")}.`] : []),
    ...warnings,
  ].join("\n");
}

const SOURCES: Readonly<Record<ListedMemory["source"], string>> = {
  user: "said by the user",
  agent: "concluded by an agent",
  tool: "read in a tool's result",
  web: "read on the web",
  import: "from another program",
  unknown: "of unknown origin",
};

/** A memory in one line: id, name, description, and who said it. */
export function memoryLine({ id, scope, memory }: ScopedMemory): string {
  const name = cleanMemoryText(memory.name, "name").text;
  const description = cleanMemoryText(memory.description, "description").text;
  const source =
    memory.isConfirmed && memory.source !== "user" ? "confirmed by the user" : SOURCES[memory.source];
  const atMs = memory.updatedAtMs ?? memory.createdAtMs;
  const facts = [
    scope,
    ...(memory.type === undefined ? [] : [memory.type]),
    source,
    ...(atMs === undefined ? [] : [new Date(atMs).toISOString().slice(0, 10)]),
    ...(memory.state === "superseded"
      ? [`superseded by ${scope === "user" ? USER_PREFIX : ""}${memory.supersededBy ?? "another"}`]
      : []),
  ];
  return `${cleanMemoryText(id, "description").text}: ${name}${description === "" ? "" : ` — ${description}`} (${facts.join(", ")})`;
}

/** One memory whole, as data: every line of it behind a quotation mark. */
export function memoryText(scoped: ScopedMemory): string {
  const body = cleanMemoryText(scoped.memory.body, "body").text;
  return `${memoryLine(scoped)}\n${quoted(body)}`;
}

/** A text that is data: no line of it can be taken for a line of ours. */
export function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}
