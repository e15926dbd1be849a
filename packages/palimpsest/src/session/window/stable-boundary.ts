/**
 * Where the next rewrite is expected to begin: at the call of the oldest result that may still be
 * cleared. Everything before it stays as it is until a compaction, so a cache mark there is worth
 * one. Found once and kept until the window is edited; until there is one, only what is new is
 * looked at.
 */

import { clearableToolsOf } from "../../compaction/planner/policies.ts";
import { isCleared } from "../../compaction/shared/pointer.ts";
import { toolKey } from "../../compaction/shared/tool-kinds.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { Projection } from "../../transcript/projection.ts";
import type { RequestMessage, VisibleBlock } from "../../transcript/window.ts";
import type { WindowOptions } from "../options/session-options.ts";

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
