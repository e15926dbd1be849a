/** Summaries for the price's sake are written while the turn goes on; hooks have a say in them, too. */
import { describe, expect, it } from "vitest";
import { SUMMARY } from "#test/agent/fake-model.ts";
import { docsTool, type Stage, type StageOptions, setTheStage } from "#test/agent/stage.ts";

const tools = [docsTool(400)];
/** A window in which carrying on costs more than a summary long before it is full. */
const cheap = (options: StageOptions = {}): Promise<Stage> =>
  setTheStage({
    calls: 60,
    ...options,
    window: { windowTokens: 64_000, policy: "economy", earlySummary: "model", ...options.window },
  });

it("the turn goes on while the summary is written, and what was said meanwhile stands behind it", async () => {
  let begunAt = Number.POSITIVE_INFINITY;
  let answers = 0;
  let finish = (_: string): void => undefined;
  const stage = await cheap({
    summary: () => {
      begunAt = answers;
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
    answer: (_, index) => {
      answers = index;
      if (index === begunAt + 5) finish(SUMMARY);
      return index > begunAt + 10
        ? "Done."
        : [
            {
              type: "tool_use",
              id: `c${index}`,
              name: "mcp__docs__get",
              input: { path: `src/f${index}.ts` },
            },
          ];
    },
  });
  await stage.session.turn("Read everything.", { tools });
  expect(stage.eventNames()).toEqual(["summary-call forked: written", "full (rent)"]);
  const shown = JSON.stringify(stage.session.session.visible);
  expect(shown).toContain("mend the parser");
  expect(shown).toContain(`src/f${begunAt + 4}.ts`);
});

it("one that fails is made without a model", async () => {
  const { session, eventNames } = await cheap({ summary: () => "I go on with the work." });
  await session.turn("Read everything.", { tools });
  expect(eventNames().slice(0, 2)).toEqual(["summary-call forked: not-a-summary", "extractive (rent)"]);
});

it("on a strict session none is written ahead", async () => {
  const { session, eventNames } = await cheap({ window: { editSafety: "strict" } });
  await session.turn("Read everything.", { tools });
  expect(eventNames()[0]).toBe("extractive (rent)");
});

it("a hook is asked before it, and may change its instructions", async () => {
  const asked: string[] = [];
  const { session, model } = await cheap({
    hooks: {
      preCompact: ({ trigger, reason }) => {
        asked.push(`${trigger} ${reason}`);
        return { instructions: "Keep the names of all birds." };
      },
    },
  });
  await session.turn("Read everything.", { tools });
  expect(asked).toEqual(["auto rent"]);
  const summaries = model.requests.filter(({ messages }) =>
    JSON.stringify(messages).includes("<summary> tags"),
  );
  expect(JSON.stringify(summaries[0]?.messages.at(-1))).toContain("Keep the names of all birds.");
});

it("a hook may veto it for as long as there is room, and is asked again", async () => {
  let count = 0;
  const { session, eventNames } = await cheap({
    hooks: { preCompact: () => (++count <= 3 ? { veto: "not now" } : undefined) },
  });
  await session.turn("Read everything.", { tools });
  expect(eventNames()).toEqual([
    "compaction-vetoed",
    "compaction-vetoed",
    "compaction-vetoed",
    "summary-call forked: written",
    "full (rent)",
  ]);
});

it("one that is being written is given up with the session", async () => {
  let aborted = false;
  const { session, palimpsest, model } = await cheap();
  const { generate } = model;
  Object.assign(model, {
    generate: (request: Parameters<typeof generate>[0], options: Parameters<typeof generate>[1]) => {
      if (!JSON.stringify(request.messages.at(-1)).includes("<summary> tags")) return generate(request);
      return new Promise((_, reject) =>
        options?.signal?.addEventListener("abort", () => {
          aborted = true;
          reject(options.signal?.reason);
        }),
      );
    },
  });
  await session.turn("Read everything.", { tools });
  await palimpsest.close();
  expect(aborted).toBe(true);
});

describe("with `earlySummary: log`", () => {
  const fromLog = (options: StageOptions = {}): Promise<Stage> =>
    cheap({ ...options, window: { earlySummary: "log", ...options.window } });

  it("no model is asked before the window is full", async () => {
    const { session, model, eventNames } = await fromLog();
    await session.turn("Read everything.", { tools });
    expect(new Set(eventNames())).toEqual(new Set(["extractive (rent)"]));
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain("<summary> tags");
  });

  it("a model is asked when it is", async () => {
    const { session, eventNames } = await fromLog({
      window: { windowTokens: 24_000, policy: "faithful", disabledLayers: ["offload", "microcompact"] },
    });
    await session.turn("Read everything.", { tools });
    expect(eventNames().slice(0, 2)).toEqual(["summary-call forked: written", "full (threshold)"]);
  });

  it("a hook is asked first, and its veto counts for as long as there is room", async () => {
    const asked: string[] = [];
    const { session, eventNames } = await fromLog({
      hooks: {
        preCompact: ({ trigger, reason }) => {
          asked.push(`${trigger} ${reason}`);
          return asked.length < 3 ? { veto: "Not yet." } : undefined;
        },
      },
    });
    await session.turn("Read everything.", { tools });
    expect(asked.slice(0, 3)).toEqual(["auto rent", "auto rent", "auto rent"]);
    expect(eventNames().filter((name) => name.startsWith("summary-call"))).toEqual([]);
    expect(eventNames()).toContain("extractive (rent)");
  });
});
