/**
 * A provider for tests: an HTTP server on this machine that speaks the vendors' APIs, answers by a script, and
 * is as strict as they are. The one door to the folder beside it.
 */
import type { ScriptedProvider, ScriptedProviderOptions } from "./provider-options.ts";
import { ProviderServer } from "./provider-server.ts";

export type {
  RecordedRequest,
  RequestOutcome,
  ScriptedProvider,
  ScriptedProviderOptions,
} from "./provider-options.ts";
export type { ProviderApi, RequestPurpose, ScriptedRequest } from "./script/script.ts";
export {
  type AnswerPart,
  answer,
  callTool,
  type Fault,
  type ReportedUsage,
  refuse,
  type Script,
  type ScriptedAnswer,
  type ScriptStep,
  say,
  think,
} from "./script/script.ts";
export { type SeededFault, seededFaults } from "./script/seeded-faults.ts";

/**
 * Starts a provider that answers by a script, for tests of whatever calls a model over HTTP.
 *
 * It refuses what the real ones refuse, in their words; counts tokens and fills a window; signs thinking and
 * checks the signatures; reads and writes a prompt cache; and fails on command. Let the vendor's SDK use
 * its address, and assert on its records:
 *
 * ```ts
 * const provider = await scriptedProvider({
 *   script: [[think("I need the file."), callTool("read_file", { path: "a.ts" })], "Done."],
 * });
 * const client = new Anthropic({ apiKey: "any", baseURL: provider.url });
 * // ... run what is to be tested ...
 * expect(provider.violations).toEqual([]);
 * expect(provider.requests.at(-1)?.cache.readTokens).toBeGreaterThan(0);
 * await provider.close();
 * ```
 *
 * A script is a list, one step a call, or a function of the request: `(request) => request.lastUserText
 * .includes("summary") ? "The summary." : callTool("next")`. A step may also be a {@link Fault}:
 * `{ fault: "overloaded" }`.
 */
export async function scriptedProvider(options: ScriptedProviderOptions = {}): Promise<ScriptedProvider> {
  const server = new ProviderServer(options);
  await server.listen();
  return server;
}
