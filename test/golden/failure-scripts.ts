/** Scripts of refusals, faults and other answers that go wrong. */
import { answer, callTool, refuse, say, think } from "#palimpsest-testing/entries/index.ts";
import { read, type Script, steps, WIRES, work } from "./script.ts";
import { runScript, SYSTEM } from "./scripted-run.ts";
import { TOOLS, workAt } from "./scripted-work.ts";

export const FAILURES: readonly Script[] = [
  ...WIRES.map(
    (wire, at): Script => ({
      name: `refused as too long on ${wire}`,
      live: (run) =>
        runScript(
          run,
          {
            ...{ wire, windowTokens: 64_000 },
            answer: steps([
              ...Array.from({ length: 8 }, (_, index) =>
                callTool("mcp__docs__get", { path: `${index}`, size: 2_500 }, `doc_${index}`),
              ),
              { fault: "prompt-too-long", windowTokens: 24_000, hasNumbers: at % 2 === 0 },
              ...Array.from({ length: 8 }, (_, index) =>
                callTool("mcp__docs__get", { path: `later ${index}`, size: 1_200 }, `late_${index}`),
              ),
            ]),
          },
          async (life) => {
            const tools = life.calm(TOOLS);
            await life.turn("Read everything.", { system: SYSTEM, tools });
            await life.turn("Go on.", { system: SYSTEM, tools });
          },
        ),
    }),
  ),
  {
    name: "a provider whose window is smaller",
    live: (run) =>
      runScript(
        run,
        { windowTokens: 64_000, providerTokens: 20_000, answer: (_, index) => workAt(index) },
        (life) => work(life, { turns: 3 }),
      ),
  },
  {
    name: "answers that go wrong",
    live: (run) =>
      runScript(
        run,
        {
          answer: steps([
            [think("First I read."), read(1)],
            answer("A report that is", { stopReason: "output-limit" }),
            refuse("I will not."),
            answer([]),
            "After nothing.",
            { fault: "overloaded" },
            { fault: "garbage", kind: "not-json" },
            { fault: "body-too-large" },
            "Then it answers.",
            { fault: "bad-request", message: "There is a rule that nobody knew." },
            answer("Paused", { stopReason: "paused" }),
            "and gone on.",
            answer("With figures that are none", { usage: "withheld" }),
            answer("Cut by the server", { truncatesPromptTo: 500 }),
          ]),
        },
        async (life) => {
          const tools = life.calm(TOOLS);
          for (let turn = 0; turn < 13; turn++)
            await life.turn(`Question ${turn}.`, { system: SYSTEM, tools });
        },
      ),
  },
  {
    name: "streams that are cut",
    live: (run) =>
      runScript(
        run,
        {
          answer: steps([
            {
              fault: "cut",
              afterEvents: 6,
              answer: answer([think("I see."), say("It begins well and goes on.")]),
            },
            { fault: "cut", afterEvents: 9, answer: answer([say("I read."), read(2)]) },
            { fault: "overloaded", isMidStream: true },
            "Whole again.",
          ]),
        },
        async (life) => {
          const tools = life.calm(TOOLS);
          for (let turn = 0; turn < 5; turn++)
            await life.turn(`Question ${turn}.`, { system: SYSTEM, tools, onEvent: () => {} });
        },
      ),
  },
  {
    name: "the same calls over and over",
    live: (run) =>
      runScript(
        run,
        { answer: (_, index) => callTool("Read", { file_path: "/repo/same.ts" }, `same_${index}`) },
        (life) => life.turn("Read it.", { system: SYSTEM, tools: life.calm(TOOLS) }),
      ),
  },
  {
    name: "few iterations",
    isShort: true,
    live: (run) =>
      runScript(run, { answer: (_, index) => workAt(index) }, (life) =>
        life.turn("Read it.", { system: SYSTEM, tools: life.calm(TOOLS), maxIterations: 3 }),
      ),
  },
];
