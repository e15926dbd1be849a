/**
 * A provider's prompt cache as its documents describe it, for requests on the Anthropic wire: entries
 * exist where a request had a mark, a mark finds entries a limited number of blocks before it, whatever
 * is read lives on. Tokens are a quarter of the characters. Shares no code with what it judges.
 */
import type { Usage } from "#transcript/blocks.ts";

interface WireRequest {
  readonly tools?: readonly unknown[];
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[];
}

const LOOK_BACK_BLOCKS = 20;
const LIFETIME_MS = 300_000;
const MINIMUM_TOKENS = 1_024;

export class FakePromptCache {
  /** Until when a beginning is kept, by its text. */
  readonly #entries = new Map<string, number>();

  /** Bills a request; the host's own mark is on its system prompt. */
  bill({ tools = [], system = "", messages }: WireRequest, nowMs: number): Usage {
    const blocks: { readonly text: string; readonly isMarked: boolean }[] = [
      { text: JSON.stringify(tools), isMarked: false },
      { text: system, isMarked: true },
    ];
    for (const { role, content } of messages)
      content.forEach((block) => {
        const { cache_control: mark, ...rest } = block as { cache_control?: unknown };
        blocks.push({ text: `${role}:${JSON.stringify(rest)}`, isMarked: mark !== undefined });
      });
    const beginnings: string[] = [];
    for (const { text } of blocks) beginnings.push(`${beginnings.at(-1) ?? ""}|${text}`);
    const marked = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    const tokensTo = (index: number): number => Math.floor((beginnings[index]?.length ?? 0) / 4);

    let hit = -1;
    for (const mark of marked)
      for (let index = mark; index >= 0 && mark - index < LOOK_BACK_BLOCKS; index--)
        if ((this.#entries.get(beginnings[index]!) ?? -1) >= nowMs) hit = Math.max(hit, index);
    for (const index of marked)
      if (tokensTo(index) >= MINIMUM_TOKENS) this.#entries.set(beginnings[index]!, nowMs + LIFETIME_MS);
    if (hit >= 0) this.#entries.set(beginnings[hit]!, nowMs + LIFETIME_MS);

    const cacheReadTokens = hit < 0 ? 0 : tokensTo(hit);
    const lastMark = tokensTo(marked.at(-1) ?? -1);
    const cachedTokens = lastMark >= MINIMUM_TOKENS ? Math.max(lastMark, cacheReadTokens) : cacheReadTokens;
    return {
      cacheReadTokens,
      cacheWriteTokens: cachedTokens - cacheReadTokens,
      inputTokens: tokensTo(beginnings.length - 1) - cachedTokens,
      outputTokens: 50,
    };
  }
}
