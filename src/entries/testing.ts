/** `palimpsest/testing`: fakes, a scripted provider, contracts and the wire oracle, for the tests of those who build on this. */
export { FakeClock } from "../testing/fake-clock.ts";
export { type FaultPlan, type FaultyFileSystem, faultyFileSystem } from "../testing/faulty-file-system.ts";
export { InMemoryFileSystem } from "../testing/in-memory-file-system.ts";
export {
  type AnswerPart,
  answer,
  callTool,
  type Fault,
  type ProviderApi,
  type RecordedRequest,
  type ReportedUsage,
  type RequestOutcome,
  type RequestPurpose,
  refuse,
  type Script,
  type ScriptedAnswer,
  type ScriptedProvider,
  type ScriptedProviderOptions,
  type ScriptedRequest,
  type ScriptStep,
  type SeededFault,
  say,
  scriptedProvider,
  seededFaults,
  think,
} from "../testing/scripted-provider.ts";
export { seededIds } from "../testing/seeded-ids.ts";
export {
  type ContractCase,
  type StoreHarness,
  sessionStoreContract,
} from "../testing/session-store-contract.ts";
export {
  type AnthropicJudgeOptions,
  type BodyKind,
  judgeAnthropicRequest,
  judgeOpenAiChatRequest,
  judgeOpenAiResponsesRequest,
  type OpenAiJudgeOptions,
  type Violation,
} from "../testing/wire-oracle.ts";
