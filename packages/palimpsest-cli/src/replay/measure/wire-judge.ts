/**
 * Shows every prepared call to the wire oracle twice: as the request that would go to Anthropic, and
 * as the one that would go to OpenAI.
 *
 * A message is rendered once and kept, since it goes out again in every later call; the oracle
 * itself reads the whole request each time, as a provider does.
 */

import { toAnthropic, toOpenAIChat } from "palimpsest/formats";
import type { PreparedCall } from "palimpsest/internal";
import { judgeAnthropicRequest, judgeOpenAIChatRequest } from "palimpsest-testing";

type Vendor = "Anthropic" | "OpenAI";

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

  /** True if tools have Anthropic's shape, so that they are judged. */
  constructor({ hasAnthropicTools }: { readonly hasAnthropicTools: boolean }) {
    this.#hasAnthropicTools = hasAnthropicTools;
  }

  /** The requests of a call, as they would be sent. */
  requests({ model, system, tools, messages }: PreparedCall): Readonly<Record<Vendor, object>> {
    const leading = system === undefined ? [] : toOpenAIChat([], { system });
    return {
      Anthropic: {
        model,
        max_tokens: MAX_TOKENS,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined || !this.#hasAnthropicTools ? {} : { tools }),
        messages: toAnthropic(messages),
      },
      OpenAI: { model, messages: [...leading, ...toOpenAIChat(messages)] },
    };
  }

  /** The rules that the two requests of a call break. */
  judge(call: PreparedCall): readonly BrokenRule[] {
    const { Anthropic, OpenAI } = this.requests(call);
    return [
      ...judgeAnthropicRequest(Anthropic).map((found) => ({ vendor: "Anthropic" as const, ...found })),
      ...judgeOpenAIChatRequest(OpenAI).map((found) => ({ vendor: "OpenAI" as const, ...found })),
    ];
  }
}
