/**
 * A session whose messages are small for its window can go on, whatever its provider reports, however often its model
 * and its policy change, and however long it pauses: no call ends with `WINDOW_TOO_SMALL`.
 */
import fc from "fast-check";
import type { FakeClock } from "palimpsest-testing";
import { expect, it } from "vitest";
import { POLICY_NAMES, type PolicyName } from "#compaction/planner/cost-policy.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { assistant, call, result, text, user } from "../../../../test/helpers/windows.ts";

const RUNS = bySize({ usual: 2, long: 20, soak: 4_000 });
const MODELS = ["claude-opus-4-5", "claude-opus-5-5", "gpt-5.5", "gpt-4.1"] as const;
const POLICIES = POLICY_NAMES.filter((name): name is Exclude<PolicyName, "off"> => name !== "off");
const MINUTE_MS = 60_000;

const aRound = fc.record({
  does: fc.constantFrom("reads", "reads", "says"),
  /** Lines of what is read or said. */
  lines: fc.integer({ min: 1, max: 120 }),
  /** Share of a plain estimate that the vendor reports; none: it reports nothing. */
  reportedShare: fc.option(fc.double({ min: 0.3, max: 1.3, noNaN: true }), { freq: 4 }),
  pauseMinutes: fc.constantFrom(0, 0, 0, 1, 120),
});
const aPart = fc.record({
  policy: fc.constantFrom(...POLICIES),
  model: fc.constantFrom(...MODELS),
  rounds: fc.array(aRound, { minLength: 20, maxLength: 80 }),
});

it("never ends a session whose messages are small", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(32_000, 64_000, 200_000),
      fc.array(aPart, { minLength: 1, maxLength: 4 }),
      async (windowTokens, parts) => {
        const { options } = await aSession();
        const clock = options.clock as FakeClock;
        let sessionId: string | undefined;
        let id = 0;
        for (const { policy, model, rounds } of parts) {
          const withPolicy = { ...options, window: { windowTokens, policy } };
          const session =
            sessionId === undefined
              ? await createSession(withPolicy)
              : await openSession(sessionId, withPolicy);
          sessionId = session.id;
          for (const { does, lines, reportedShare, pauseMinutes } of rounds) {
            id++;
            clock.advance(pauseMinutes * MINUTE_MS);
            await session.append(user(`go on with part ${id}`));
            const content = `line of part ${id} that is read or said here\n`.repeat(lines);
            const answers = [
              does === "reads"
                ? assistant(`a${id}`, call(`c${id}`, "Read", { file_path: `/src/${id}.ts` }))
                : assistant(`a${id}`, text(content)),
              ...(does === "reads" ? [result(`c${id}`, content), assistant(`b${id}`, text("Done."))] : []),
            ];
            for (const message of answers) {
              if (message.role === "user") {
                await session.append(message);
                continue;
              }
              const { messages } = await session.prepare({ model });
              const inputTokens = Math.round((JSON.stringify(messages).length / 4) * (reportedShare ?? 1));
              const usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 40 };
              await session.record({
                messages: [message],
                ...(reportedShare === null ? {} : { usage }),
              });
            }
          }
          await session.close();
        }
        expect(id).toBeGreaterThan(0);
      },
    ),
    { numRuns: RUNS },
  );
});
