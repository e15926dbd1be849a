/**
 * What is asked of an OpenAI client: `new OpenAI()` of `openai`, its client for Azure, or one with the
 * `baseURL` of any server that speaks the same. The SDK is never imported.
 */

/** A client of the OpenAI SDK, as far as Chat Completions need it. */
export interface OpenAIChatClient {
  readonly chat: {
    readonly completions: { create(body: object, options?: object): PromiseLike<unknown> };
  };
}

/** A client of the OpenAI SDK, as far as the Responses API needs it. */
export interface OpenAIResponsesClient {
  readonly responses: {
    create(body: object, options?: object): PromiseLike<unknown>;
    /** Counts requests; older SDKs and most compatible servers have none. */
    readonly inputTokens?: { count(body: object, options?: object): PromiseLike<unknown> };
  };
}
