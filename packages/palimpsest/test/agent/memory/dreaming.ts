/** A model that dreams by a script, and what is looked at before and after. */

import type { DreamConversation } from "#agent/memory/consolidation/dream-model.ts";
import type { DreamSessions } from "#agent/memory/consolidation/run-dream.ts";
import type { JsonObject } from "#base/json/json.ts";
import { formatMemoryFile } from "#memory/files/memory-file.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import { type FakeModel, type FakeReply, fakeModel } from "#test/agent/fake-model.ts";
import type { Message, ToolUseBlock } from "#transcript/blocks.ts";
import { DAY_MS, put, START_MS } from "./a-persistent-memory.ts";

let calls = 0;
export const call = (name: string, input: JsonObject): ToolUseBlock => ({
  ...{ type: "tool_use", id: `d${calls++}`, name, input },
});
export const merge = (paths: readonly string[], text?: string): ToolUseBlock =>
  call("memory_merge", { paths: [...paths], ...(text === undefined ? {} : { text }) });
export const supersede = (newer: string, older: string): ToolUseBlock =>
  call("memory_supersede", { newer, older });

/** Always gives the same answer about memories, and answers `facts` about a conversation. */
export function dreamer(proposals: FakeReply, facts: FakeReply = "Nothing."): FakeModel {
  return fakeModel((request) => (asksForFacts(request) ? facts : proposals));
}

export const asksForFacts = ({ tools = [] }: { readonly tools?: readonly unknown[] }): boolean =>
  JSON.stringify(tools).includes("memory_write");

export interface Reported {
  readonly days?: number;
  readonly source?: "user" | "agent" | "tool" | "unknown";
  readonly isConfirmed?: boolean;
  readonly isQuarantined?: boolean;
  readonly supersededBy?: string;
  readonly supersedes?: readonly string[];
  readonly decays?: boolean;
}

/** A memory, said so many days ago, by the user if no source is given. */
export async function fact(
  store: MemoryStore,
  path: string,
  body: string,
  reported: Reported = {},
): Promise<void> {
  const { days = 1, source = "user", isConfirmed = source === "user", ...more } = reported;
  const name = path.replace(/\.md$/, "");
  const createdAtMs = START_MS - days * DAY_MS;
  await put(store, path, formatMemoryFile({ name, body, source, isConfirmed, createdAtMs, ...more }));
}

export async function filesOf(store: MemoryStore): Promise<Readonly<Record<string, string>>> {
  const { files } = await store.list();
  const read = await Promise.all(files.map(({ path }) => store.read(path)));
  return Object.fromEntries(read.map((file) => [file!.path, file!.text]));
}

/** Sessions of a test, the newest first; a message without a time is said now. */
export function sessionsWith(...sessions: readonly (readonly Message[])[]): DreamSessions {
  return {
    count: async () => sessions.length,
    gather: async () => [],
    conversations: async function* (): AsyncGenerator<DreamConversation> {
      for (const [index, messages] of sessions.entries())
        yield {
          sessionId: `s${index}`,
          messages: messages.map((message, at) => ({
            id: `m${at}.0`,
            message: { at: START_MS, ...message },
          })),
        };
    },
  };
}

export const says = (role: "user" | "assistant", text: string, at?: number): Message => ({
  role,
  content: [{ type: "text", text }],
  ...(at === undefined ? {} : { at }),
});
export const write = (text: string, more: Readonly<Record<string, unknown>> = {}) =>
  call("memory_write", {
    ...{ name: text.slice(0, 30), description: "", type: "project", text, messages: [] },
    ...(more as Record<string, string>),
  });
