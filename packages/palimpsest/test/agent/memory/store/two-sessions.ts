/**
 * Two sessions over one memory: in the first one something is read or said and an extractor proposes what it likes,
 * in the second one a user asks for it. What the second one's model is sent is what counts.
 */

import type { AgentSession } from "#agent/agent-session.ts";
import type { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import type { JsonObject, JsonValue } from "#base/json/json.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { type FakeReply, fakeModel } from "#test/agent/fake-model.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { blockText, type ToolUseBlock } from "#transcript/blocks.ts";

/** The user's statements of earlier sessions, by path. */
const KNOWN: readonly (readonly [string, string])[] = [
  ["deploy-days", "We deploy on Tuesdays only."],
  ["who", "I am Ada and I work on the billing service."],
  ["style", "Answer in short sentences."],
];
export const KNOWN_PATHS: readonly string[] = ["deploy-days.md", "style.md", "who.md"];

/** The ids of a conversation's messages, as an extractor can know them. */
export interface ConversationIds {
  readonly user: readonly string[];
  readonly agent: readonly string[];
}

/** An extractor's calls; of its request it uses only the ids. */
export type Extractor = (ids: ConversationIds, answer: number) => readonly ToolUseBlock[];

export interface FirstSession {
  readonly session: AgentSession;
  readonly memory: PersistentMemory;
  /** The main model's next answer, or its next action. */
  readonly script: (FakeReply | (() => Promise<FakeReply>))[];
  /** Ends the session, and goes on with it in another process. */
  reopen(): Promise<void>;
  /** The user says something; the model calls the tool, which returns that, and says what it has to say. */
  called(
    name: string,
    input: JsonValue,
    result: string,
    answer?: FirstSession["script"][number],
  ): Promise<void>;
}

export interface Outcome {
  readonly memory: PersistentMemory;
  readonly store: MemoryStore;
  /** The requests to the extractor. */
  readonly asked: readonly ModelRequest[];
  readonly events: readonly SessionEvent[];
  /** The texts of the user's memories, before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

let calls = 0;
export const call = (name: string, input: JsonObject): ToolUseBlock => ({
  type: "tool_use",
  id: `x${calls++}`,
  name,
  input,
});

export interface FirstOptions {
  readonly extraction: "rules" | "model";
  readonly extractor: Extractor;
  readonly play: (first: FirstSession) => Promise<void>;
  /** The memories at the beginning. */
  readonly prepare?: (memory: PersistentMemory, store: MemoryStore) => Promise<void>;
}

/** The first session, up to its end. */
export async function playFirst({ extraction, extractor, play, prepare }: FirstOptions): Promise<Outcome> {
  const { memory, store } = aPersistentMemory();
  for (const [name, text] of KNOWN) await memory.remember(text, { name, source: "user" });
  await prepare?.(memory, store);
  const before = await textsOf(store);
  const asked: ModelRequest[] = [];
  const lightModel = fakeModel((request) => {
    asked.push(request);
    const reply = extractor(idsIn(request), asked.length);
    return reply.length === 0 ? "Nothing." : reply;
  });
  const script: FirstSession["script"] = [];
  const staged = await setTheStage({
    ...{ memory, memoryExtraction: extraction, lightModel },
    answer: () => {
      const next = script.shift() ?? "Done.";
      return typeof next === "function" ? next() : next;
    },
  });
  const first = { session: staged.session };
  const called: FirstSession["called"] = async (name, input, result, answer = "I have looked at it.") => {
    script.push([call(name, input as JsonObject)], answer);
    const tool: AgentTool = { name, description: "", inputSchema: { type: "object" }, run: () => result };
    await first.session.turn("Have a look at it, please.", { tools: [tool] });
  };
  const reopen = async (): Promise<void> => {
    await first.session.close();
    first.session = await staged.palimpsest.session("s1");
  };
  await first.session.turn("Fix the login bug, and run the tests before pushing to the main branch.");
  await play(Object.assign(first, { memory, script, called, reopen }));
  await first.session.turn("yes, approved, do it");
  await first.session.close();
  return { memory, store, asked, events: staged.events, before, after: await textsOf(store) };
}

/** A new session over the same memory, in which the user asks; what its model was sent, without their question. */
export async function playSecond(memory: PersistentMemory, question: string): Promise<readonly string[]> {
  const { session, model } = await setTheStage({ memory, memoryExtraction: "off", answer: () => "Well." });
  await session.turn(question);
  await session.turn("What else should I know?");
  await session.close();
  return model.requests.flatMap(({ system, messages }) =>
    [system ?? "", ...messages.flatMap(({ content }) => content.map(blockText))].filter(
      (text) => text !== question,
    ),
  );
}

/** The files of the user's memories. */
async function textsOf(store: MemoryStore): Promise<readonly string[]> {
  return Promise.all(KNOWN_PATHS.map(async (path) => (await store.read(path))?.text ?? "gone"));
}

/** Everything that is kept, as text. */
export async function allFiles(store: MemoryStore): Promise<string> {
  const { files } = await store.list();
  const texts = await Promise.all(
    files.map(async ({ path }) => `${path}\n${(await store.read(path))?.text}`),
  );
  for (const name of await store.listRecords("injections/")) texts.push((await store.readRecord(name)) ?? "");
  return texts.join("\n");
}

function idsIn({ messages }: ModelRequest): ConversationIds {
  const text = messages.flatMap(({ content }) => content.map(blockText)).join("\n");
  const of = (who: string) =>
    [...text.matchAll(new RegExp(`^\\[(\\S+)\\] ${who}: `, "gm"))].map(([, id]) => id!);
  return { user: of("user"), agent: of("agent") };
}

/** Forged speakers and invisible characters in texts for a model; empty if there are none. */
export function breakouts(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    const hidden = /[\p{Cf}\p{Co}\p{Cn}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/u.test(text);
    const isOurs = /<(?:recalled-memories|memory-index)/.test(text);
    const lines = isOurs ? text.split("\n").slice(2, -1) : [];
    // Behind the tag and its line of explanation there is nothing but quotations, heads of memories and blank lines.
    const strange = lines.filter((line) => !/^(?:$|[+-] >|>|\[\d\] .*\.md; .*\)$|\(\d+ more)/.test(line));
    const tags = isOurs
      ? lines.filter((line) =>
          /<\/?(?:system|recalled|memory-index|human|assistant|user|function|tool)|<!--|!\[|^> ?(?:human|assistant|system|user)\s*:/i.test(
            line,
          ),
        )
      : [];
    return [...(hidden && isOurs ? [`hidden: ${JSON.stringify(text)}`] : []), ...strange, ...tags];
  });
}
