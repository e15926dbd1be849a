/**
 * Your own loop: a host that calls its model itself, through the vendor's SDK, and leaves the window to a session.
 * `prepare` makes the request, `record` takes the answer, and if the provider refuses, `recover` makes the request
 * to send instead. No key and no network: a scripted provider replaces the vendor. Half way through, its limit drops.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { createPalimpsest } from "palimpsest";
import { anthropicModel } from "palimpsest/anthropic";
import { HISTORY_TOOLS } from "palimpsest/compaction";
import { toAnthropic } from "palimpsest/formats";
import { callTool, scriptedProvider } from "palimpsest-testing";

const DOCUMENTS = 30;
const summary = `<summary>
1. Primary request and intent: read all documents.
2. Key technical concepts: facts.
3. Files and code sections: none.
4. Errors and fixes: none.
5. Problem solving: none.
6. All user messages: carried over from the log.
7. Pending tasks: the documents that were not read yet.
8. Current work: reading one document after the other.
9. Optional next step: read the next one.
</summary>`;
let documentsRead = 0;
const provider = await scriptedProvider({ script: decide });
const sdk = new Anthropic({ apiKey: "any", baseURL: provider.url });
const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));

const boundaries = [];
let recoveries = 0;
const palimpsest = createPalimpsest({
  model: anthropicModel(sdk, { model: "claude-opus-5-5" }), // here it writes summaries only
  folder,
  window: { windowTokens: 64_000, policy: "faithful" }, // the default summarises windows below 128,000 tokens from the log
  observer: { onEvent: ({ edit }) => edit?.isBoundary && boundaries.push(edit) },
});
const session = await palimpsest.session("reader");

// Declared from the first call on: changing the tools later costs the whole cache.
const tools = [
  { name: "fetch_document", description: "Fetches a document.", input_schema: { type: "object" } },
  ...HISTORY_TOOLS.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema })),
];
const request = { system: "You read.", tools, parameters: { max_tokens: 4_000 } };

await session.append({ role: "user", content: [{ type: "text", text: "Read all documents." }] });
let answer;
do {
  answer = await ask(await session.prepare(request));
  const results = [];
  for (const { type, id, name, input } of answer.content) {
    if (type !== "tool_use") continue;
    const content = (await session.session.history.runTool(name, input)) ?? fetchDocument(input);
    results.push({ type: "tool_result", tool_use_id: id, content });
  }
  if (results.length > 0) await session.append({ role: "user", content: results });
} while (answer.stop_reason === "tool_use");

// Refused once, compacted by the model, and continued within the new limit.
assert.equal(answer.content[0].text, "All read.");
assert.equal(recoveries, 1);
assert.equal(provider.overflows.length, 1);
assert.deepEqual(provider.violations, []);
assert.equal(boundaries[0].reason, "reactive");
assert.ok(boundaries.every(({ writtenBy }) => writtenBy?.model === "claude-opus-5-5"));

// Nothing is lost: hidden messages are in the log.
const [hit] = await session.session.history.search('"fact 3.7"');
assert.match((await session.session.history.read(hit.pointer)).text, /^Document 3/);
await palimpsest.close();
await provider.close();
rmSync(folder, { recursive: true });
console.log(`${DOCUMENTS} documents, ${recoveries} refusal, ${boundaries.length} summaries by the model.`);

/** Sends a prepared call; after a refusal sends the session's other request, once. */
async function ask(call) {
  const body = {
    ...request.parameters,
    model: call.model,
    system: call.system,
    tools: call.tools,
    messages: toAnthropic(call.messages, { cacheMarks: call.cacheMarks }),
  };
  let message;
  try {
    message = await sdk.messages.create(body);
  } catch (error) {
    recoveries += 1;
    return ask(await session.recover(error)); // throws a typed error if it cannot help, and at the second refusal
  }
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
  await session.record({
    messages: [{ role: "assistant", responseId: message.id, content: message.content }],
    usage: {
      inputTokens: input_tokens,
      cacheReadTokens: cache_read_input_tokens ?? 0,
      cacheWriteTokens: cache_creation_input_tokens ?? 0,
      outputTokens: output_tokens,
    },
    stopReason: message.stop_reason,
  });
  return message;
}

function fetchDocument({ number }) {
  const facts = Array.from({ length: 100 }, (_, index) => `fact ${number}.${index} is that it is so`);
  return [`Document ${number}`, ...facts].join("\n");
}

/** Plays the model: reads one document after the other, and summarises on request. */
function decide({ lastUserText }) {
  if (lastUserText.includes("<summary>")) return summary;
  if (documentsRead === DOCUMENTS) return "All read.";
  documentsRead += 1;
  if (documentsRead === DOCUMENTS / 2) provider.windowTokens = 16_000;
  return callTool("fetch_document", { number: documentsRead });
}
