/**
 * Shows every prepared call to the wire oracle twice: as the request that would go to Anthropic, and
 * as the one that would go to OpenAI.
 *
 * A message is rendered once and kept, since it goes out again in every later call; the oracle
 * itself reads the whole request each time, as a provider does.
 */
import type { PreparedCall } from "../../engine/prepared-call.ts";
import { toAnthropic } from "../../formats/to-anthropic.ts";
import { toOpenaiChat } from "../../formats/to-openai-chat.ts";
import { judgeAnthropicRequest, judgeOpenAiChatRequest } from "../../testing/wire-oracle.ts";
import type { RequestMessage } from "../../transcript/window.ts";

export type Vendor = "Anthropic" | "OpenAI";

export interface BrokenRule {
  readonly vendor: Vendor;
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** Output limit of the judged requests, in tokens: the API wants one, its size is not judged. */
const MAX_TOKENS = 1_024;

export class WireJudge {
  readonly #hasAnthropicTools: boolean;
  readonly #anthropic = new RenderedMessages((messages) => toAnthropic(messages));
  readonly #openai = new RenderedMessages((messages) => toOpenaiChat(messages));

  /** Tools are judged where they are in Anthropic's own shape. */
  constructor({ hasAnthropicTools }: { readonly hasAnthropicTools: boolean }) {
    this.#hasAnthropicTools = hasAnthropicTools;
  }

  /** The requests of a call, as they would be sent. */
  requests({ model, system, tools, messages }: PreparedCall): Readonly<Record<Vendor, object>> {
    const leading = system === undefined ? [] : toOpenaiChat([], { system });
    return {
      Anthropic: {
        model,
        max_tokens: MAX_TOKENS,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined || !this.#hasAnthropicTools ? {} : { tools }),
        messages: this.#anthropic.render(messages),
      },
      OpenAI: { model, messages: [...leading, ...this.#openai.render(messages)] },
    };
  }

  /** The rules that the two requests of a call break. */
  judge(call: PreparedCall): readonly BrokenRule[] {
    const { Anthropic, OpenAI } = this.requests(call);
    return [
      ...judgeAnthropicRequest(Anthropic).map((found) => ({ vendor: "Anthropic" as const, ...found })),
      ...judgeOpenAiChatRequest(OpenAI).map((found) => ({ vendor: "OpenAI" as const, ...found })),
    ];
  }
}

/** What messages become, kept by message. Valid because no message is rendered with a look at another. */
class RenderedMessages {
  readonly #render: (messages: readonly RequestMessage[]) => readonly object[];
  readonly #known = new WeakMap<RequestMessage, readonly object[]>();

  constructor(render: (messages: readonly RequestMessage[]) => readonly object[]) {
    this.#render = render;
  }

  render(messages: readonly RequestMessage[]): readonly object[] {
    return messages.flatMap((message) => {
      const known = this.#known.get(message) ?? this.#render([message]);
      this.#known.set(message, known);
      return known;
    });
  }
}
