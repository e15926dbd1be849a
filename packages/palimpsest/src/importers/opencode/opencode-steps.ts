/**
 * An assistant's message of opencode is one turn of the loop and may hold several steps; each step
 * was one request with one answer, and what its calls gave follows it.
 */

import { asNumber, asString } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ContentBlock, Usage } from "../../transcript/blocks.ts";
import type { OnDamage } from "../../wire/shared/well-formed-block.ts";
import { fieldsOf } from "../shared/fields.ts";
import { opencodeUsage, type Part, reasoningBlocks, toolBlocks } from "./opencode-part.ts";

/** One answer and the results of its calls. @internal */
export interface OpencodeStep {
  readonly content: ContentBlock[];
  readonly results: ContentBlock[];
  /** When the last result was there, in milliseconds since the epoch. */
  answeredAt?: number;
  usage?: Usage | undefined;
  stopReason?: string | undefined;
}

/** Parts that say nothing to the model. */
const WITHOUT_WORDS: ReadonlySet<unknown> = new Set([
  "snapshot",
  "patch",
  "agent",
  "retry",
  "subtask",
  "file",
]);

/** Splits the parts of an answer, which are in their order. @internal */
export function opencodeSteps(
  parts: readonly Part[],
  { onDamage, onUnknown }: { readonly onDamage: OnDamage; readonly onUnknown: (part: Part) => void },
): readonly OpencodeStep[] {
  const steps: OpencodeStep[] = [];
  let open: OpencodeStep | undefined;
  const step = (): OpencodeStep => {
    if (open === undefined) {
      open = { content: [], results: [] };
      steps.push(open);
    }
    return open;
  };
  for (const part of parts) {
    const { type } = part;
    if (type === "step-start") open = undefined;
    else if (type === "step-finish") {
      step().usage = opencodeUsage(part["tokens"]);
      step().stopReason = asString(part["reason"]);
      open = undefined;
    } else if (type === "text") {
      const text = asString(part["text"]) ?? "";
      if (text !== "") step().content.push({ type: "text", text });
    } else if (type === "reasoning") {
      addAll(step().content, reasoningBlocks(part, open?.content.at(-1)));
    } else if (type === "tool") {
      const { call, result } = toolBlocks(part, onDamage);
      step().content.push(call);
      if (result !== undefined) step().results.push(result);
      const endedAt = endOf(part);
      if (endedAt !== undefined) step().answeredAt = Math.max(step().answeredAt ?? endedAt, endedAt);
    } else if (!WITHOUT_WORDS.has(type)) onUnknown(part);
  }
  return steps.filter(({ content }) => content.length > 0);
}

function endOf(part: Part): number | undefined {
  return asNumber(fieldsOf(fieldsOf(part["state"])["time"])["end"]);
}
