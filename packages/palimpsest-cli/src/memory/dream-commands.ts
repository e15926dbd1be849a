/**
 * `palimpsest memory dream`, `dreams` and `revert`: consolidate memories, list what was done, and undo it.
 */
import { type DreamPlaceOptions, showHidden, showOnOneLine } from "palimpsest/internal";
import type { DreamReport } from "palimpsest/memory";
import type { CommandResult } from "../command-line/command.ts";
import { formatUtcMinute, type MemoryCall, type MemoryFlags, memoryCommand } from "./memory-place.ts";

interface DreamFlags extends MemoryFlags {
  readonly dryRun?: boolean;
  readonly ifDue?: boolean;
}

/** Exit code if there was nothing to do, or no dream is due. */
const NOTHING_DONE = 3;

const dream = memoryCommand(
  {
    name: "dream",
    description:
      "consolidate memories: merge duplicates, apply corrections, archive what is no longer useful",
    options: [
      ["--dry-run", "show what would change, and change nothing"],
      ["--if-due", "only if a day and five sessions have passed since the last one"],
    ],
    examples: ["memory dream --dry-run", "memory dream", "memory dream --team core", "memory revert"],
    exitCodes: { [NOTHING_DONE]: "there was nothing to do" },
    notes: [
      "No model is called. Nothing is destroyed: removed memories are in the archive, and revert restores them.",
      "With --team it consolidates the memories of that team, not the project's.",
    ],
  },
  async (call: MemoryCall<DreamFlags>) => {
    const { memory, sessions, flags, context } = call;
    const force = flags.ifDue !== true;
    const dryRun = flags.dryRun === true;
    const { signal } = context;
    return dreamResult(await memory.dream({ ...placeOf(flags), dryRun, force, sessions, signal }), call);
  },
);

const revert = memoryCommand(
  {
    name: "revert",
    description: "undo a dream: every file is restored byte for byte",
    args: { "[id]": "id of the dream (default: the last one)" },
    examples: ["memory revert", "memory revert --team core"],
  },
  async (call: MemoryCall, id: string | undefined) =>
    dreamResult(await call.memory.revertDream(id, placeOf(call.flags)), call),
);

const dreams = memoryCommand(
  {
    name: "dreams",
    description: "list dreams, newest first",
    examples: ["memory dreams", "memory revert 001772409600000-0001"],
  },
  async ({ memory, flags }: MemoryCall) => {
    const records = await memory.dreams(placeOf(flags));
    return {
      json: { dreams: records },
      out: records.map(({ id, atMs, state, changes }) => {
        const what = changes.length === 0 ? "nothing to do" : `${state}, ${changes.length} files`;
        return `${showOnOneLine(id)}  ${formatUtcMinute(atMs)}  ${what}`;
      }),
      err: records.length === 0 ? ["There are no dreams yet."] : [],
    };
  },
);

export const DREAM_COMMANDS = { dream, dreams, revert };

/** A dream is about one directory: the team's if one is named. */
function placeOf({ team }: MemoryFlags): DreamPlaceOptions {
  return { place: team === undefined ? "project" : "team" };
}

function dreamResult(report: DreamReport, { context: { out } }: MemoryCall): CommandResult {
  const { status, reason, id, actions, notes, diff } = report;
  const { bold, yellow } = out.styles;
  return {
    json: report,
    out: [
      ...actions.map(
        ({ kind, paths, why }) =>
          `${bold(kind)} ${paths.map(showOnOneLine).join(" < ")}: ${showOnOneLine(why)}`,
      ),
      ...notes.map((note) => yellow(showOnOneLine(note))),
      ...(diff === "" ? [] : ["", showHidden(diff), ""]),
    ],
    err: [`${status}${id === undefined ? "" : ` ${id}`}: ${showOnOneLine(reason)}`],
    exitCode: status === "applied" || status === "planned" ? 0 : NOTHING_DONE,
  };
}
