/**
 * Random histories of agents at work, for laws of the layers: prompts, responses with thinking, words
 * and parallel calls, results together or one by one, reminders of the host in between. Unlike the
 * histories of `testing/arbitraries`, most of these are whole, so that layers find much to do.
 */
import fc from "fast-check";
import { history } from "palimpsest-testing/arbitraries";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import type { Edit } from "#transcript/edits.ts";
import type { Entry } from "#transcript/entries.ts";
import { type Projection, project } from "#transcript/projection.ts";
import { planRepair } from "#transcript/repair.ts";
import { TestLog } from "./histories.ts";

/** A message to append, or a request to send. */
export type AgentStep = Message | "call";

const words = fc.lorem({ maxCount: 12 });
const output = fc.oneof(
  { weight: 5, arbitrary: words },
  { weight: 2, arbitrary: fc.constantFrom("", "x".repeat(999), "x".repeat(1_000)) },
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 20, max: 400 })
      .map((lines) => `export const value_${lines} = ${lines};\n`.repeat(lines)),
  },
);

interface Call {
  readonly tool: string;
  readonly output: string;
  readonly isError: boolean;
  readonly argument: string;
  readonly hasCaller: boolean;
}

interface Round {
  readonly thinks: boolean;
  readonly says: string | undefined;
  readonly calls: readonly Call[];
  /** One message for each block of the response. */
  readonly isChunked: boolean;
  /** One message for each result. */
  readonly isSplit: boolean;
  readonly reminder: "none" | "in-results" | "message" | "system" | "before-results";
  readonly isAnswered: boolean;
  /** A server tool's program makes the calls; its output comes in the next response or never. */
  readonly program: "none" | "answered" | "lost";
}

const toolCall: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom("Read", "Grep", "Grep", "Glob", "Bash", "Write", "Agent", "mcp__db__query"),
  output,
  isError: fc.nat(7).map((value) => value === 0),
  argument: fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: output }),
  hasCaller: fc.nat(9).map((value) => value === 0),
});

const round: fc.Arbitrary<Round> = fc.record({
  thinks: fc.nat(3).map((value) => value === 0),
  says: fc.option(words, { nil: undefined }),
  calls: fc.array(toolCall, { maxLength: 3 }),
  isChunked: fc.boolean(),
  isSplit: fc.boolean(),
  reminder: fc.oneof(
    { weight: 6, arbitrary: fc.constant("none" as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "in-results" as const,
        "message" as const,
        "system" as const,
        "before-results" as const,
      ),
    },
  ),
  isAnswered: fc.nat(15).map((value) => value > 0),
  program: fc.oneof(
    { weight: 8, arbitrary: fc.constant("none" as const) },
    { weight: 1, arbitrary: fc.constantFrom("answered" as const, "answered" as const, "lost" as const) },
  ),
});

const prompt: fc.Arbitrary<Message> = fc.record({
  role: fc.constant("user" as const),
  content: words.map((text): readonly ContentBlock[] => [{ type: "text", text: `please ${text}` }]),
});

/** Turns of a prompt and its rounds. */
export function agentHistory({ maxTurns = 5, maxRounds = 8 } = {}): fc.Arbitrary<readonly AgentStep[]> {
  const turn = fc.tuple(prompt, fc.array(round, { maxLength: maxRounds }));
  const turns = fc.array(turn, { minLength: 1, maxLength: maxTurns });
  return fc.record({ turns, thinks: fc.boolean() }).map(({ turns, thinks }) => {
    let id = 0;
    return turns.flatMap(([words, rounds]): readonly AgentStep[] => [
      words,
      ...rounds.flatMap((one) => stepsOf({ ...one, thinks: one.thinks && thinks }, () => `id${id++}`)),
    ]);
  });
}

/** Histories of agents, and a few that are damaged in every way. */
export const anyHistory: fc.Arbitrary<readonly AgentStep[]> = fc.oneof(
  { weight: 4, arbitrary: agentHistory() },
  {
    weight: 1,
    arbitrary: history().map((steps) =>
      steps.flatMap((step): readonly AgentStep[] =>
        step.do === "append" ? [step.message] : step.do === "call" ? ["call"] : [],
      ),
    ),
  },
);

