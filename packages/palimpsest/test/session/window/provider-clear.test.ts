/** Clearing by the provider voids the report of the window, so it is not asked for where that would fill the window. */
import { expect, it } from "vitest";
import { createSession } from "#session/lifecycle/open-session.ts";
import { internalsOf } from "#session/session.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

it.each([
  { autoCompact: false, ending: "goes on" },
  { autoCompact: true, ending: "is not summarised before its gate" },
])("a window that only an estimate calls full $ending (autoCompact $autoCompact)", async ({
  autoCompact,
}) => {
  const { options } = await aSession();
  const layers: string[] = [];
  const session = await createSession({
    ...options,
    observer: { onEvent: (event) => event.type === "layer" && layers.push(event.layer) },
    window: {
      ...{ windowTokens: 64_000, policy: "faithful", editSafety: "strict", autoCompact },
      providerEdits: { clear: true },
    },
  });
  const { budgets, tracker } = internalsOf(session);
  const endpointEdits = {
    ...{ clearsResults: true, clearsThinking: true, compacts: false, compactsOnDemand: false },
    leastCompactTokens: 50_000,
  };
  const answer = async (model: string, message: ReturnType<typeof assistant>): Promise<void> => {
    await session.prepare({ model, endpointEdits });
    const inputTokens = Math.round(tracker.ledger.estimateKnown().tokens * 0.75);
    const usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10 };
    await session.record({ messages: [message], usage });
  };
  const { microcompactGateTokens, autoCompactGateTokens } = budgets.budget;
  for (let turn = 0; turn < 12; turn++) {
    await session.append(user(`read ${turn}`));
    await answer("claude-sonnet-4-5", assistant(`r${turn}`, call(`c${turn}`, "Read", { file_path: "/a" })));
    await session.append(result(`c${turn}`, "some line of code here\n".repeat(180)));
    await answer("claude-sonnet-4-5", assistant(`s${turn}`, text("Read.")));
  }
  // Too little at a time to learn from how much this model counts.
  for (let turn = 0; session.tokens.padded < microcompactGateTokens + 500; turn++) {
    await session.append(user(`${turn} some words to keep in mind `.repeat(12)));
    await answer("claude-opus-4-5", assistant(`w${turn}`, text("Noted.")));
  }
  expect(session.tokens.padded).toBeLessThan(autoCompactGateTokens);
  await session.append(user("And now?"));
  await answer("claude-opus-4-5", assistant("last", text("Now.")));
  expect(layers).toEqual([]);
});
