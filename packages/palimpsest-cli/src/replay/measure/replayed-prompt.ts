/**
 * The system prompt and tools of a replayed session: recorded, named by the user, or estimated from what was billed.
 *
 * A window is judged with the prompt that its session was sent with. Few recordings hold all of it, so the part that
 * is missing is kept free in the replayed window.
 */
import type { ImportedSession } from "palimpsest/formats";
import { estimateMessage, tokenizerRatio } from "palimpsest/tokens";
import { promptTokens } from "palimpsest/transcript";
import type { PromptFigures } from "./replay-json.ts";
import { mainModel, sourceMessages } from "./source-figures.ts";

/** The prompt of every request, and the part of it that is not handed over but kept free. */
export interface ReplayedPrompt extends PromptFigures {
  readonly reservedTokens: number;
}

interface PromptSetting {
  /** The model that is assumed. */
  readonly model: string;
  /** Recorded system prompt and tools, in the model's tokens. */
  readonly recordedTokens: number;
  /** System prompt and tools in all, as the user says. */
  readonly fixedTokens?: number | undefined;
}

/** The best known prompt: given by the user, else recorded whole, else derived from billed usage. */
export function promptOf(session: ImportedSession, setting: PromptSetting): ReplayedPrompt {
  const { recordedTokens, fixedTokens } = setting;
  if (fixedTokens !== undefined && (fixedTokens > recordedTokens || !isWhole(session)))
    return withReserve("fixed", recordedTokens, fixedTokens - recordedTokens);
  if (isWhole(session)) return withReserve("recorded", recordedTokens, 0);
  const billedTokens = billedBesides(session, setting);
  if (billedTokens !== undefined) return withReserve("billed", recordedTokens, billedTokens);
  return withReserve("unknown", recordedTokens, 0);
}

function withReserve(
  source: PromptFigures["source"],
  recordedTokens: number,
  missingTokens: number,
): ReplayedPrompt {
  const reservedTokens = Math.max(0, Math.round(missingTokens));
  return { source, tokens: recordedTokens + reservedTokens, reservedTokens };
}

/** True if the recording holds a prompt, and, if it calls tools, their definitions. */
function isWhole(session: ImportedSession): boolean {
  if (session.tools !== undefined && session.tools.length > 0) return true;
  const isCall = ({ type }: { readonly type: string }): boolean => type === "tool_use";
  const holdsPrompt = session.system !== undefined || session.tools !== undefined;
  return holdsPrompt && !sourceMessages(session).some(({ message }) => message.content.some(isCall));
}

/**
 * The first billed prompt less all earlier messages and the recorded part, in tokens of the assumed model.
 * `undefined` if no call was billed, or none before the tool replaced its context.
 */
function billedBesides(
  session: ImportedSession,
  { model, recordedTokens }: PromptSetting,
): number | undefined {
  const at = session.items.findIndex(
    (item) =>
      item.type === "boundary" ||
      item.type === "microcompact" ||
      (item.type === "message" && item.usage !== undefined && promptTokens(item.usage) > 0),
  );
  const billed = session.items[at];
  if (billed?.type !== "message" || billed.usage === undefined) return undefined;
  const billedModel = billed.message.model ?? mainModel(session);
  const messages = session.items
    .slice(0, at)
    .reduce(
      (sum, item) => (item.type === "message" ? sum + estimateMessage(item.message, billedModel) : sum),
      0,
    );
  const ratio = tokenizerRatio(model);
  return (promptTokens(billed.usage) / tokenizerRatio(billedModel) - messages) * ratio - recordedTokens;
}
