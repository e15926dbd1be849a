/**
 * A program with a task of every kind that compacts its session while all of them run, lets them end, and is killed
 * before it has reported them: `all-kinds-host.ts <JSON of { place, state }>`. The window after the compaction is in
 * the file `window`.
 */
import { existsSync, writeFileSync } from "node:fs";
import { TASK_KINDS } from "#palimpsest/tasks/task-record.ts";
import { type CrashPlace, goFile, inputsIn, openAllKinds, windowFile } from "./all-kinds.ts";
import type { CrashState } from "./crash-cases.ts";
import { standStill, watchJournals } from "./crash-points.ts";

const { place, state } = JSON.parse(process.argv[2] ?? "") as {
  readonly place: CrashPlace;
  readonly state: CrashState;
};

let endedCount = 0;
const haveAllEnded = (): boolean => endedCount === TASK_KINDS.length;
watchJournals({
  before: ({ type }) => {
    if (state === "ending" && type === "end" && endedCount === TASK_KINDS.length - 1) standStill();
  },
  after: ({ type }) => {
    if (type === "end") endedCount++;
    if (state === "ended" && haveAllEnded()) standStill();
  },
  synced: () => {
    if (state === "synced" && haveAllEnded()) standStill();
  },
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const heldAt = new Set<string>();
const palimpsest = openAllKinds(place, (point) => {
  if (point === "main is asked") {
    if (state === "told" && haveAllEnded()) standStill();
    return undefined;
  }
  heldAt.add(point);
  return until(() => existsSync(goFile(place.folder)));
});
const session = await palimpsest.session("work");
for (let turn = 1; turn <= 8; turn++) await session.turn(`${turn} ${"word ".repeat(1_500)}`);
const { tasks } = session;
const inputs = inputsIn(place.folder);
const ids = new Map<string, string>();
for (const kind of TASK_KINDS) ids.set(kind, (await tasks.start(kind, inputs[kind])).id);
const textOf = (kind: string): string => tasks.read(ids.get(kind)!).text;

await until(
  () =>
    textOf("local_bash").includes("two\n") &&
    textOf("local_workflow").includes("two\n") &&
    textOf("remote_agent").includes("one\n") &&
    heldAt.has("scout looks") &&
    heldAt.has("dream is asked") &&
    // The teammate has said that it is ready.
    tasks.pendingCount > 0 &&
    tasks.get(ids.get("monitor_mcp")!).detail === "files is up, web is up",
);
await session.compact();
writeFileSync(
  windowFile(place.folder),
  session.session.visible
    .flatMap(({ blocks }) => blocks.map(({ block }) => ("text" in block ? String(block.text) : "")))
    .join("\n"),
);
await until(() => existsSync(goFile(place.folder)));
for (const kind of ["in_process_teammate", "monitor_mcp"]) await tasks.stop(ids.get(kind)!, "enough");
for (const id of ids.values()) await tasks.wait(id);
await session.turn("Well?");
