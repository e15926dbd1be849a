/** A program that is killed while it runs a task: `task-host.ts <state> <folder>`. Dies in that state by SIGKILL. */
import { createPalimpsest, functionModel, systemTimer } from "palimpsest";

const [state = "", folder = ""] = process.argv.slice(2);
const COMMANDS: Readonly<Record<string, string>> = {
  starting: "echo one; sleep 600",
  running: "echo one; echo two; (setsid sleep 600 &); sleep 600",
  waiting: "echo one; printf 'Continue? [y/N] '; read -r answer",
  stopping: "trap '' TERM; echo one; sleep 600 & while :; do sleep 0.05; done",
  ended: "echo one; exit 3",
};

const die = (): void => void process.kill(process.pid, "SIGKILL");
let laterMs = 0;
const palimpsest = createPalimpsest({
  model: functionModel(async () => "Done.", { model: "claude-opus-4-5" }),
  folder,
  clock: { nowMs: () => Date.now() + laterMs },
  timer: { every: (ms, work) => systemTimer.every(Math.min(ms, 5), work) },
  observer: {
    onEvent: (event) => {
      if (event.type !== "task") return;
      if (state === "waiting" && event.what === "waiting") die();
      if (state === "ended" && event.what === "ended") die();
    },
  },
});
const session = await palimpsest.session("work");
await session.turn("Hello.");
const started = session.tasks.start("local_bash", {
  command: COMMANDS[state] ?? "",
  stdin: state === "waiting" ? "open" : "closed",
});
if (state === "starting") die();
const { id } = await started;
for await (const { text } of session.tasks.follow(id)) {
  if (text === "") continue;
  if (state === "running") die();
  if (state === "stopping") {
    void session.tasks.stop(id);
    setImmediate(die);
  }
  // A minute of silence.
  if (state === "waiting") laterMs = 60_000;
}
