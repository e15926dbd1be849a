/** `palimpsest run` in this process, against a scripted provider that plays the vendor, by the vendor's own SDK. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Script, type ScriptedProvider, scriptedProvider } from "palimpsest-testing";
import { runCli } from "#program/program.ts";
import { type CliDouble, cliDouble } from "../../../../test/helpers/cli-double.ts";
import { testFolder } from "../../../../test/helpers/compiled-once.ts";

/** Ways to a model: the Anthropic SDK, the OpenAI SDK (Responses), and a server that speaks Chat Completions. */
export const WIRES = ["anthropic", "openai", "compatible"] as const;

export type Wire = (typeof WIRES)[number];

/** A workspace, a home, and a vendor. */
export interface ChatPlace {
  readonly folder: string;
  readonly home: string;
  readonly provider: ScriptedProvider;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a workspace with these files, and a vendor with this script. Close its provider. */
export async function chatPlace(
  script: Script,
  {
    files = {},
    windowTokens,
  }: { readonly files?: Readonly<Record<string, string>>; readonly windowTokens?: number } = {},
): Promise<ChatPlace> {
  const folder = testFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const home = testFolder();
  const provider = await scriptedProvider({
    script,
    ...(windowTokens === undefined ? {} : { windowTokens }),
  });
  return { folder, home, provider, env: environmentOf(provider, home) };
}

/** The variables that lead to the vendor. */
function environmentOf(provider: ScriptedProvider, home: string): Readonly<Record<string, string>> {
  return {
    PALIMPSEST_HOME: home,
    ANTHROPIC_API_KEY: "key-of-anthropic",
    ANTHROPIC_BASE_URL: provider.url,
    OPENAI_API_KEY: "key-of-openai",
    OPENAI_BASE_URL: provider.openAiUrl,
  };
}

/** The options that name a model of a wire. */
export function modelOptions(wire: Wire, { provider }: Pick<ChatPlace, "provider">): readonly string[] {
  if (wire === "anthropic") return ["--model", "claude-opus-5-5"];
  if (wire === "openai") return ["--model", "openai:gpt-5.5"];
  return ["--model", "local-model", "--base-url", provider.openAiUrl];
}

/** A command that was run. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in the workspace. `piped` is its standard input; without it, that is a terminal. */
export async function runChat(
  place: ChatPlace,
  args: readonly string[],
  {
    piped,
    context: given,
    env = {},
  }: {
    readonly piped?: string;
    readonly context?: CliDouble;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Ran> {
  const context = given ?? cliDouble({ folder: place.folder, env: { ...place.env, ...env } });
  const pieces = (async function* () {
    if (piped !== undefined) yield piped;
  })();
  const stdin = Object.assign(pieces, { isTTY: piped === undefined });
  const code = await runCli(["run", ...args], { ...context, stdin }, "1.2.3");
  return { code, out: context.written.out, err: context.written.err };
}

/** A surrounding whose Ctrl-C a test presses. */
export function stoppable({ folder, env }: ChatPlace): CliDouble {
  return cliDouble({ folder, env });
}

/** Runs with `--output-format json`, and returns the result. */
export async function runForResult(
  place: ChatPlace,
  args: readonly string[],
): Promise<Readonly<Record<string, unknown>> & { readonly session_id: string }> {
  const { out, err, code } = await runChat(place, [...args, "--output-format", "json"]);
  if (out === "") throw new Error(`ended with ${code}: ${err}`);
  return JSON.parse(out) as Readonly<Record<string, unknown>> & { readonly session_id: string };
}

/** The text of the newest results of tools that the model got, oldest first. */
export function lastResults({ provider }: Pick<ChatPlace, "provider">): readonly string[] {
  const messages = (
    provider.requests.at(-1)?.body as { readonly messages: readonly { readonly content: unknown }[] }
  ).messages;
  const content = messages.at(-1)?.content;
  return (Array.isArray(content) ? content : []).flatMap(
    (block: { readonly type: string; readonly content?: unknown }) =>
      block.type === "tool_result"
        ? [typeof block.content === "string" ? block.content : JSON.stringify(block.content)]
        : [],
  );
}
