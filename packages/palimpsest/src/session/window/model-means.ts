/**
 * The means of the model to open originals: the history tools, and the host's tools that read files. Texts of the window name
 * nothing that it does not have.
 */
import type { HistoryAccess } from "../../compaction/shared/pointer.ts";
import type { MeasuredParts } from "./session-parts.ts";

/** Whatever shape the provider takes, its JSON has the name of a tool in this form. */
const TOOL_NAME = /"name":"([\w.-]{1,128})"/g;

export class ModelMeans {
  readonly #parts: Pick<MeasuredParts, "carried" | "writer" | "plain">;
  #isRequestKnown = false;
  #known: { readonly text: string; readonly names: readonly string[] } | undefined;

  constructor(parts: Pick<MeasuredParts, "carried" | "writer" | "plain">) {
    this.#parts = parts;
  }

  /** The means that texts may name: as of the last request, or of the next one where it is known. */
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

  /** Takes over the tools of the request that leaves next: their definitions, in the shape of any provider. */
  receive(hasHistoryTools: boolean, tools: readonly unknown[] | string = []): void {
    const { carried, plain } = this.#parts;
    this.#isRequestKnown = true;
    if (hasHistoryTools) carried.delete("hasHistoryTools");
    else carried.set("hasHistoryTools", false);
    plain.receive(() => this.#namesOf(tools));
  }

  /** Names of the tools. Most requests have the same as the one before. */
  #namesOf(tools: readonly unknown[] | string): readonly string[] {
    const text = typeof tools === "string" ? tools : JSON.stringify(tools);
    if (this.#known?.text !== text)
      this.#known = { text, names: [...text.matchAll(TOOL_NAME)].map((found) => found[1]!) };
    return this.#known.names;
  }
}
