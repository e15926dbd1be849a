/**
 * What is asked of a language model of the AI SDK: any model of its providers, in version 3 or 4 of their
 * interface. The packages are never imported.
 */

/** A model such as `anthropic("claude-…")` or `createOpenAICompatible(…)("…")` gives. */
export interface AiSdkLanguageModel {
  /** `v3` or `v4`; files are written differently. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<unknown>;
  doStream(options: AiSdkCallOptions): PromiseLike<unknown>;
}

/** The fields of a call that are set here; what else a request asks for is passed on as it is. */
export interface AiSdkCallOptions {
  /** The conversation, in the SDK's own form. */
  readonly prompt: never;
  readonly abortSignal?: AbortSignal;
}
