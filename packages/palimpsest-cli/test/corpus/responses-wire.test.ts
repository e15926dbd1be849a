/**
 * Recorded sessions of OpenAI's models on OpenAI's own wire: through windows in which much is taken
 * out, no Responses request is one that the API refuses, encrypted reasoning and custom tools included.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSessions } from "palimpsest";
import { importFile, toOpenAIResponses } from "palimpsest/formats";
import { judgeOpenAIResponsesRequest } from "palimpsest-testing";
import { afterAll, describe, expect, it } from "vitest";
import { planReplay } from "#replay/measure/replay-plan.ts";
import { mainModel } from "#replay/measure/source-figures.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { isLong } from "../../../../test/helpers/size-of-run.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-responses-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = [
  ...corpusFiles("codex").map((file) => ({ ...file, windowTokens: 16_000 })),
  ...corpusFiles("copilot").map((file) => ({ ...file, windowTokens: 64_000 })),
];

describe.skipIf(!hasCorpus || !isLong)("Responses requests (in the long suite, with the corpus)", () => {
  it.each(runs)("of $id in a window of $windowTokens are accepted", async ({ path, windowTokens }) => {
    const imported = (await importFile(path)).sessions[0]!;
    const { system } = imported;
    const session = await nodeSessions({ folder }).create({
      durability: "process",
      window: { windowTokens },
    });
    let callsCount = 0;
    for (const step of planReplay(imported.items)) {
      if (step.type === "append") await session.append(step.item.message);
      if (step.type !== "call") continue;
      const { messages } = await session.prepare({ model: mainModel(imported), system: system! });
      const body = { model: "gpt-5.5", instructions: system, input: toOpenAIResponses(messages) };
      expect(judgeOpenAIResponsesRequest(body)).toEqual([]);
      callsCount++;
      if (step.answer.length > 0)
        await session.record({ messages: step.answer.map(({ message }) => message) });
    }
    await session.close();
    expect(callsCount).toBeGreaterThan(20);
  });
});
