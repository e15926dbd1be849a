/**
 * What the model can open originals with: the history tools, and tools of its own that read files. Texts of the window name
 * nothing that it does not have.
 */
import type { HistoryAccess } from "../../compaction/shared/pointer.ts";
import type { MeasuredParts } from "./session-parts.ts";

/** The tools of a request. */
interface ToolsOfRequest {
  readonly hasHistoryTools: boolean;
  /** The names of all of them. */
  readonly toolNames: readonly string[];
}

export class ModelMeans {
  readonly #parts: Pick<MeasuredParts, "carried" | "writer" | "plain">;
  #isRequestKnown = false;

  constructor(parts: Pick<MeasuredParts, "carried" | "writer" | "plain">) {
    this.#parts = parts;
  }

  /** What texts may name: as of the last request, or of the next one where it is known. */
  get access(): HistoryAccess {
    const { pathOf } = this.#parts.plain;
    return { hasHistoryTools: this.#hasHistoryTools, ...(pathOf && { pathOf }) };
  }

  get #hasHistoryTools(): boolean {
    const { carried, writer } = this.#parts;
    if (carried.get("hasHistoryTools") === false) return false;
    // Before the first request no text may name tools that it may not have.
    return this.#isRequestKnown || writer.projection.callSeqs.length > 0;
  }

  /** Takes over the tools of the request that leaves next. */
  receive({ hasHistoryTools, toolNames }: ToolsOfRequest): void {
    const { carried, plain } = this.#parts;
    this.#isRequestKnown = true;
    if (hasHistoryTools) carried.delete("hasHistoryTools");
    else carried.set("hasHistoryTools", false);
    plain.receive(toolNames);
  }
}