function stepsOf(round: Round, nextId: () => string): readonly AgentStep[] {
  const { thinks, says, calls, isChunked, isSplit, reminder, isAnswered, program } = round;
  const responseId = nextId();
  const ids = calls.map(nextId);
  const programId = program === "none" || calls.length === 0 ? undefined : `srvtoolu_${nextId()}`;
  const messages: ContentBlock[] = [
    ...(thinks ? [{ type: "thinking", thinking: "hm", signature: "c2ln" } as const] : []),
    ...(says === undefined ? [] : [{ type: "text", text: says } as const]),
    ...(programId === undefined
      ? []
      : [
          {
            type: "server_tool_use",
            id: programId,
            name: "code_execution",
            input: { code: says ?? "" },
          } as const,
        ]),
    ...calls.map(
      ({ tool, argument, hasCaller }, index): ContentBlock => ({
        type: "tool_use",
        id: ids[index]!,
        name: tool,
        input: { file_path: `src/${ids[index]}.ts`, content: argument },
        ...(hasCaller || programId !== undefined
          ? { caller: { type: "code_execution_20250825", tool_id: programId ?? "x" } }
          : {}),
      }),
    ),
  ];
  if (messages.length === 0) return [];
  const results = calls.map(
    ({ output, isError }, index): ContentBlock => ({
      type: "tool_result",
      tool_use_id: ids[index]!,
      content: output,
      ...(isError ? { is_error: true } : {}),
    }),
  );
  const words: ContentBlock = { type: "text", text: "<reminder>be kind</reminder>" };
  const reply = (content: readonly ContentBlock[]): Message => ({ role: "assistant", responseId, content });
  const user = (content: readonly ContentBlock[]): Message => ({ role: "user", content });
  const answers =
    !isAnswered || results.length === 0 ? [] : isSplit ? results.map((one) => user([one])) : [user(results)];
  const last = answers.at(-1);
  return [
    "call",
    ...(isChunked ? messages.map((block) => reply([block])) : [reply(messages)]),
    ...(reminder === "before-results" ? [user([words])] : []),
    ...(reminder === "in-results" && last !== undefined
      ? [...answers.slice(0, -1), user([...last.content, words])]
      : answers),
    ...(reminder === "message" ? [user([words])] : []),
    ...(reminder === "system" ? [{ role: "system", content: [words] } as const] : []),
    ...(programId === undefined || program === "lost" ? [] : outputOf(programId, nextId())),
  ];
}

/** The response in which a program ends. */
function outputOf(programId: string, responseId: string): readonly AgentStep[] {
  const content: readonly ContentBlock[] = [
    { type: "code_execution_tool_result", tool_use_id: programId, content: { stdout: "7" } },
    { type: "text", text: "that was it" },
  ];
  return ["call", { role: "assistant", responseId, content }];
}

/** A log that is folded along, as an engine without ports would keep it. */
export class FoldedLog {
  readonly log = new TestLog();
  projection: Projection = project([]);

  apply(entry: Entry): Entry {
    if (!this.projection.canApply(entry)) this.projection = project(this.log.entries.slice(0, -1));
    this.projection.apply(entry);
    return entry;
  }

  edit(edit: Edit): number {
    return this.apply(this.log.edit(edit)).seq;
  }

  /** Mends what a request needs, as often as it takes. */
  repair(): void {
    for (let pass = 0; pass < 5; pass++) {
      const repair = planRepair(this.projection.visible, this.projection.callSeqs);
      if (repair === undefined) return;
      this.edit(repair);
    }
  }

  step(step: AgentStep): void {
    if (step !== "call") this.apply(this.log.message(step));
    else {
      this.repair();
      this.apply(this.log.call());
    }
  }
}

/** The log after `steps`, mended so that it can be sent. */
export function foldHistory(steps: readonly AgentStep[]): FoldedLog {
  const folded = new FoldedLog();
  for (const step of steps) folded.step(step);
  folded.repair();
  return folded;
}
