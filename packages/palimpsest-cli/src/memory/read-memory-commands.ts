/** `palimpsest memory list`, `show`, `path`, `search`, `recall` and `audit`: commands that change nothing. */
import { OptionError } from "palimpsest";
import { MEMORY_RECALL_DEFAULTS, MEMORY_TYPES, showHidden, showOnOneLine } from "palimpsest/internal";
import type { ListedMemory, MemoryType } from "palimpsest/memory";
import { type CommandResult, parseChoice, parseCount, refuseTogether } from "../command-line/command.ts";
import { cutToColumns } from "../terminal/columns.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { layoutOf, type Terminal, terminalText } from "../terminal/terminal.ts";
import {
  factsOf,
  formatUtcMinute,
  type MemoryCall,
  type MemoryFlags,
  memoryCommand,
} from "./memory-place.ts";

/** Exit code if nothing was found, or if an audit found something. */
const NOTABLE = 3;

const STATES: readonly ListedMemory["state"][] = ["active", "superseded", "quarantined"];

interface ListFlags extends MemoryFlags {
  readonly type?: MemoryType;
  readonly state?: ListedMemory["state"];
  readonly archived?: boolean;
}

const list = memoryCommand(
  {
    name: "list",
    alias: "ls",
    description: "list memories",
    options: [
      ["--type <type>", `only of one type: ${MEMORY_TYPES.join(", ")}`, parseChoice("--type", MEMORY_TYPES)],
      ["--state <state>", `only in one state: ${STATES.join(", ")}`, parseChoice("--state", STATES)],
      ["--archived", "list the archive instead: forgotten, merged or pruned memories"],
    ],
    examples: [
      "memory list",
      "memory list --state quarantined",
      "memory list --type user --json",
      "memory list --archived",
    ],
  },
  async (call: MemoryCall<ListFlags>) => {
    const { memory, flags, context } = call;
    if (flags.archived === true) return listArchive(call);
    const { memories, problems } = await memory.list({ type: flags.type, state: flags.state });
    const { warnings } = await memory.index();
    const { columns, styles } = layoutOf(context.out);
    const yellow = context.err.styles.yellow;
    return {
      json: { path: memory.path, memories: memories.map(withoutBody), problems, warnings },
      out: memories.flatMap((one) => [
        headingOf(one, context.out),
        ...(one.description === "" ? [] : [cutToColumns(`  ${showOnOneLine(one.description)}`, columns)]),
        styles.dim(`  ${factsOf(one)}`),
      ]),
      err: [
        ...(memories.length === 0 ? [`Nothing is remembered in ${showOnOneLine(memory.path ?? "")}.`] : []),
        ...problems.map(({ path, detail }) => yellow(`${showOnOneLine(path)}: ${showOnOneLine(detail)}`)),
        ...warnings.map((warning) => yellow(showOnOneLine(warning))),
      ],
    };
  },
);

/** Path and name on one line, the name bold. */
function headingOf({ path, name }: ListedMemory, out: Terminal): string {
  const { columns, styles } = layoutOf(out);
  const shownPath = `${showOnOneLine(path)}  `;
  const line = cutToColumns(`${shownPath}${showOnOneLine(name)}`, columns);
  return `${line.slice(0, shownPath.length)}${styles.bold(line.slice(shownPath.length))}`;
}

async function listArchive({ memory, flags, context }: MemoryCall<ListFlags>): Promise<CommandResult> {
  const other = flags.type !== undefined ? "--type" : flags.state !== undefined ? "--state" : undefined;
  refuseTogether("--archived", other, "Leave one of them out: the archive is listed as a whole.");
  const archived = await memory.archived();
  return {
    json: { archived },
    out: archived.flatMap(({ id, path, archivedMs, isReplaced }) => [
      `${showOnOneLine(path)}  ${formatUtcMinute(archivedMs)}`,
      context.out.styles.dim(`  ${showOnOneLine(id)}${isReplaced ? ", a memory has this path again" : ""}`),
    ]),
    err: archived.length === 0 ? ["The archive is empty."] : [],
  };
}

const withoutBody = ({ body: _, ...facts }: ListedMemory) => facts;

const show = memoryCommand(
  {
    name: "show",
    description: "print a memory's file, or the index as a session sees it",
    args: { "[path]": "path, as memory list shows it (default: the index)" },
    options: [["--archived", "an archived memory, by its former path or its id"]],
    examples: ["memory show", "memory show deploy-days.md", "memory show deploy-days.md --archived"],
  },
  async ({ memory, flags, context: { out, err } }: MemoryCall<ListFlags>, path: string | undefined) => {
    if (path === undefined) {
      if (flags.archived === true)
        throw new OptionError({
          message: "--archived needs the path or id of a memory.",
          hint: "Give a path or an id; `palimpsest memory list --archived` has them.",
        });
      const index = await memory.index();
      if (index.text === "")
        return { json: index, err: ["There is no index yet, because there are no memories."] };
      return { json: index, out: terminalText(index.text, out) };
    }
    if (flags.archived === true) {
      const archived = await memory.showArchived(path);
      return { json: archived, out: terminalText(archived.text, out) };
    }
    const shown = await memory.show(path);
    return { json: shown, out: terminalText(shown.text, out), err: [err.styles.dim(factsOf(shown))] };
  },
);

