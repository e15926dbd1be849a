/**
 * Makes a session from a recorded one: reads the file, looks at its messages, replays them into a
 * window. The recording is made up; use the files that your agent keeps.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeSessions } from "palimpsest";
import { countSession, importFile, toOpenAIChat } from "palimpsest/formats";
import { judgeOpenAIChatRequest } from "palimpsest-testing";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
const file = join(folder, "recorded.json");
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
writeFileSync(
  file,
  JSON.stringify({
    messages: [
      { role: "system", content: "You are brief." },
      { role: "user", content: "Do I need a coat in Oslo?" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "2 °C, wind" },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "And a hat?" },
    ],
  }),
);

const { format, sessions, repairs } = await importFile(file);
const [recorded] = sessions;
assert.equal(format, "openai-chat");
assert.deepEqual(repairs, []);
assert.equal(countSession(recorded).toolCalls, 1);

const session = await nodeSessions({ folder }).create({ source: { format } });
for (const item of recorded.items) if (item.type === "message") await session.append(item.message);
const prepared = await session.prepare({ model: "gpt-4o", system: recorded.system });
const request = {
  model: prepared.model,
  messages: toOpenAIChat(prepared.messages, { system: prepared.system }),
};
assert.deepEqual(judgeOpenAIChatRequest(request), []);
assert.deepEqual(
  request.messages.map(({ role }) => role),
  ["system", "user", "assistant", "tool", "assistant", "user"],
);
await session.close();
rmSync(folder, { recursive: true });
console.log(`${format}: ${prepared.messages.length} messages, ${prepared.tokens.total} tokens.`);
