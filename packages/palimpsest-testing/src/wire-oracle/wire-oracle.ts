/**
 * The wire oracle: judges a finished request as its provider would, before any provider sees it.
 *
 * It looks at plain JSON and shares no code, not even types, with the rooms that build requests;
 * so a mistake in one of them cannot excuse itself here. The one door to the folder beside it.
 */
export { type AnthropicJudgeOptions, judgeAnthropicRequest } from "./anthropic-request.ts";
export type { AnthropicRule } from "./anthropic-rules.ts";
export { judgeOpenAIChatRequest } from "./openai-chat-request.ts";
export { judgeOpenAIResponsesRequest } from "./openai-responses-request.ts";
export type { OpenAIJudgeOptions, OpenAIRule } from "./openai-rules.ts";
export type { BodyKind, Violation } from "./violation.ts";
