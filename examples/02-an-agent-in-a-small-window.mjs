/**
 * An agent that reads a hundred files in a window that holds twenty of them. No request is too large,
 * every one is valid, and the first message can still be found at the end.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSessions } from "palimpsest";
import { toAnthropic } from "palimpsest/formats";
import { estimateText } from "palimpsest/tokens";
import { judgeAnthropicRequest } from "palimpsest-testing";

const WINDOW_TOKENS = 32_000;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
const sessions = nodeSessions({ folder });
const layersAtWork = new Set();
const session = await sessions.create({
  window: { windowTokens: WINDOW_TOKENS },
  observer: { onEvent: (event) => event.type === "layer" && layersAtWork.add(event.layer) },
});

const text = (value) => [{ type: "text", text: value }];
await session.append({
  role: "user",
  content: text("The staging token is tok-7f3a91. Now review all modules."),
});

let largestTokens = 0;
let conversationTokens = 0;
for (let turn = 1; turn <= 100; turn++) {
  const call = await session.prepare({ model: "claude-opus-4-5", system: "You review code." });
  largestTokens = Math.max(largestTokens, call.tokens.total);
  const body = {
    model: call.model,
    max_tokens: 1_000,
    system: call.system,
    messages: toAnthropic(call.messages),
  };
  assert.deepEqual(judgeAnthropicRequest(body), [], "the provider would take it");

  const id = `toolu_${turn}`;
  const file = sourceFile(turn);
  conversationTokens += estimateText(file);
  const content = [{ type: "tool_use", id, name: "read_file", input: { path: `src/module-${turn}.ts` } }];
  await session.record({ messages: [{ role: "assistant", responseId: `msg_${turn}`, content }] });
  await session.append({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: file }],
  });
}

assert.ok(conversationTokens > 3 * WINDOW_TOKENS, "far more was said than fits");
assert.ok(largestTokens < WINDOW_TOKENS, `${largestTokens} tokens fit`);
assert.ok(layersAtWork.size > 0, "something had to be made smaller");

// Messages outside the window are in the log: an agent finds them with two tools, a program with two methods.
const found = await session.history.runTool("history_search", { query: "staging token" });
assert.match(found, /tok-7f3a91/);
const [hit] = await session.history.search('"limit_3_7"');
const page = await session.history.read(hit.pointer);
assert.ok(page.text.startsWith("// module 3"), "the whole file, to the letter");
await session.close();
rmSync(folder, { recursive: true });
console.log(
  `${Math.round(conversationTokens)} tokens said, at most ${largestTokens} sent; ${[...layersAtWork].join(", ")}.`,
);

/** A file of some 4 KB. */
function sourceFile(number) {
  const lines = Array.from(
    { length: 100 },
    (_, line) => `export const limit_${number}_${line} = ${line * number};`,
  );
  return [`// module ${number}`, ...lines].join("\n");
}
