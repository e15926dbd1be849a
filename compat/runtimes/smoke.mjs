/**
 * What a user's first hour needs, in one program for every runtime: a turn with a tool whose result leaves the window,
 * closing and opening again, history, a compaction, memory, and the memory of a conversation. Ends with "ok".
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPalimpsest, functionModel, MemoryManager, openHome } from "palimpsest";
import { createMemory } from "palimpsest/memory";
import { estimateText, findModel } from "palimpsest/tokens";
import { scriptedProvider } from "palimpsest-testing";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-smoke-"));
const look = {
  name: "look",
  description: "Looks.",
  inputSchema: { type: "object" },
  run: () => "a long line of a log file\n".repeat(20_000),
};
let calls = 0;
const model = functionModel(
  ({ messages }) => {
    calls += 1;
    const block = { type: "tool_use", id: `call-${calls}`, name: "look", input: {} };
    const isAnswered = messages.at(-1).content.some(({ type }) => type === "tool_result");
    return isAnswered ? "There is a log." : { role: "assistant", content: [block] };
  },
  { model: "claude-sonnet-4-5" },
);

async function withSession(work) {
  const palimpsest = createPalimpsest({
    model,
    home: openHome({ home: join(folder, "home") }),
    background: "off",
  });
  const session = await palimpsest.session("smoke");
  await work(session);
  await palimpsest.close();
}

await withSession(async (session) => {
  const { text } = await session.turn("What is there?", { tools: [look], system: "Be brief." });
  assert.equal(text, "There is a log.");
});
await withSession(async (session) => {
  assert.equal(session.session.visible.length, 4);
  assert.ok(session.session.tokens.total < 10_000, "a large result is shown as a preview");
  const hits = await session.session.history.search("log file");
  assert.ok(hits.length > 0);
  await session.turn("And now?", { tools: [look] });
  await session.compact();
  assert.ok(session.session.visible.length < 8);
});

const memory = createMemory({ folder: join(folder, "memory") });
await memory.remember("We deploy on Tuesdays only.", { source: "user" });
assert.match((await memory.recall("When can I deploy?")).text, /Tuesdays/);

const chats = new MemoryManager({ folder: join(folder, "chats") });
await chats.addUserMessage("chat", "My name is Ada.");
assert.match(JSON.stringify(chats.getContextForLLM("chat")), /Ada/);

assert.equal(findModel("claude-sonnet-4-5")?.windowTokens, 200_000);
assert.ok(estimateText("Hello, world") > 1);
assert.ok(createServer, "a server can be made");
const provider = await scriptedProvider({ script: [] });
await provider.close();

rmSync(folder, { recursive: true });
console.log("ok");
