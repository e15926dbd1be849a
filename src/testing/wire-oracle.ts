/**
 * The wire oracle: judges a finished request as its provider would, before any provider sees it.
 *
 * It looks at plain JSON and shares no code, not even types, with the rooms that build requests;
 * so a mistake in one of them cannot excuse itself here. The one door to the folder beside it.
 */
export { type AnthropicJudgeOptions, judgeAnthropicRequest } from "./wire-oracle/anthropic-request.ts";
export type { AnthropicRule } from "./wire-oracle/anthropic-rules.ts";
export { judgeOpenAiChatRequest } from "./wire-oracle/openai-chat-request.ts";
export { judgeOpenAiResponsesRequest } from "./wire-oracle/openai-responses-request.ts";
export type { OpenAiJudgeOptions, OpenAiRule } from "./wire-oracle/openai-rules.ts";
export type { BodyKind } from "./wire-oracle/required-members.ts";
export type { Violation } from "./wire-oracle/violation.ts";
