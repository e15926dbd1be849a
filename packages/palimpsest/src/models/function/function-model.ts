/**
 * A model client over a function of the host, such as a call to a gateway, a fake for tests, or a chain of fallbacks.
 */
import { ModelError, OptionError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { checkOptions, type OptionRules, text } from "../../base/options/check-options.ts";
import { shorten } from "../../base/text/text.ts";
import type { ModelAnswer, ModelCallOptions, ModelClient, ModelRequest } from "../../ports/model-client.ts";
import type { Message } from "../../transcript/blocks.ts";

/** Answer of a function: a text, a message, or a complete `ModelAnswer`. */
type FunctionAnswer = string | Message | ModelAnswer;

/** Answers a request. Pass `options.signal` on to the calls that the function awaits. */
type ModelFunction = (
  request: ModelRequest,
  options: ModelCallOptions,
) => FunctionAnswer | Promise<FunctionAnswer>;

/** Options of a `functionModel`. */
interface FunctionModelOptions {
  /** Name of the provider, for figures and messages. @defaultValue `function` */
  readonly provider?: string;
  /** The model that is asked where a call names none. */
  readonly model?: string;
}

const RULES: OptionRules<FunctionModelOptions> = { provider: text, model: text };

/**
 * A model client over a function. If the function returns a text, the answer ends with it. If it returns a message with
 * tool calls, the model waits for their results. To report usage and stop reason, return a `ModelAnswer`.
 * @throws `OptionError` for an option that does not exist
 */
export function functionModel(answer: ModelFunction, options: FunctionModelOptions = {}): ModelClient {
  if (typeof answer !== "function")
    throw new OptionError({
      message: "There is no function to ask.",
      hint: "Pass functionModel(async (request) => …, { model }).",
    });
  checkOptions("functionModel", options, RULES);
  const provider = options.provider ?? "function";
  return {
    provider,
    ...(options.model === undefined ? {} : { model: options.model }),
    generate: async (request, callOptions = {}) => {
      callOptions.signal?.throwIfAborted();
      return readAnswer(await untilAborted(answer(request, callOptions), callOptions.signal), provider);
    },
  };
}

/** Waits for the work or the abort, whichever is first: a function may ignore its signal. */
async function untilAborted<Value>(
  work: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined || !(work instanceof Promise)) return work;
  let stopListening = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    stopListening = () => signal.removeEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}

function readAnswer(answer: unknown, provider: string): ModelAnswer {
  if (typeof answer === "string") {
    const message: Message = { role: "assistant", content: [{ type: "text", text: answer }] };
    return { messages: answer === "" ? [] : [message], stopReason: "end" };
  }
  if (!isObject(answer)) throw noAnswer(provider, answer);
  if (Array.isArray(answer["messages"]) && typeof answer["stopReason"] === "string")
    return answer as unknown as ModelAnswer;
  if (answer["role"] !== "assistant" || !Array.isArray(answer["content"])) throw noAnswer(provider, answer);
  const message = answer as unknown as Message;
  const isCalling = message.content.some(({ type }) => type === "tool_use");
  return { messages: [message], stopReason: isCalling ? "tool-use" : "end" };
}

function noAnswer(provider: string, answer: unknown): ModelError {
  const keys = isObject(answer) ? Object.keys(answer).map((key) => `"${shorten(key, SHOWN_CHARS)}"`) : [];
  const got = isObject(answer)
    ? `an object with ${keys.length === 0 ? "nothing in it" : keys.slice(0, SHOWN_KEYS).join(", ")}`
    : answer === null
      ? "null"
      : `a value of type ${typeof answer}`;
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `The function of the model "${provider}" returned ${got}, which is no answer.`,
      hint: 'Return a text, a message `{ role: "assistant", content: [blocks] }`, or `{ messages: [message], stopReason: "end" | "tool-use", usage }`.',
    },
  );
}

/** Enough to recognise the shape that was returned instead. */
const SHOWN_KEYS = 5;
const SHOWN_CHARS = 40;
