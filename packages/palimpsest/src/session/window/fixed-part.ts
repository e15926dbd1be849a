/**
 * The fixed part of a request: system prompt and tools. Their texts are stored once, by hash, and
 * looked at again only where they changed.
 */
import { OptionError } from "../../base/errors.ts";
import { estimateFixed } from "../../tokens/estimate/estimate-block.ts";
import type { BlobRef } from "../../transcript/blocks.ts";
import { HISTORY_TOOLS } from "../history/history-tools.ts";
import type { CallRequest } from "../options/prepared-call.ts";
import type { MeasuredParts } from "./session-parts.ts";

/** System prompt and tools as they were last seen, with what was derived from them. */
export interface FixedPart {
  readonly system: string | undefined;
  readonly toolsText: string | undefined;
  /** Both together, in reference tokens. */
  readonly tokens: number;
  /** True if the model has the history tools. */
  readonly hasHistoryTools: boolean;
  readonly systemRef?: BlobRef;
  readonly toolsRef?: BlobRef;
}

type FixedPartParts = Pick<MeasuredParts, "offloader" | "tracker">;

export class FixedPartReader {
  readonly #parts: FixedPartParts;
  #known: FixedPart | undefined;
  #knownTools: CallRequest["tools"];
  #knownToolsCount = 0;

  constructor(parts: FixedPartParts) {
    this.#parts = parts;
  }

  /** Estimates of the last system prompt and of the last tools. */
  get sizes(): { readonly systemTokens: number; readonly toolsTokens: number } {
    const { system, toolsText } = this.#known ?? {};
    return {
      systemTokens: system === undefined ? 0 : estimateFixed({ system }),
      toolsTokens: toolsText === undefined ? 0 : estimateFixed({ tools: toolsText }),
    };
  }

  /** Returns the fixed part of `request`. If it is new, updates the ledger and stores its texts. */
  async read({ system, tools }: CallRequest): Promise<FixedPart> {
    const known = this.#known;
    // A host that hands over the same list, grown or not, is not asked to have it turned to text again.
    const isSameList = tools === this.#knownTools && (tools?.length ?? 0) === this.#knownToolsCount;
    if (known !== undefined && known.system === system && isSameList) return known;
    const toolsText = tools === undefined ? undefined : JSON.stringify(tools);
    if (known === undefined || known.system !== system || known.toolsText !== toolsText)
      this.#known = await this.#keep(system, toolsText);
    this.#knownTools = tools;
    this.#knownToolsCount = tools?.length ?? 0;
    return this.#known!;
  }

  async #keep(system: string | undefined, toolsText: string | undefined): Promise<FixedPart> {
    const { offloader, tracker } = this.#parts;
    const tokens = estimateFixed({ system, tools: toolsText });
    const systemRef = system === undefined ? undefined : await offloader.keepText(system);
    const toolsRef = toolsText === undefined ? undefined : await offloader.keepText(toolsText);
    // A host that names neither may still send them: then the reports tell how large they are.
    const isKnown = system !== undefined || toolsText !== undefined;
    tracker.ledger.fixedChanged(isKnown ? tokens : undefined);
    return {
      system,
      toolsText,
      tokens,
      hasHistoryTools: HISTORY_TOOLS.every(({ name }) => toolsText?.includes(`"name":"${name}"`) === true),
      systemRef,
      toolsRef,
    };
  }
}

/** Checks the fields that a caller without types may have wrong. */
export function checkCallRequest(request: CallRequest): void {
  const { model, system, tools } = (request ?? {}) as { readonly [Field in keyof CallRequest]: unknown };
  const wrong =
    typeof model !== "string" || model === ""
      ? "`model` is the id of a model"
      : system !== undefined && typeof system !== "string"
        ? "`system` is a text"
        : tools !== undefined && !Array.isArray(tools)
          ? "`tools` is a list of tool definitions"
          : undefined;
  if (wrong === undefined) return;
  throw new OptionError({
    message: `The request of a call is not complete: ${wrong}.`,
    hint: 'Pass `prepare({ model: "claude-opus-4-5", system, tools })`; `system` and `tools` may be left out.',
  });
}
