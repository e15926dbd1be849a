/**
 * The prompt cache of a session's calls: chooses which messages carry cache marks, and reports why a call missed the
 * cache. The rules are in `tokens/prompt-cache/`; this file gives them the session's window and calls.
 */
import { PROMPT_CACHE_DEFAULTS } from "../../base/defaults/tokens/prompt-cache.ts";
import { clearableToolsOf } from "../../compaction/planner/policies.ts";
import { toolKey } from "../../compaction/shared/tool-kinds.ts";
import { isCleared } from "../../compaction/shared/tool-results.ts";
import { type ResolvedTariff, resolveTariff } from "../../tokens/price/resolve-tariff.ts";
import { MarkMemory, planBreakpoints } from "../../tokens/prompt-cache/breakpoints.ts";
import { HeadLifetime } from "../../tokens/prompt-cache/head-lifetime.ts";
import { PromptCacheMonitor, type SentPrompt } from "../../tokens/prompt-cache/prompt-cache-monitor.ts";
import type { ContentBlock, Usage } from "../../transcript/blocks.ts";
import type { Projection } from "../../transcript/projection.ts";
import type { CacheMark, RequestMessage, VisibleBlock, VisibleMessage } from "../../transcript/window.ts";
import type { CacheLifetimes } from "../model/model-call.ts";
import type { CallRequest } from "../options/prepared-call.ts";
import type { WindowOptions } from "../options/session-options.ts";
import type { FixedPart } from "./fixed-part.ts";
import type { WindowParts } from "./session-parts.ts";

/** Models as their vendor spells them: other clouds offer entries of an hour for some models and in some regions only. */
const FIRST_PARTY = /^claude-[a-z0-9.-]+$/i;

/** Calls that left and were not reported yet; a host retries a call a few times, not more. */
const REMEMBERED = 8;

/** A request that is about to leave. */
interface LeavingCall {
  readonly request: CallRequest;
  readonly fixed: FixedPart;
  readonly messages: readonly RequestMessage[];
  readonly promptTokens: number;
  readonly atMs: number;
}

/** A call whose report is awaited: its cache marks, and the prompt to compare with. */
interface WatchedCall {
  readonly marks: readonly CacheMark[];
  readonly sent: SentPrompt;
  readonly messages: readonly RequestMessage[];
}

export class CacheWatch {
  readonly #parts: Pick<WindowParts, "writer" | "emit">;
  readonly #options: WindowOptions;
  readonly #monitor = new PromptCacheMonitor();
  readonly #memory = new MarkMemory();
  readonly #boundary: StableBoundary;
  readonly #open = new Map<number, WatchedCall>();
  #head: HeadLifetime | undefined;
  #isHeadLong = false;
  #last: { readonly model: string; readonly atMs: number } | undefined;
  readonly #tariffs = new Map<string, ResolvedTariff>();
  /** The tariffs of each model, for the short and the long lifetime. */
  readonly #byLifetime = new Map<string, readonly [ResolvedTariff, ResolvedTariff]>();
  #lastMarks: readonly CacheMark[] = [];

  constructor(parts: Pick<WindowParts, "writer" | "emit">, options: WindowOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#boundary = new StableBoundary(options);
  }

  /** The lifetimes that the marks of the last request ask the provider for. */
  get lifetimes(): CacheLifetimes {
    const { cacheTtl } = this.#options;
    return this.#isHeadLong ? { cacheTtl, headCacheTtl: "1h" } : { cacheTtl };
  }

  /** The tariff of the model that is called. */
  tariffOf(model: string): ResolvedTariff {
    let tariff = this.#tariffs.get(model);
    if (tariff === undefined) {
      const { tariff: option, cacheTtl } = this.#options;
      tariff = resolveTariff({ model, option, cacheTtl });
      this.#tariffs.set(model, tariff);
    }
    return tariff;
  }

  /**
   * True if the provider may still hold the prompt of the last call to this model. For a session that was opened or
   * imported, the time of the newest answer counts.
   */
  isWarm(nowMs: number, model: string): boolean {
    if (this.#last !== undefined && this.#last.model !== model) return false;
    const { visible } = this.#parts.writer.projection;
    const lastMs = this.#last?.atMs ?? visible.findLast(({ role }) => role === "assistant")?.at;
    return lastMs === undefined || nowMs - lastMs <= this.tariffOf(model).cacheLifetimeMs;
  }

  /** Looks at a request before it leaves. */
  watch({ request, fixed, messages, promptTokens, atMs }: LeavingCall): WatchedCall {
    const { model, parameters, betas, reservedMarks = PROMPT_CACHE_DEFAULTS.reservedMarks } = request;
    const tariff = this.tariffOf(model);
    this.#isHeadLong = this.#keepsHeadLong(model, atMs);
    this.#last = { model, atMs };
    const { system, toolsText } = fixed;
    const sent = this.#monitor.sent(
      { model, parameters, betas, system, toolsText, messages },
      { atMs, tariff },
    );
    const stableThrough = this.#boundary.find(this.#parts.writer.projection, messages);
    const earlierMarks = this.#memory.earlierMarks(sent);
    const marks = planBreakpoints(
      { messages, stableThrough, reservedMarks, earlierMarks, promptTokens },
      tariff,
    );
    return { marks, sent, messages };
  }

