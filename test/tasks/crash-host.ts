/**
 * A program that is killed while it runs one task, in a state of that task:
 * `crash-host.ts <JSON of { place, kind, state }>`.
 */
import { systemTimer } from "palimpsest";
import { DreamJournal } from "#palimpsest/agent/memory/consolidation/dream-journal.ts";
import { systemDeadline } from "#palimpsest/stores/platform/node-ports.ts";
import type { TaskKindName } from "#palimpsest/tasks/task-record.ts";
import { type CrashPlace, inputsIn, letGo, openAllKinds, type Point } from "./all-kinds.ts";
import type { CrashState } from "./crash-cases.ts";
import { standStill, watchJournals } from "./crash-points.ts";

interface Asked {
  readonly place: CrashPlace;
  readonly kind: TaskKindName;
  readonly state: CrashState;
}

const { place, kind, state } = JSON.parse(process.argv[2] ?? "") as Asked;

let hasEnded = false;
watchJournals({
  before: ({ type, facts }) => {
    if (state === "ending" && type === "end") standStill();
    if (state === "asked" && "remote" in facts) standStill();
  },
  after: ({ type, facts }) => {
    if (state === "starting" && type === "start") standStill();
    if (state === "started" && type === "facts") standStill();
    if (state === "waiting" && facts["step"] === 0) standStill();
    hasEnded ||= type === "end";
    if (state === "ended" && hasEnded) standStill();
  },
  synced: () => {
    if (state === "synced" && hasEnded) standStill();
  },
});
/** Between the plan of a dream and the change. */
const { write } = DreamJournal.prototype;
DreamJournal.prototype.write = async function (record) {
  await write.call(this, record);
  if (state === "waiting" && record.state === "planned") standStill();
};

const isToEnd = ["ending", "ended", "synced", "told"].includes(state);
const HELD: readonly Point[] =
  state === "waiting" ? ["scout looks"] : ["scout answers", "mate works", "dream is asked"];
const reached = new Set<Point>();
let laterMs = 0;
let isRetrying = false;
const palimpsest = openAllKinds(
  place,
  (point) => {
    if (state === "told" && point === "main is asked" && hasEnded) standStill();
    if (isToEnd || !HELD.includes(point)) return undefined;
    reached.add(point);
    return new Promise(() => undefined);
  },
  {
    clock: { nowMs: () => Date.now() + laterMs },
    timer: { every: (ms, work) => systemTimer.every(Math.min(ms, 5), work) },
    deadline: {
      after: (ms, work) => {
        // The first pause of a remote agent that does not reach its worker, and of a monitor.
        isRetrying ||= ms === 1_000;
        return systemDeadline.after(ms, work);
      },
    },
  },
);
const session = await palimpsest.session("work");
await session.turn("Hello.");
const { tasks } = session;
if (isToEnd) letGo(place.folder);
const input =
  kind === "local_bash" && state === "waiting"
    ? { command: "echo one; printf 'Continue? [y/N] '; read -r answer", stdin: "open" }
    : inputsIn(place.folder)[kind];
const { id } = await tasks.start(kind, input);
const text = (): string => {
  const piece = tasks.read(id);
  return piece.text + piece.pending;
};
const isIdle = (): boolean => tasks.pendingCount > 0;

/** True once the task is as it is to be killed. */
const IS_THERE: Readonly<Record<TaskKindName, () => boolean>> = {
  local_bash: () => {
    if (state !== "waiting") return text().includes("two\n");
    // A minute of silence.
    if (text().includes("[y/N]")) laterMs = 60_000;
    return tasks.get(id).silence?.state === "waiting";
  },
  local_agent: () => reached.has(state === "waiting" ? "scout looks" : "scout answers"),
  remote_agent: () => (state === "waiting" ? isRetrying : text().includes("one\n")),
  in_process_teammate: () => (state === "waiting" ? isIdle() : reached.has("mate works")),
  local_workflow: () => text().includes("two\n"),
  monitor_mcp: () => tasks.get(id).detail === `files is up, web is ${state === "waiting" ? "down" : "up"}`,
  dream: () => reached.has("dream is asked"),
};
const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
};

if (!isToEnd) {
  if (kind === "in_process_teammate") {
    await until(isIdle);
    if (state !== "waiting") await tasks.input(id, "Do it.");
  }
  await until(IS_THERE[kind]);
  if (state === "stopping") void tasks.stop(id);
  standStill();
}
if (kind === "in_process_teammate" || kind === "monitor_mcp") {
  await until(kind === "monitor_mcp" ? IS_THERE[kind] : isIdle);
  await tasks.stop(id, "enough");
}
await tasks.wait(id);
await session.turn("Well?");
