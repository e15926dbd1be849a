/**
 * A complete agent in forty lines: it reads and writes files, runs commands, streams its answers, and works
 * for as long as you like in a small window. No key and no network: the vendor's SDK talks to a scripted provider,
 * which is below the agent.
 */

// ---- the agent
import { exec } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { createPalimpsest, tool } from "palimpsest";
import { anthropicModel } from "palimpsest/anthropic";
import { z } from "zod";

/** Works in `folder` on one prompt after the other: a list, or the lines that `readline` reads from a terminal. */
async function agent({ sdk, folder, sessions, prompts, onEvent }) {
  const text = z.string();
  const own = (name, description, members, execute) =>
    tool({ name, description, input: z.object(members), execute }); // the schema types and checks the input
  const tools = [
    own("read_file", "Reads a file.", { path: text }, ({ path }) => readFile(join(folder, path), "utf8")),
    own("write_file", "Writes a file.", { path: text, content: text }, async ({ path, content }) => {
      await writeFile(join(folder, path), content);
      return `${content.length} characters written.`;
    }),
    own("shell", "Runs a command.", { command: text }, async ({ command }, { signal }) => {
      const { stdout, stderr } = await promisify(exec)(command, { cwd: folder, signal, timeout: 60_000 });
      return `${stdout}${stderr}`;
    }),
  ];
  const palimpsest = createPalimpsest({
    model: anthropicModel(sdk, { model: "claude-opus-5-5" }),
    folder: sessions,
    window: { windowTokens: 32_000, policy: "faithful" }, // for the example; default: the model's, "balanced"
    observer: { onEvent }, // edits of the window
  });
  const session = await palimpsest.session("reviewer"); // continues where it ended
  for await (const prompt of prompts)
    await session.turn(prompt, { system: "You review code. Be brief.", tools, onEvent });
  await palimpsest.close();
}

// ---- the agent's end; a scripted provider and checks follow

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { callTool, say, scriptedProvider, think } from "palimpsest-testing";

const FILES = 40;
const SUMMARY = `<analysis>What was asked, what was done.</analysis>
<summary>
1. Primary request and intent: review all modules.
2. Key technical concepts: constants.
3. Files and code sections: module-1.js and those after it; module-7b.js defines limit_7_3.
4. Errors and fixes: none.
5. Problem solving: none.
6. All user messages: carried over from the log.
7. Pending tasks: the modules that were not read yet.
8. Current work: reading one module after the other.
9. Optional next step: read the next module.
</summary>`;

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
for (let number = 1; number <= FILES; number++)
  writeFileSync(join(folder, `module-${number}.js`), sourceFile(number));
let filesRead = 0;
const provider = await scriptedProvider({ script: decide });

const events = [];
let printed = "";
await agent({
  sdk: new Anthropic({ apiKey: "any", baseURL: provider.url }),
  folder,
  sessions: join(folder, "sessions"),
  prompts: ["The staging token is tok-7f3a91. Review all modules.", "What was the staging token?"],
  onEvent: (event) => {
    events.push(event);
    if (event.type === "text") printed += event.text; // process.stdout.write(event.text)
  },
});
const eventsOf = (type) => events.filter((event) => event.type === type);

// The model wrote summaries while its cache was warm, and every window fitted its vendor.
const summaries = eventsOf("summary-call");
assert.ok(summaries.length > 0);
for (const { form, outcome, usage } of summaries) {
  assert.deepEqual([form, outcome], ["forked", "written"]);
  assert.ok(usage.cacheReadTokens > 8 * usage.inputTokens, "what was sent before is read from the cache");
}
const boundaries = eventsOf("layer").filter(({ edit }) => edit.isBoundary);
assert.ok(boundaries.every(({ edit }) => edit.writtenBy?.model === "claude-opus-5-5"));
assert.deepEqual([provider.violations, provider.overflows], [[], []]);

// Strings that the summary invented are marked, and facts that no summary has are found in the log.
const [summary] = boundaries[0].edit.effect.insert[0].messages[0].content;
assert.match(summary.text, /module-7b\.js \[unverified\]/);
assert.ok(eventsOf("tool-result").some(({ call }) => call.name === "history_search"));
assert.match(printed, /Reviewed: 471 tests pass\.It was tok-7f3a91\.$/);

await provider.close();
rmSync(folder, { recursive: true });
const largest = Math.max(...provider.requests.map(({ promptTokens }) => promptTokens));
console.log(
  `${FILES} files read, ${largest} tokens at the most, ${summaries.length} summaries by the model.`,
);

/** Plays the model: reads every module, summarises on request, and searches its history for facts. */
function decide({ lastUserText, body }) {
  if (lastUserText.includes("<summary>")) return SUMMARY;
  const result = body.messages.at(-1).content.find(({ type }) => type === "tool_result");
  const answered = JSON.stringify(result?.content ?? "");
  if (lastUserText.includes("What was")) {
    if (result === undefined) return callTool("history_search", { query: "staging token" });
    return say(`It was ${/tok-[0-9a-f]+/.exec(answered)?.[0]}.`);
  }
  if (answered.includes("471 tests pass")) return say("Reviewed: 471 tests pass.");
  if (filesRead === FILES) return callTool("shell", { command: "echo 471 tests pass" });
  filesRead += 1;
  return [think("The next one."), callTool("read_file", { path: `module-${filesRead}.js` })];
}

/** A file of some 800 tokens. */
function sourceFile(number) {
  const lines = Array.from({ length: 100 }, (_, line) => `export const limit_${number}_${line} = ${line};`);
  return lines.join("\n");
}