  /** True if system prompt and tools are to be cached for an hour: as the option says, else by the session's pauses. */
  #keepsHeadLong(model: string, atMs: number): boolean {
    const { cacheTtl, headCacheTtl = "auto" } = this.#options;
    if (cacheTtl === "1h" || headCacheTtl !== "auto" || !FIRST_PARTY.test(model))
      return headCacheTtl === "1h";
    const [short, long] = this.#tariffsByLifetime(model);
    const isOffered = long.matching === "breakpoints" && long.cacheLifetimeMs > short.cacheLifetimeMs;
    if (!isOffered) return false;
    if (this.#head === undefined || this.#last?.model !== model) {
      this.#head = new HeadLifetime();
      for (const sentMs of sentTimes(this.#parts.writer.projection.visible))
        this.#head.sent(sentMs, { short, long });
    }
    return this.#head.sent(atMs, { short, long });
  }

  #tariffsByLifetime(model: string): readonly [ResolvedTariff, ResolvedTariff] {
    const known = this.#byLifetime.get(model);
    const found = known ?? ([resolveTariff({ model }), resolveTariff({ model, cacheTtl: "1h" })] as const);
    this.#byLifetime.set(model, found);
    return found;
  }

  /** The marks of the last request that left; none where the window was rewritten since. */
  get lastMarks(): readonly CacheMark[] {
    return this.#lastMarks;
  }

  /** It left as call `callSeq`. */
  left(callSeq: number, call: WatchedCall): void {
    this.#lastMarks = call.marks;
    this.#memory.left(call.sent, call.marks);
    this.#open.set(callSeq, call);
    const [oldest] = this.#open.keys();
    if (this.#open.size > REMEMBERED && oldest !== undefined) this.#open.delete(oldest);
  }

  /** The window was edited on purpose. */
  rewritten(): void {
    this.#lastMarks = [];
    this.#monitor.rewritten();
  }

  /** The provider reported the usage of call `callSeq`. */
  reported(callSeq: number, usage: Usage): void {
    const call = this.#open.get(callSeq);
    for (const seq of this.#open.keys()) if (seq <= callSeq) this.#open.delete(seq);
    if (call === undefined) return;
    const miss = this.#monitor.reported(call.sent, usage);
    if (miss === undefined) return;
    const { cause } = miss;
    const changedSeq =
      cause.type === "changed" && cause.change.part === "message"
        ? this.#findSeq(call.messages, cause.change)
        : undefined;
    this.#parts.emit({ type: "cache-miss", seq: callSeq, miss, changedSeq });
  }

  /** The entry that a block of a request came from. Only for a miss: it looks through the window. */
  #findSeq(messages: readonly RequestMessage[], { message, block }: CacheMark): number | undefined {
    const wanted = messages[message]?.content[block];
    return this.#parts.writer.projection.visible.find(({ blocks }) =>
      blocks.some((shown) => shown.block === wanted),
    )?.seq;
  }
}

/** When the requests left that the window holds the answers of, as far as its messages tell. */
function sentTimes(visible: readonly VisibleMessage[]): readonly number[] {
  const times: number[] = [];
  let beforeMs: number | undefined;
  for (const { role, insertedBy, at } of visible) {
    if (insertedBy !== undefined) continue;
    if (role === "assistant") times.push(beforeMs ?? at);
    beforeMs = role === "assistant" ? undefined : at;
  }
  return times.filter((ms, index) => index === 0 || ms >= times[index - 1]!);
}

/** The messages that carry a mark, as the log names them. */
export function markedMessages(marks: readonly CacheMark[]): readonly number[] {
  return [...new Set(marks.map(({ message }) => message))];
}

export class StableBoundary {
  readonly #clearableTools: ReadonlySet<string>;
  #projection: Projection | undefined;
  #revision = -1;
  #seenCount = 0;
  /** Calls of tools whose results may be cleared, by id. */
  readonly #calls = new Map<string, ContentBlock>();
  #found: ContentBlock | undefined;
  /** The message that holds the found call, as it was last seen. */
  #messageIndex = 0;

  constructor({ keptTools = [], clearableTools }: Pick<WindowOptions, "keptTools" | "clearableTools">) {
    this.#clearableTools = clearableToolsOf({ keptTools, clearableTools });
  }

  /** Index of the last message that no rewrite is expected to change; `undefined` where none is expected. */
  find(projection: Projection, messages: readonly RequestMessage[]): number | undefined {
    this.#follow(projection);
    const call = this.#found;
    if (call === undefined) return undefined;
    if (messages[this.#messageIndex]?.content.includes(call) !== true)
      this.#messageIndex = messages.findIndex(({ content }) => content.includes(call));
    return this.#messageIndex < 1 ? undefined : this.#messageIndex - 1;
  }

  #follow(projection: Projection): void {
    const { visible, revision } = projection;
    if (projection !== this.#projection || revision !== this.#revision) {
      this.#projection = projection;
      this.#revision = revision;
      this.#seenCount = 0;
      this.#calls.clear();
      this.#found = undefined;
    }
    for (; this.#found === undefined && this.#seenCount < visible.length; this.#seenCount++) {
      const { insertedBy, blocks } = visible[this.#seenCount]!;
      if (insertedBy === undefined) for (const shown of blocks) this.#look(shown);
    }
  }

  #look(shown: VisibleBlock): void {
    const { block } = shown;
    if (block.type === "tool_use") {
      if (this.#clearableTools.has(toolKey(block.name))) this.#calls.set(block.id, block);
    } else if (block.type === "tool_result" && !isCleared(shown)) {
      this.#found ??= this.#calls.get(block.tool_use_id);
    }
  }
}