const path = memoryCommand(
  {
    name: "path",
    description: "print the path of the memories, even if there are none yet",
    examples: ["memory path", "memory path --team core"],
    notes: ["The output is one line, for other programs:", '  ls "$(palimpsest memory path)"'],
  },
  async ({ memory }: MemoryCall) => ({ json: { path: memory.path }, out: [`${memory.path}`] }),
);

const search = memoryCommand(
  {
    name: "search",
    description: "search memories by words, the best match first",
    args: { "<text>": "words or a question" },
    options: [
      [
        "-n, --limit <count>",
        "memories to show",
        parseCount("--limit", { min: 1, max: 100_000 }),
        MEMORY_RECALL_DEFAULTS.searchedCount,
      ],
    ],
    examples: ["memory search deploy", 'memory search "release branch" --json'],
    exitCodes: { [NOTABLE]: "nothing was found" },
  },
  async ({ memory, flags, context }: MemoryCall<MemoryFlags & { readonly limit: number }>, text: string) => {
    const found = await memory.search(text, { limit: flags.limit });
    const { columns, styles } = layoutOf(context.out);
    const isEmpty = found.length === 0;
    return {
      json: { memories: found.map(withoutBody) },
      out: found.flatMap((one) => [
        cutToColumns(`${showOnOneLine(one.path)}  ${showOnOneLine(one.name)}`, columns),
        styles.dim(cutToColumns(`  ${factsOf(one)}; shares: ${wordsOf(one)}`, columns)),
      ]),
      err: isEmpty ? ["No memory has one of these words."] : [],
      exitCode: isEmpty ? NOTABLE : 0,
    };
  },
);

/** The words that a memory shares with what was asked. */
function wordsOf({
  why,
}: {
  readonly why: { readonly words: readonly { readonly word: string }[] };
}): string {
  return why.words.map(({ word }) => showOnOneLine(word)).join(" ");
}

const recall = memoryCommand(
  {
    name: "recall",
    description: "print the memories for a message, as the model would see them",
    args: { "<message>": "a message of a user" },
    options: [
      [
        "--tokens <count>",
        "limit of the text",
        parseCount("--tokens", { min: 1, max: 1_000_000 }),
        MEMORY_RECALL_DEFAULTS.recallTokens,
      ],
    ],
    examples: ['memory recall "When can I deploy?"', 'memory recall "style" --tokens 500 --json'],
    exitCodes: { [NOTABLE]: "no memory fits" },
  },
  async (
    { memory, flags, context: { out, err } }: MemoryCall<MemoryFlags & { readonly tokens: number }>,
    message: string,
  ) => {
    const recalled = await memory.recall(message, { budgetTokens: flags.tokens, isLogged: false });
    const { text, memories } = recalled;
    return {
      // The score is called `worth` in JSON.
      json: {
        ...recalled,
        memories: memories.map(({ relevanceScore, ...one }) => ({ ...one, ["worth"]: relevanceScore })),
      },
      out: text === "" ? [] : [out.isInteractive ? showHidden(text) : text],
      err: [
        ...memories.map((one) =>
          err.styles.dim(
            `${showOnOneLine(one.path)}: shares ${wordsOf(one)}; relevance ${one.relevanceScore.toFixed(2)}`,
          ),
        ),
        ...(text === "" ? ["No memory fits this message."] : []),
      ],
      exitCode: memories.length === 0 ? NOTABLE : 0,
    };
  },
);

const audit = memoryCommand(
  {
    name: "audit",
    description: "find duplicates, contradictions, unused memories, keys in files; changes nothing",
    examples: ["memory audit", "memory audit --json"],
    exitCodes: { [NOTABLE]: "there are findings" },
  },
  async ({ memory, context }: MemoryCall) => {
    const health = await memory.audit();
    const { counts, findings } = health;
    const { memories, active, superseded, quarantined, neverRecalled, unconfirmed } = counts;
    const { styles } = context.out;
    return {
      json: health,
      out: [
        ...findings.map(
          ({ kind, paths, detail }) =>
            `${styles.yellow(kind)} ${paths.map(showOnOneLine).join(", ")}: ${showOnOneLine(detail)}`,
        ),
        `${formatQuantity(memories, "memory", "memories")}: ${active} active, ${superseded} superseded, ${quarantined} quarantined. ` +
          `Active memories: ${neverRecalled} never recalled, ${unconfirmed} not confirmed.`,
        ...(findings.length === 0 ? [styles.green("No problems found.")] : []),
      ],
      exitCode: findings.length === 0 ? 0 : NOTABLE,
    };
  },
);

export const READ_MEMORY_COMMANDS = { list, show, path, search, recall, audit };
