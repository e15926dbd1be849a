/**
 * Validates answers: the messages of a model, and the usage that its provider reports.
 *
 * An absent or `null` cache figure means none. Anything else that is not a count, or that no window can hold, is
 * refused before the answer is written: one wrong figure moves every size and price that is computed from it.
 */
import { isObject } from "../../base/json/json.ts";
import type { AppliedProviderEdits } from "../../ports/model-client.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import { copyInput, type InputCopier } from "../input/copy-input.ts";
import { sayWhat, validateMessages } from "../input/validate-messages.ts";
import type { CallAnswer } from "../options/prepared-call.ts";

/**
 * Windows that one figure may fill. Source: a provider that calls its own tools adds up the requests of up to ten steps
 * (Anthropic docs, "Server tools"); beyond that the figure is wrong.
 */
const MOST_WINDOWS = 16;
/** The window of a model that is not known, in tokens. Source: the largest that is offered, that of Llama 4 Scout. */
const LARGEST_WINDOW_TOKENS = 10_000_000;

/**
 * The usage, with 0 for cache figures that are absent; `undefined` where there is none.
 * @param windowTokens - the model's window, if it is known
 * @throws `OptionError` where a figure is not a count of tokens, or more than the model can have seen or said.
 */
export function validateUsage(
  value: unknown,
  windowTokens: number = LARGEST_WINDOW_TOKENS,
): Usage | undefined {
  if (value === undefined || value === null) return undefined;
  return copyInput("usage", (copier) => {
    if (!isObject(value)) throw copier.refusal(0, `is ${sayWhat(value)}`, USAGE_FIELDS);
    const count = (field: keyof Usage): number => {
      const tokens = validateCount(value[field], field, copier);
      if (tokens <= MOST_WINDOWS * windowTokens) return tokens;
      copier.enter(0, field);
      throw copier.refusal(1, `is ${tokens}, but the window is ${windowTokens} tokens`, USAGE_FIELDS);
    };
    return {
      inputTokens: count("inputTokens"),
      cacheReadTokens: count("cacheReadTokens"),
      cacheWriteTokens: count("cacheWriteTokens"),
      outputTokens: count("outputTokens"),
    };
  });
}

/** An answer whose messages were checked. */
interface ReceivedAnswer extends CallAnswer {
  readonly messages: readonly Message[];
}

/** An answer as `record` takes it. @throws `OptionError` where a part of it cannot be kept. */
export function validateAnswer(value: unknown): ReceivedAnswer {
  return copyInput("answer", (copier) => {
    if (!isObject(value)) throw copier.refusal(0, `is ${sayWhat(value)}`, "`{ messages, usage }`");
    const { messages, usage: reported, stopReason, providerEdits } = value;
    const usage = validateUsage(reported);
    const hasReason = stopReason !== undefined && stopReason !== null;
    if (hasReason && typeof stopReason !== "string") {
      copier.enter(0, "stopReason");
      throw copier.refusal(1, `is ${sayWhat(stopReason)}`, "a string, or leave it out");
    }
    return {
      messages: validateMessages(messages, "assistant"),
      usage,
      ...(hasReason ? { stopReason: stopReason as string } : {}),
      ...(isObject(providerEdits)
        ? { providerEdits: structuredClone(providerEdits) as unknown as AppliedProviderEdits }
        : {}),
    };
  });
}

const USAGE_FIELDS =
  "`{ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }`, in tokens; or leave `usage` out";
const CACHE_FIELDS: ReadonlySet<string> = new Set(["cacheReadTokens", "cacheWriteTokens"]);

function validateCount(value: unknown, field: keyof Usage, copier: InputCopier): number {
  if (CACHE_FIELDS.has(field) && (value === undefined || value === null)) return 0;
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  copier.enter(0, field);
  throw copier.refusal(1, `is ${sayWhat(value)}, not a count of tokens`, USAGE_FIELDS);
}
