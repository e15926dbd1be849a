/** `palimpsest memory add`, `forget`, `restore` and `confirm`: commands that change one memory, and print a receipt. */
import { text as readAll } from "node:stream/consumers";
import { MEMORY_SOURCES, MEMORY_TYPES } from "palimpsest/internal";
import type {
  MemoryReceipt,
  MemorySource,
  MemoryType,
  PersistentMemory,
  RememberOptions,
} from "palimpsest/memory";
import { type AddCommand, parseChoice } from "../command-line/command.ts";
import { type MemoryCall, type MemoryFlags, memoryCommand, receiptResult } from "./memory-place.ts";

interface AddFlags extends MemoryFlags {
  readonly name?: string;
  readonly description?: string;
  readonly type: MemoryType;
  readonly source: MemorySource;
  readonly keep?: boolean;
  readonly share?: boolean;
  readonly supersede?: readonly string[];
}

const add = memoryCommand(
  {
    name: "add",
    description: "remember a fact",
    args: { "<text>": "the fact, or - to read it from standard input" },
    options: [
      ["--name <name>", "file name (default: the first words)"],
      ["--description <line>", "when it matters, in one line"],
      ["--type <type>", MEMORY_TYPES.join(", "), parseChoice("--type", MEMORY_TYPES), "project"],
      [
        "--source <source>",
        `who said it: ${MEMORY_SOURCES.join(", ")}`,
        parseChoice("--source", MEMORY_SOURCES),
        "user",
      ],
      ["--keep", "it does not lose relevance with age (default for facts from a user)"],
      ["--no-keep", "it loses relevance with age"],
      ["--share", "share it with the team of --team"],
      ["--supersede <path...>", "replace these memories"],
    ],
    examples: [
      'memory add "We deploy on Tuesdays only."',
      'memory add "We deploy on Thursdays." --supersede we-deploy-on-tuesdays-only.md',
      "memory add - --name Styleguide --type feedback < style.md",
    ],
    exitCodes: { 1: "nothing was remembered" },
  },
  async (call: MemoryCall<AddFlags>, given: string) => {
    const { name, description, type, source, keep, share, supersede } = call.flags;
    const options: RememberOptions = {
      ...{ name, description, type, source },
      decays: keep === undefined ? undefined : !keep,
      isTeam: share,
    };
    const text = given === "-" ? await readAll(process.stdin) : given;
    const { memory } = call;
    return receiptResult(
      await (supersede === undefined
        ? memory.remember(text, options)
        : memory.supersede(supersede, text, options)),
      call,
    );
  },
);

/** A command about one memory that needs nothing but its path. */
function decisionOf(
  name: string,
  description: string,
  decide: (memory: PersistentMemory, path: string) => Promise<MemoryReceipt>,
): AddCommand {
  const args = { "<path>": "path, as memory list shows it" };
  return memoryCommand(
    { name, description, args, examples: [`memory ${name} deploy-days.md`] },
    async (call: MemoryCall, path: string) => receiptResult(await decide(call.memory, path), call),
  );
}

export const CHANGE_MEMORY_COMMANDS = {
  add,
  forget: decisionOf("forget", "move a memory to the archive; `restore` brings it back", (memory, path) =>
    memory.forget(path),
  ),
  restore: decisionOf(
    "restore",
    "bring back the memory of that path that was archived last",
    (memory, path) => memory.restore(path),
  ),
  confirm: decisionOf(
    "confirm",
    "confirm a memory; a quarantined one is shown to models again",
    (memory, path) => memory.confirm(path),
  ),
};
