/**
 * `palimpsest-testing`: fakes, a scripted provider, contracts and the wire oracle, for tests of programs that use the
 * library.
 */

export { type MemoryStoreHarness, memoryStoreContract } from "../contracts/memory-store-contract.ts";
export {
  type ContractCase,
  type StoreHarness,
  sessionStoreContract,
} from "../contracts/session-store-contract.ts";
export { FakeClock } from "../fakes/fake-time.ts";
export { InMemoryFileSystem } from "../fakes/in-memory-file-system.ts";
export { seededIds } from "../fakes/seeded-ids.ts";
export { type FaultPlan, type FaultyFileSystem, faultyFileSystem } from "../faults/faulty-file-system.ts";
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
} from "../scripted-provider/scripted-provider.ts";
export {
  type AnthropicJudgeOptions,
  type BodyKind,
  judgeAnthropicRequest,
  judgeOpenAIChatRequest,
  judgeOpenAIResponsesRequest,
  type OpenAIJudgeOptions,
  type Violation,
} from "../wire-oracle/wire-oracle.ts";
