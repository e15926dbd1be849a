/** What a killed program leaves of its task, by the kind and the state that it is killed in. */
import type { TaskKindName } from "#palimpsest/tasks/task-record.ts";

/**
 * `starting`: only its start is recorded. `started`: what it needs after a crash is. `asked`: a worker was asked, and
 * its answer is not recorded. `running`, `waiting`: in the middle. `stopping`: it was asked to end. `ending`: it is
 * over, and its end is not recorded. `ended`: its end is recorded. `synced`: it is about to be reported. `told`: it is
 * in the session's log, and the model is being asked.
 */
export type CrashState =
  | "starting"
  | "started"
  | "asked"
  | "running"
  | "waiting"
  | "stopping"
  | "ending"
  | "ended"
  | "synced"
  | "told";

export interface CrashCase {
  readonly kind: TaskKindName;
  readonly state: CrashState;
  /** After the kill. */
  readonly status: "interrupted" | "done" | "stopped";
  readonly output: string;
  /** After the task was resumed, where it was interrupted. */
  readonly resumed: string;
}

interface KindOutputs {
  /** How it ends. */
  readonly end: "done" | "stopped";
  /** Output of its beginning, in the middle, where it waits, and of all of it. */
  readonly middle: string;
  readonly waiting: string;
  readonly whole: string;
  /** What follows when it is resumed: from the middle, where it waited, and when it was over. */
  readonly fromMiddle: string;
  readonly fromWaiting: string;
  readonly fromWhole: string;
  /** Output by the time of its first record after the start; absent where there is none before the end. */
  readonly started?: string;
}

const SECOND = "== 2/3 second\none\ntwo\n";
const THIRD = "== 3/3 third\none\n[look {}]\nFound it.\n";
const UP = "files is connected\nweb is connected\n";

const KINDS: Readonly<Record<TaskKindName, KindOutputs>> = {
  local_bash: {
    end: "done",
    started: "",
    middle: "one\ntwo\n",
    waiting: "one\nContinue? [y/N] ",
    whole: "one\ntwo\n",
    // A command begins again.
    fromMiddle: "one\ntwo\n",
    fromWaiting: "one\nContinue? [y/N] ",
    fromWhole: "one\ntwo\n",
  },
  local_agent: {
    end: "done",
    started: "",
    middle: "one\n[look {}]\n",
    waiting: "one\n[look {}]\n",
    whole: "one\n[look {}]\nFound it.\n",
    fromMiddle: "Found it.\n",
    fromWaiting: "Found it.\n",
    fromWhole: "Found it.\n",
  },
  remote_agent: {
    end: "done",
    started: "",
    middle: "one\n[look {}]\n",
    waiting: "",
    whole: "one\n[look {}]\nFound it.\n",
    fromMiddle: "Found it.\n",
    fromWaiting: "one\n[look {}]\nFound it.\n",
    fromWhole: "",
  },
  in_process_teammate: {
    end: "stopped",
    started: "",
    middle: "Ready.\n",
    waiting: "Ready.\n",
    whole: "Ready.\n",
    fromMiddle: "Back.\n",
    fromWaiting: "Back.\n",
    fromWhole: "Back.\n",
  },
  local_workflow: {
    end: "done",
    started: "== 1/3 first\n",
    middle: `== 1/3 first\none\n${SECOND}`,
    waiting: "== 1/3 first\none\n",
    whole: `== 1/3 first\none\n${SECOND}${THIRD}`,
    // It goes on from its step.
    fromMiddle: SECOND + THIRD,
    fromWaiting: SECOND + THIRD,
    fromWhole: "",
  },
  monitor_mcp: {
    end: "stopped",
    started: "",
    middle: UP,
    waiting: "files is connected\nweb does not answer\n",
    whole: UP,
    fromMiddle: UP,
    fromWaiting: UP,
    fromWhole: UP,
  },
  dream: {
    end: "done",
    middle: "",
    waiting: "",
    whole: "APPLIED\n",
    fromMiddle: "APPLIED\n",
    fromWaiting: "APPLIED\n",
    fromWhole: "Everything is as it should be.\n",
  },
};

function casesOf(kind: TaskKindName): readonly CrashCase[] {
  const known = KINDS[kind];
  const left = (state: CrashState, output: string, more: string): CrashCase => ({
    kind,
    state,
    status: "interrupted",
    output,
    resumed: output + more,
  });
  const over = (state: CrashState): CrashCase => {
    const { end, whole } = known;
    return { kind, state, status: end, output: whole, resumed: whole };
  };
  return [
    left("starting", "", known.whole),
    ...(known.started === undefined ? [] : [left("started", known.started, known.whole)]),
    ...(kind === "remote_agent" ? [left("asked", "", known.whole)] : []),
    left("running", known.middle, known.fromMiddle),
    left("waiting", known.waiting, known.fromWaiting),
    left("stopping", known.middle, known.fromMiddle),
    left("ending", known.whole, known.fromWhole),
    over("ended"),
    over("synced"),
    over("told"),
  ];
}

export const CRASH_CASES: readonly CrashCase[] = (Object.keys(KINDS) as TaskKindName[]).flatMap(casesOf);
