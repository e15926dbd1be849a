/**
 * A middleware for `wrapLanguageModel`: a host keeps its whole conversation, and the model sees the session's window.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { givenSession } from "../shared/given-session.ts";
import { callThroughWindow, type ModelCall } from "./managed-call.ts";

/** A middleware as `wrapLanguageModel` of `ai` 5, 6 and 7 takes it. */
interface AiSdkMiddleware {
  readonly specificationVersion: "v3";
  readonly wrapGenerate: <Result>(
    call: ModelCall & { readonly doGenerate: () => PromiseLike<Result> },
  ) => Promise<Result>;
  readonly wrapStream: <Result>(
    call: ModelCall & { readonly doStream: () => PromiseLike<Result> },
  ) => Promise<Result>;
}

/**
 * A middleware for `wrapLanguageModel` that manages the window of one conversation. Use the wrapped model for that
 * conversation only: every list that it gets is taken for the whole of it.
 *
 * @example
 * ```ts
 * const model = wrapLanguageModel({ model: anthropic("claude-opus-5-5"), middleware: aiSdkMiddleware(session) });
 * const { text } = await generateText({ model, messages: everythingSoFar });
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`
 */
export function aiSdkMiddleware(session: AgentSession): AiSdkMiddleware {
  givenSession(session, { of: "aiSdkMiddleware", call: "$" });
  return {
    specificationVersion: "v3",
    wrapGenerate: (call) => callThroughWindow(session, "doGenerate", call) as Promise<never>,
    wrapStream: (call) => callThroughWindow(session, "doStream", call) as Promise<never>,
  };
}
