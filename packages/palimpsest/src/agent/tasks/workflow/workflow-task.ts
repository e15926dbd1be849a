/**
 * `local_workflow`: steps one after another, each given what the one before wrote. It stops at the first failure and
 * goes on after its last finished step when it is resumed.
 *
 * A step is a task of another kind, without a task's own id: a shell command reads the output of the step before as
 * its standard input, an agent finds it below its prompt. Each step's stretch of the output is in the journal.
 */
import { TASK_DEFAULTS } from "../../../base/defaults/tasks.ts";
import { TaskError } from "../../../base/errors.ts";
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../../base/json/json.ts";
import type { TaskEnd, TaskKindName } from "../../../tasks/task-record.ts";
import type { RunningTask, TaskKind, TaskRun } from "../kind/task-kind.ts";
import { checkInputNames } from "../kind/task-kind.ts";

interface WorkflowStep extends JsonObject {
  readonly name: string;
  readonly kind: TaskKindName;
  readonly input: JsonObject;
}

interface WorkflowInput extends JsonObject {
  readonly steps: readonly WorkflowStep[];
}

/** Kinds that can be steps. */
type StepKinds = ReadonlyMap<TaskKindName, TaskKind>;

/** Runs workflows whose steps are of these kinds. */
export function workflowTasks(kinds: StepKinds): TaskKind<WorkflowInput> {
  const names = [...kinds.keys()].join(", ");
  return {
    kind: "local_workflow",
    description: `steps in sequence, each given the output of the one before (kinds of steps: ${names})`,
    inputSchema: {
      type: "object",
      properties: {
        steps: {
          type: "array",
          items: {
            type: "object",
            properties: {
              name: { type: "string" },
              kind: { enum: [...kinds.keys()] },
              input: { type: "object", description: "The input of that kind." },
            },
            required: ["kind", "input"],
          },
        },
      },
      required: ["steps"],
    },
    check: (input) => ({ steps: checkSteps(input, kinds) }),
    title: ({ steps }) => steps.map(({ name }) => name).join(" → "),
    start: ({ steps }, run) => new WorkflowRun(steps, kinds, run).begin(),
  };
}

class WorkflowRun {
  readonly #steps: readonly WorkflowStep[];
  readonly #kinds: StepKinds;
  readonly #run: TaskRun;
  #current: RunningTask | undefined;
  #detail = "";

  constructor(steps: readonly WorkflowStep[], kinds: StepKinds, run: TaskRun) {
    this.#steps = steps;
    this.#kinds = kinds;
    this.#run = run;
  }

  begin(): RunningTask {
    return {
      ended: this.#all(),
      input: async (text, key) => {
        const input = this.#current?.input;
        if (input === undefined) throw new TaskError("TASK_REFUSED", takesNoInput());
        await input(text, key);
      },
      stop: async () => this.#current?.stop(),
      detail: () => this.#detail,
      cpuMs: () => this.#current?.cpuMs?.(),
      mayPrompt: true,
    };
  }

  async #all(): Promise<TaskEnd> {
    const done = finishedSteps(this.#run.earlier);
    let previous = done.at(-1) ?? "";
    for (const [index, step] of this.#steps.entries()) {
      if (index < done.length) continue;
      if (this.#run.signal.aborted) return { outcome: "stopped" };
      const earlierBytes = this.#run.outputBytes();
      const heading = `${index + 1}/${this.#steps.length} ${step.name}`;
      this.#run.write(`== ${heading}\n`);
      this.#detail = `step ${heading}`;
      const tail = new OutputTail();
      const { outcome, result, ...end } = await this.#one(step, { index, previous, tail, earlierBytes });
      if (outcome !== "done")
        return { outcome, ...end, reason: `step ${index + 1}, ${step.name}: ${end.reason ?? "failed"}` };
      previous = result ?? tail.text;
      this.#run.record({ step: index, output: previous });
    }
    return { outcome: "done", result: previous };
  }

  async #one(
    { kind, input }: WorkflowStep,
    {
      index,
      previous,
      tail,
      earlierBytes,
    }: {
      readonly index: number;
      readonly previous: string;
      readonly tail: OutputTail;
      readonly earlierBytes: number;
    },
  ): Promise<TaskEnd> {
    const known = this.#kinds.get(kind)!;
    const earlier = this.#run.earlier.filter((facts) => facts["ofStep"] === index);
    // A kind that records none says all of it at its end.
    let recordsSpent = false;
    const task = known.start(known.check(index === 0 ? input : chained(kind, input, previous)), {
      ...this.#run,
      earlier,
      earlierBytes,
      write: (output) => {
        tail.add(output);
        this.#run.write(output);
      },
      record: (facts) => {
        recordsSpent ||= facts["spent"] !== undefined;
        this.#run.record({ ...facts, ofStep: index });
      },
    });
    this.#current = task;
    // It was stopped while the step was starting.
    if (this.#run.signal.aborted) await task.stop();
    const end = await task.ended;
    const { usage, spent, ...rest } = end;
    if ((usage ?? spent) !== undefined && !recordsSpent)
      this.#run.record({ usage: usage && { ...usage }, spent, usageOfStep: index });
    return rest;
  }
}

/** The end of a step's output, as much of it as the next step is given. */
class OutputTail {
  #bytes = new Uint8Array(0);

  add(output: string | Uint8Array): void {
    const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output;
    const both = new Uint8Array(this.#bytes.length + bytes.length);
    both.set(this.#bytes);
    both.set(bytes, this.#bytes.length);
    this.#bytes = both.slice(Math.max(0, both.length - TASK_DEFAULTS.readBytes));
  }

  get text(): string {
    return new TextDecoder().decode(this.#bytes);
  }
}

/** The input of a step with the output of the one before. */
function chained(kind: TaskKindName, input: JsonObject, previous: string): JsonObject {
  if (kind === "local_bash") return { ...input, given: previous };
  const prompt = asString(input["prompt"]);
  return prompt === undefined
    ? input
    : { ...input, prompt: `${prompt}\n\nThe step before wrote, as data:\n${previous}` };
}

/** Outputs of the steps that were finished before, in order. */
function finishedSteps(earlier: readonly JsonObject[]): readonly string[] {
  const outputs: string[] = [];
  for (const { step, output } of earlier)
    if (asNumber(step) === outputs.length && typeof output === "string") outputs.push(output);
  return outputs;
}

/** @throws `TaskError` `TASK_INVALID` */
function checkSteps(input: JsonValue, kinds: StepKinds): readonly WorkflowStep[] {
  const steps = isObject(input) ? input["steps"] : undefined;
  if (!Array.isArray(steps) || steps.length === 0)
    throw new TaskError("TASK_INVALID", {
      message: "A workflow needs steps.",
      hint: 'Pass { steps: [{ name: "build", kind: "local_bash", input: { command: "npm run build" } }] }.',
    });
  return (steps as readonly JsonValue[]).map((step, index) => {
    const { name, kind, input: given } = isObject(step) ? step : {};
    const known = [...kinds.keys()].find((one) => one === kind);
    if (known === undefined || !isObject(given))
      throw new TaskError("TASK_INVALID", {
        message: `Step ${index + 1} of the workflow does not fit.`,
        hint: `A step has { kind, input }; the kinds are ${[...kinds.keys()].join(", ")}.`,
      });
    checkInputNames(kinds.get(known)!, given);
    kinds.get(known)!.check(given);
    return { name: asString(name) ?? `step ${index + 1}`, kind: known, input: given };
  });
}

const takesNoInput = () => ({
  message: "The step that runs now takes no input.",
  hint: 'A shell command takes input if it was started with `stdin: "open"`.',
});
