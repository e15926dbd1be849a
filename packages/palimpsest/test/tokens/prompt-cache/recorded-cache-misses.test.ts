/**
 * The monitor against recorded sessions whose providers reported what was read from the cache.
 *
 * A recording holds messages, times, usage and compactions; system prompt, tools and parameters it
 * does not hold. So what the monitor can say of a miss is: expired, compacted, another model, an
 * earlier message changed (the recording was rewound), or nothing that is known.
 */
import { describe, expect, it } from "vitest";
import type { ImportedItem } from "#importers/shared/imported-session.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { resolveTariff } from "#tokens/price/resolve-tariff.ts";
import { type CacheMiss, PromptCacheMonitor } from "#tokens/prompt-cache/prompt-cache-monitor.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { corpusFiles, hasCorpus } from "../../../../../test/helpers/corpus.ts";

interface RecordedMiss extends CacheMiss {
  /** True if the call answers a user, not a tool. */
  readonly isAfterUser: boolean;
}

interface Watched {
  readonly calls: number;
  readonly misses: readonly RecordedMiss[];
}

function watch(items: readonly ImportedItem[]): Watched {
  const monitor = new PromptCacheMonitor();
  const messages: RequestMessage[] = [];
  const misses: RecordedMiss[] = [];
  let calls = 0;
  for (const item of items) {
    if (item.type === "boundary" || item.type === "microcompact") monitor.rewritten();
    if (item.type !== "message") continue;
    const { message, usage } = item;
    if (usage !== undefined && message.role === "assistant") {
      calls++;
      const model = message.model ?? "unknown";
      const sent = monitor.sent(
        { model, messages: [...messages] },
        { atMs: message.at ?? 0, tariff: resolveTariff({ model }) },
      );
      const miss = monitor.reported(sent, usage);
      const last = messages.at(-1)?.content ?? [];
      const isAfterUser = last.some(({ type }) => type === "text");
      if (miss !== undefined) misses.push({ ...miss, isAfterUser });
    }
    messages.push({ role: message.role, content: message.content });
  }
  return { calls, misses };
}

async function watchAll(folder: string): Promise<readonly Watched[]> {
  const watched: Watched[] = [];
  for (const { path } of corpusFiles(folder))
    for (const { items } of (await importFile(path)).sessions) watched.push(watch(items));
  return watched;
}

/** Misses and the tokens they re-billed, by cause. */
function byCause(watched: readonly Watched[]): Readonly<Record<string, readonly [number, number]>> {
  const found: Record<string, readonly [number, number]> = {};
  for (const { cause, rebilledTokens } of watched.flatMap(({ misses }) => misses)) {
    const [count, tokens] = found[cause.type] ?? [0, 0];
    found[cause.type] = [count + 1, tokens + rebilledTokens];
  }
  return found;
}

describe.skipIf(!hasCorpus)("cache misses of recorded sessions (skipped without the corpus)", () => {
  // Its first request is below the model's minimum, so the second one misses nothing.
  it("of pi: all at a user's message, most of them not explained by anything that was recorded", async () => {
    const watched = await watchAll("pi");
    expect(watched.map(({ calls }) => calls)).toEqual([471]);
    expect(byCause(watched)).toEqual({
      rewritten: [2, 54_356],
      cold: [1, 151_828],
      unknown: [9, 1_007_208],
    });
    expect(watched[0]!.misses.every(({ isAfterUser }) => isAfterUser)).toBe(true);
  });

  it("of Claude Code: three in four had to be so", async () => {
    const watched = await watchAll("claude-code");
    expect(watched.reduce((sum, { calls }) => sum + calls, 0)).toBe(2_842);
    expect(byCause(watched)).toEqual({
      cold: [40, 5_449_982],
      rewritten: [16, 492_149],
      unknown: [20, 2_248_155],
    });
  });
});
