/** Checks that imported messages can be sent: blocks fit their types, and no provider refuses the request. */
import { expect } from "vitest";
import type { ImportedItem } from "#palimpsest/importers/shared/imported-session.ts";
import { createSession } from "#palimpsest/session/lifecycle/open-session.ts";
import type { PreparedCall } from "#palimpsest/session/options/prepared-call.ts";
import { InMemorySessionStore } from "#palimpsest/stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#palimpsest/stores/platform/node-ports.ts";
import { findBlockMisfit } from "#palimpsest/transcript/entry-shape.ts";
import { WireJudge } from "#palimpsest-cli/replay/measure/wire-judge.ts";
import { FakeClock } from "#palimpsest-testing/fakes/fake-time.ts";
import { seededIds } from "#palimpsest-testing/fakes/seeded-ids.ts";

/** The request that a session of these items makes, each block checked on its way in; `undefined` where there is none. */
export async function prepareImported(
  items: readonly ImportedItem[],
  model: string,
): Promise<PreparedCall | undefined> {
  const session = await createSession({
    store: new InMemorySessionStore(),
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    window: { windowTokens: 64_000 },
  });
  let count = 0;
  for (const item of items) {
    if (item.type !== "message") continue;
    for (const block of item.message.content)
      expect(findBlockMisfit(block as unknown as Record<string, unknown>)).toBeUndefined();
    await session.append(item.message);
    count++;
  }
  if (count === 0) return undefined;
  const prepared = await session.prepare({ model }).catch((error: { code: string }) => {
    // Nothing in it that could be shown to a model.
    expect(error.code).toBe("NO_MESSAGES");
  });
  await session.close();
  return prepared ?? undefined;
}

export async function expectSendable(items: readonly ImportedItem[]): Promise<void> {
  const prepared = await prepareImported(items, "claude-sonnet-4-5");
  if (prepared === undefined) return;
  expect(new WireJudge({ hasAnthropicTools: false }).judge(prepared)).toEqual([]);
}
