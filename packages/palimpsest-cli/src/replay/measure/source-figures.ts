/**
 * Figures of a recording and its window that are known before the first call.
 */

import type { PolicyName } from "palimpsest/compaction";
import { DEFAULT_POLICY } from "palimpsest/compaction";
import type { ImportedMessage, ImportedSession } from "palimpsest/formats";
import { countSession } from "palimpsest/formats";
import { holdsBoundReasoning } from "palimpsest/internal";
import {
  type ContextBudget,
  editSafety,
  estimateFixed,
  estimateMessage,
  planBudget,
  resolveModelLimits,
  tokenizerRatio,
} from "palimpsest/tokens";
import type { SourceFigures, WindowFigures } from "./replay-json.ts";

/** Model of a recording that names none: the tool's default when it was recorded. */
const MODEL_OF_FORMAT: Readonly<Record<ImportedSession["format"], string>> = {
  "claude-code": "claude-sonnet-4-5",
  codex: "gpt-5.5",
  copilot: "claude-sonnet-4-5",
  "anthropic-messages": "claude-sonnet-4-5",
  "openai-chat": "gpt-4o",
  palimpsest: "claude-sonnet-4-5",
  pi: "claude-sonnet-4-5",
  opencode: "claude-sonnet-4-5",
  "gemini-cli": "gemini-2.5-pro",
  "swe-agent": "claude-sonnet-4-5",
  "mini-swe-agent": "claude-sonnet-4-5",
  openhands: "claude-sonnet-4-5",
  transcript: "claude-sonnet-4-5",
};

export function sourceMessages(session: ImportedSession): readonly ImportedMessage[] {
  return session.items.filter((item) => item.type === "message");
}

/** The model that answered most often; where none is named, the usual one of the format. */
export function mainModel(session: ImportedSession): string {
  const answers = new Map<string, number>();
  for (const { message } of sourceMessages(session)) {
    const { model } = message;
    // Tools write answers that no model gave under names in angle brackets.
    if (model !== undefined && model !== "" && !model.startsWith("<"))
      answers.set(model, (answers.get(model) ?? 0) + 1);
  }
  const [most] = [...answers].sort(([, left], [, right]) => right - left);
  return most?.[0] ?? MODEL_OF_FORMAT[session.format];
}

export function sourceFigures(session: ImportedSession, model: string): SourceFigures {
  const counts = countSession(session);
  const ratio = tokenizerRatio(model);
  const messagesTokens = sourceMessages(session).reduce(
    (sum, { message }) => sum + estimateMessage(message, model),
    0,
  );
  const tools = session.tools === undefined ? undefined : JSON.stringify(session.tools);
  const fixed = estimateFixed({
    system: session.system,
    tools,
  });
  return {
    format: session.format,
    sessionId: session.sessionId,
    entries: session.recordCount ?? session.items.length,
    messages: counts.userMessages + counts.assistantMessages,
    toolCalls: counts.toolCalls,
    tokens: Math.round(messagesTokens * ratio),
    fixedTokens: Math.round(fixed * ratio),
  };
}

/** The limits of the window: the model's, or those of `windowTokens`. */
export function budgetOf(model: string, windowTokens: number | undefined): ContextBudget {
  return planBudget(resolveModelLimits({ model, option: { windowTokens } }));
}

export function windowFigures(
  budget: ContextBudget,
  { model, messages, policy = DEFAULT_POLICY, editSafety: asked }: WindowSetting,
): WindowFigures {
  const isBound = messages.some(({ message }) => holdsBoundReasoning(message, model));
  return {
    tokens: budget.windowTokens,
    effectiveTokens: budget.effectiveTokens,
    autoCompactAtTokens: budget.autoCompactGateTokens,
    model,
    editSafety: asked ?? editSafety({ model, holdsBoundReasoning: isBound }),
    policy,
  };
}

/** The settings from which the figures of a window follow. */
interface WindowSetting {
  readonly model: string;
  readonly messages: readonly ImportedMessage[];
  readonly policy?: PolicyName | undefined;
  readonly editSafety?: "strict" | "permissive" | undefined;
}
