/**
 * The monitor against recorded sessions whose providers reported what was read from the cache.
 *
 * A recording holds messages, times, usage and compactions; system prompt, tools and parameters it
 * does not hold. So what the monitor can say of a miss is: expired, compacted, another model, an
 * earlier message changed (the recording was rewound), or nothing that is known.
 */
import type { ImportedItem } from "#importers/shared/imported-session.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { resolveTariff } from "#tokens/price/resolve-tariff.ts";
import { type CacheMiss, PromptCacheMonitor } from "#tokens/prompt-cache/prompt-cache-monitor.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { corpusFiles } from "../../../../../test/helpers/corpus.ts";

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

export async function watchAll(folder: string): Promise<readonly Watched[]> {
  const watched: Watched[] = [];
  for (const { path } of corpusFiles(folder))
    for (const { items } of (await importFile(path)).sessions) watched.push(watch(items));
  return watched;
}

/** Misses and the tokens they re-billed, by cause. */
export function byCause(watched: readonly Watched[]): Readonly<Record<string, readonly [number, number]>> {
  const found: Record<string, readonly [number, number]> = {};
  for (const { cause, rebilledTokens } of watched.flatMap(({ misses }) => misses)) {
    const [count, tokens] = found[cause.type] ?? [0, 0];
    found[cause.type] = [count + 1, tokens + rebilledTokens];
  }
  return found;
}
