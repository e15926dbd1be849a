/**
 * A stage for sessions with a model: a model that works through files, and everything that happens.
 */

import type { AgentSession } from "#agent/agent-session.ts";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { createPalimpsest, type Palimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { ModelRequest } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import {
  asksForNotes,
  asksForSummary,
  type FakeModel,
  type FakeReply,
  fakeModel,
  NOTES_PATCHES,
  SUMMARY,
} from "./fake-model.ts";

const WORDS = "the parser reads tokens one by one and keeps the place of each in the file\n";

/** Some 4 characters a token. */
export const wordsOf = (tokens: number): string => WORDS.repeat(Math.ceil((tokens * 4.6) / WORDS.length));

/** A tool whose results no layer but a summary may take out. */
export const docsTool = (tokens: number): AgentTool => ({
  name: "mcp__docs__get",
  description: "Reads a document.",
  inputSchema: { type: "object" },
  run: (input) => `${JSON.stringify(input)} ${wordsOf(tokens)}`,
});

export interface Stage {
  readonly palimpsest: Palimpsest;
  readonly session: AgentSession;
  readonly model: FakeModel;
  readonly events: SessionEvent[];
  readonly store: InMemorySessionStore;
  /** Names of what happened, without the calls that left. */
  eventNames(): readonly string[];
}

export interface StageOptions extends Partial<Omit<PalimpsestOptions, "model">> {
  /** Answers to requests for a summary. @defaultValue a good one */
  readonly summary?: (request: ModelRequest, index: number) => FakeReply | Promise<FakeReply>;
  /** Answers to requests for an update of the notes, where `notes` is set. @defaultValue one that changes two sections */
  readonly notesAnswer?: (request: ModelRequest, index: number) => FakeReply | Promise<FakeReply>;
  /** Answers to all others. @defaultValue calls of the docs tool, `calls` of them, and then "Done." */
  readonly answer?: (request: ModelRequest, index: number) => FakeReply | Promise<FakeReply>;
  readonly calls?: number;
}

/** A session in a window of 32,000 tokens in which only summaries make room. */
export async function setTheStage(options: StageOptions = {}): Promise<Stage> {
  const { summary, answer, notesAnswer, calls = 40, ...others } = options;
  let summaries = 0;
  let updates = 0;
  let answers = 0;
  const model = fakeModel((request) => {
    if (asksForNotes(request)) return (notesAnswer ?? (() => NOTES_PATCHES))(request, updates++);
    if (asksForSummary(request)) return (summary ?? (() => SUMMARY))(request, summaries++);
    const index = answers++;
    if (answer !== undefined) return answer(request, index);
    return index >= calls ? "Done." : callOf(index);
  });
  const events: SessionEvent[] = [];
  const store = new InMemorySessionStore();
  const palimpsest = createPalimpsest({
    model,
    store,
    notes: "off",
    observer: { onEvent: (event) => events.push(event) },
    ...others,
    window: {
      windowTokens: 32_000,
      policy: "faithful",
      disabledLayers: ["offload", "microcompact"],
      ...others.window,
    },
  });
  const session = await palimpsest.session("s1");
  return { palimpsest, session, model, events, store, eventNames: () => events.flatMap(nameOf) };
}

export const callOf = (index: number): FakeReply => [
  { type: "tool_use", id: `call_${index}`, name: "mcp__docs__get", input: { path: `src/file${index}.ts` } },
];

function nameOf(event: SessionEvent): readonly string[] {
  switch (event.type) {
    case "call":
    case "answer":
    case "cache-miss":
    case "summary-started":
      return [];
    case "layer":
      return [`${event.layer} (${event.edit.reason})`];
    case "summary-call":
      return [`summary-call ${event.form}: ${event.outcome}`];
    case "model-failed":
      return [`model-failed: ${event.failure.kind}`];
    default:
      return [event.type];
  }
}
