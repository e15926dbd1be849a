/** Whether what was imported can be sent: blocks that fit their types, and a request nobody refuses. */
import { expect } from "vitest";
import { InMemorySessionStore } from "../../src/adapters/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "../../src/adapters/node/node-hasher.ts";
import { createSession } from "../../src/engine/open-session.ts";
import type { PreparedCall } from "../../src/engine/prepared-call.ts";
import type { ImportedItem } from "../../src/formats/imported-session.ts";
import { WireJudge } from "../../src/hosts/cli/wire-judge.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { seededIds } from "../../src/testing/seeded-ids.ts";
import { findBlockMisfit } from "../../src/transcript/entry-shape.ts";

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
