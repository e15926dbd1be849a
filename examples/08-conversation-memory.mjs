/**
 * Conversation memory in a few calls: messages are remembered, old entries become summaries, and the next
 * process continues. No key and no network: the model that writes the summary is part of the example.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryManager, nodeSessions } from "palimpsest";
import { toAnthropic } from "palimpsest/formats";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-memory-"));
const memory = new MemoryManager({ folder, maxEntries: 12, recentWindow: 4 });
memory.setSummarizeCallback(async (prompt) => {
  assert.match(
    prompt,
    /Conversation:\nContext \(profile.md\): Ada prefers/,
    "what is to be summarised stands at its end",
  );
  return "Ada is moving to Oslo. She asked about trains and hotels; hotels.csv lists 40, the train takes 4 h 20.";
});
memory.on("compressed", (session, { tokensSaved, writtenBy }) =>
  console.log(`${session}: ${tokensSaved} tokens saved, written by the ${writtenBy}`),
);

const chat = "ada@example.com / trip to Oslo"; // any name will do
await memory.addContext(chat, "Ada prefers trains to planes.", "profile.md");
for (const city of ["Oslo", "Bergen", "Trondheim"]) {
  await memory.addUserMessage(chat, `Which hotels are there in ${city}, and how long does the train take?`);
  await memory.addToolCall(chat, "read_file", { path: "hotels.csv", city });
  await memory.addToolResult(
    chat,
    "read_file",
    `${city}: 40 hotels, among them the Grand and the Continental`,
  );
  await memory.addAssistantMessage(chat, `There are 40 hotels in ${city}; the train takes 4 h 20.`);
}

const stats = memory.getStats(chat);
assert.deepEqual([stats.totalEntries, stats.activeEntries, stats.summaries], [13, 4, 1]);
const context = memory.getContextForLLM(chat);
assert.match(
  context,
  /^=== Previous Conversation Summaries ===\n\n\[\d{4}-\d\d-\d\d - \d{4}-\d\d-\d\d\]\nAda is moving/,
);
assert.match(context, /=== Recent Conversation ===\n\nUser: Which hotels are there in Trondheim/);
await memory.close();

// Another day, another process: loaded once, then read at once.
const later = new MemoryManager({ folder });
assert.equal(await later.loadSession(chat), true);
assert.equal(later.getContextForLLM(chat), context);

// Compressed entries are not lost: the export has every entry, and so has an import of it elsewhere.
const state = JSON.parse(JSON.stringify(later.exportSession(chat)));
const elsewhere = new MemoryManager();
elsewhere.importSession(state);
assert.equal(elsewhere.getContextForLLM(chat), context);
assert.equal(elsewhere.exportSession(chat).entries[0].content, "Ada prefers trains to planes.");
await later.close();

// It is a session like any other: a request to a model has the same summary and the same entries.
const sessions = nodeSessions({ folder });
const [sessionId] = await sessions.list();
const session = await sessions.open(sessionId);
await session.append({ role: "user", content: [{ type: "text", text: "Book the Grand." }] });
const { messages } = await session.prepare({ model: "claude-opus-4-5" });
const [first] = toAnthropic(messages);
assert.match(first.content[0].text, /^Ada is moving to Oslo/);
assert.match(first.content[1].text, /^Which hotels are there in Trondheim/);
await session.close();
rmSync(folder, { recursive: true });
console.log(`${stats.totalTokens} tokens said, ${stats.activeTokens} in the context.`);
