/**
 * What is asked of an Anthropic client: `new Anthropic()` of `@anthropic-ai/sdk`, its clients for Bedrock,
 * Vertex and Foundry, or anything that looks like them. The SDK is never imported.
 */

/** The calls of `client.messages`. */
interface AnthropicMessagesApi {
  create(body: object, options?: object): PromiseLike<unknown>;
  countTokens?(body: object, options?: object): PromiseLike<unknown>;
}

/** A client of the Anthropic SDK, as far as it is used here. */
export interface AnthropicClient {
  readonly messages: AnthropicMessagesApi;
  /** Asked where a request names beta features. */
  readonly beta?: { readonly messages: AnthropicMessagesApi };
  /** Asked for limits; clients of other clouds have none. */
  readonly models?: {
    retrieve(model: string, params?: object | null, options?: object): PromiseLike<unknown>;
  };
}
