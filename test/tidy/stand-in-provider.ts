/**
 * A replacement of the vendors while a document's example runs: the scripted provider of the installed package.
 *
 * An example is written as a user would write it, `new Anthropic()` and nothing more; the SDKs find address
 * and key in the environment. The provider is a thread of the example's own process, so that it is gone with it
 * and an example that asks for something which a vendor would refuse fails.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Its answer to every request. */
export const STAND_IN_ANSWER = "The stand-in for the vendor answers.";

const PROVIDER = `
import { parentPort } from "node:worker_threads";
import { say, scriptedProvider } from "palimpsest-testing";
const { url, openAiUrl } = await scriptedProvider({ script: () => say(${JSON.stringify(STAND_IN_ANSWER)}) });
parentPort.postMessage({ url, openAiUrl });
`;

const PRELOAD = `
import { once } from "node:events";
import { Worker } from "node:worker_threads";
const provider = new Worker(new URL("./stand-in-provider.mjs", import.meta.url), { execArgv: [] });
const [{ url, openAiUrl }] = await once(provider, "message");
provider.unref();
Object.assign(process.env, {
  ANTHROPIC_API_KEY: "any",
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: "any",
  OPENAI_BASE_URL: openAiUrl,
});
`;

/** Arguments of `node` for code that uses a vendor's SDK; the files that they need are written into `folder`. */
export function standInArguments(folder: string, code: string): readonly string[] {
  if (!/from "(?:@anthropic-ai\/sdk|openai)"/.test(code)) return [];
  writeFileSync(join(folder, "stand-in-provider.mjs"), PROVIDER);
  const preload = join(folder, "stand-in.mjs");
  writeFileSync(preload, PRELOAD);
  return ["--import", preload];
}
