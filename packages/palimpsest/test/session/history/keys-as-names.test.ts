/** A key as the name of a tool, or as the id of a call, is in the log and in nothing that is made of it. */
import { FakeClock, seededIds } from "palimpsest-testing";
import { expect, it } from "vitest";
import { exportLines } from "#session/lifecycle/export-session-lines.ts";
import { createSession } from "#session/lifecycle/open-session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { ToolResultBlock } from "#transcript/blocks.ts";
import { withoutSecrets } from "#transcript/without-secrets.ts";

/** Made up here, and put together so that no scanner takes this file for a leak. */
const NAME = `${"gh"}p_abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0129abc`;
const ID = `${"gh"}p_zzCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0129zzz`;
const listing = Array.from({ length: 2_000 }, (_, line) => `line ${line} of the listing`).join("\n");

const answers: readonly { readonly why: string; readonly content: ToolResultBlock["content"] }[] = [
  { why: "a text", content: "ran the listing" },
  { why: "parts", content: [{ type: "text", text: "ran the listing" }] },
  { why: "a long text beside the log", content: listing },
];

it.each(answers)("is not in lists, hits and exports, where the result is $why", async ({ content }) => {
  const store = new InMemorySessionStore();
  const session = await createSession({
    store,
    clock: new FakeClock(),
    ids: seededIds(1),
    hasher: nodeHasher,
    window: { windowTokens: 64_000 },
  });
  await session.append({ role: "user", content: "List them." });
  const call = { type: "tool_use", id: ID, name: NAME, input: { path: "listing.ts" } } as const;
  await session.record({ messages: [{ role: "assistant", content: [call] }] });
  await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: ID, content }] });
  const { messages } = await session.prepare({ model: "claude-sonnet-4-5" });
  expect(JSON.stringify(messages)).toContain(ID);

  const hits = await session.history.search("listing");
  expect(hits.map(({ tool }) => tool)).toContain("[redacted: github]");
  const answered = await session.runTool("history_search", { query: "listing" });
  const lines: string[] = [];
  const log = await store.open(session.id);
  for await (const line of exportLines(log, { isRedacted: true, hasher: nodeHasher })) lines.push(line);
  const results = session.context().shares.find(({ category }) => category === "results");
  expect(results?.parts?.map(({ name }) => name)).toEqual(["[redacted: github]"]);
  for (const made of [hits, answered, lines, session.context()]) {
    expect(JSON.stringify(made)).not.toContain(NAME);
    expect(JSON.stringify(made)).not.toContain(ID);
  }
});

it("is replaced in the same way in a call and in its result, so that they stay a pair", () => {
  const call = { type: "tool_use", id: ID, name: "read", input: {} } as const;
  expect(withoutSecrets(call)).toEqual({ ...call, id: "[redacted: github]" });
  for (const { content } of answers)
    expect(withoutSecrets({ type: "tool_result", tool_use_id: ID, content })).toEqual({
      type: "tool_result",
      tool_use_id: "[redacted: github]",
      content,
    });
});
