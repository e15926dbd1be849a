/**
 * One turn with a session on disk: append a message, prepare the request, record the answer, open it again.
 * No key and no network: the model's answer is part of the example.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSessions } from "palimpsest";
import { toAnthropic } from "palimpsest/formats";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));

const sessions = nodeSessions({ folder });
const session = await sessions.create({ window: { windowTokens: 64_000 } });
await session.append({ role: "user", content: [{ type: "text", text: "Hello" }] });
const call = await session.prepare({ model: "claude-opus-4-5" }); // counted, compacted if needed, valid

// Your vendor's SDK would send this:
const request = { model: call.model, max_tokens: 1_000, messages: toAnthropic(call.messages) };
assert.deepEqual(request.messages, [{ role: "user", content: [{ type: "text", text: "Hello" }] }]);

// Record the answer with its usage; the estimate learns from it.
await session.record({
  messages: [{ role: "assistant", responseId: "msg_1", content: [{ type: "text", text: "Hi!" }] }],
  usage: { inputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3 },
  stopReason: "end_turn",
});
await session.close();

// Another day, another process: the session continues where it ended.
const [sessionId] = await sessions.list();
assert.equal(sessionId, session.id);
const reopened = await sessions.open(sessionId, { window: { windowTokens: 64_000 } });
assert.deepEqual(
  reopened.visible.map(({ role }) => role),
  ["user", "assistant"],
);
assert.deepEqual(await reopened.windowAt(call.callSeq), call.messages, "what the model saw, built again");
await reopened.append({ role: "user", content: [{ type: "text", text: "And again" }] });
const next = await reopened.prepare({ model: "claude-opus-4-5" });
assert.equal(next.messages.length, 3);
assert.equal(next.tokens.source, "anchored", "sized from what was reported, plus what is new");
await reopened.close();
rmSync(folder, { recursive: true });
console.log(`Session ${sessionId}: ${next.messages.length} messages, ${next.tokens.total} tokens.`);
