/**
 * Edit safety: decides if earlier messages may be changed at all.
 *
 * Some models bind their thinking to the exact messages before it: after a change of one of them, later thinking is lost or
 * the request is refused. A session is *strict* if its model does so, or if it has such thinking of an earlier model, which
 * counts again after a switch back. Other sessions are *permissive*. Each layer decides what it does in a strict session.
 *
 * Sources: Anthropic docs, "Preserved thinking" (Fable 5.1, Opus, Sonnet and Haiku 5.5 and later);
 * OpenAI: reasoning items may be dropped after edits of what precedes them.
 */

import { isObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { findClaudeVersion, parseModelId } from "./model-id.ts";

/**
 * `strict`: a change of earlier messages loses the thinking after it, or the provider refuses the request. `permissive`:
 * a change only has a price.
 */
export type EditSafety = "strict" | "permissive";

/** First version that binds thinking, by line of the Claude models; later versions are taken to keep it. */
const BINDING_CLAUDE = { fable: [5, 1], other: [5, 5] } as const;

/** A message as far as it matters here: `model` is the one that answered. */
export interface MessageOfModel {
  readonly content: readonly ContentBlock[];
  readonly model?: string | undefined;
}

/**
 * Returns the class of a session. `holdsBoundReasoning` is true if {@link holdsBoundReasoning} is for any of its messages;
 * the caller keeps it up to date instead of checking all messages again.
 */
export function editSafety({
  model,
  holdsBoundReasoning,
}: {
  readonly model: string;
  readonly holdsBoundReasoning: boolean;
}): EditSafety {
  return holdsBoundReasoning || bindsReasoning(model) ? "strict" : "permissive";
}

/** True if a model binds its reasoning to the messages before it. */
export function bindsReasoning(modelId: string): boolean {
  const { name } = parseModelId(modelId);
  const version = findClaudeVersion(name);
  if (version !== undefined) {
    const first = /fable|mythos/.test(name) ? BINDING_CLAUDE.fable : BINDING_CLAUDE.other;
    return version[0] > first[0] || (version[0] === first[0] && version[1] >= first[1]);
  }
  return isOpenAiReasoningModel(name);
}

/**
 * True if a model reads its reasoning until the user speaks again, and not after that. Source: OpenAI docs,
 * "Reasoning models": reasoning of earlier turns is discarded; the recorded Codex sessions are billed so.
 */
export function dropsEarlierReasoning(modelId: string): boolean {
  return isOpenAiReasoningModel(parseModelId(modelId).name);
}

/** True if a message holds signed or encrypted reasoning of a model that binds it. `model`: that of the session. */
export function holdsBoundReasoning(message: MessageOfModel, model: string): boolean {
  return message.content.some(isSealedReasoning) && bindsReasoning(message.model ?? model);
}

/** True if a block is signed or encrypted reasoning. */
export function isSealedReasoning(block: ContentBlock): boolean {
  if (block.type === "redacted_thinking") return true;
  if (block.type === "thinking") return (block.signature ?? "") !== "";
  if (block.type !== "opaque" || !isObject(block.value)) return false;
  return block.value["type"] === "reasoning" || "encrypted_content" in block.value;
}

/** The o-series, GPT-5 and later, Codex; not their chat variants, which do not reason. */
function isOpenAiReasoningModel(name: string): boolean {
  if (/chat/.test(name)) return false;
  if (/^(o[1-9]|codex)/.test(name)) return true;
  const version = /^gpt-(\d+)/.exec(name);
  return version !== null && Number(version[1]) >= 5;
}
