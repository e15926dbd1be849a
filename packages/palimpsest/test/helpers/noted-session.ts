/**
 * A session whose notes are watched: a model that plays an agent and answers requests for updates, and a journal
 * of everything that happened, in order, to work out from it what should have happened.
 *
 * The model bills as a provider whose prompt cache holds what it was sent last. Before each answer everything else
 * that can happen has happened, so that what comes between two answers is always the same.
 */

import type { AnswerPart } from "palimpsest-testing";
import type { AgentSession } from "#agent/agent-session.ts";
import type { NotesOptions } from "#agent/options/agent-options.ts";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { createPalimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "#ports/model-client.ts";
import type { SessionLog } from "#ports/session-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { hydrate } from "#session/history/hydrate.ts";
import { internalsOf } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { asksForNotes, asksForSummary } from "#test/agent/fake-model.ts";
import { estimateText } from "#tokens/estimate/character-automaton.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock, Usage } from "#transcript/blocks.ts";
import type { Entry } from "#transcript/entries.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { GOOD_SUMMARY } from "../../../../test/helpers/recorded-agent.ts";

/** An agent to play: a recorded one, or a made-up one. */
export interface PlayedAgent {
  readonly tools: readonly AgentTool[];
  nextPrompt(): string | undefined;
  /** Returns its next answer. */
  say(): readonly AnswerPart[];
}

/** Answer of a model to a request for an update: a text, or a failure. */
export type UpdateReply = string | Error;

export type JournalItem =
  | {
      readonly type: "answer";
      readonly usage: Usage | undefined;
      /** Reported size of its request. */
      readonly callTokens: number;
      readonly callsCount: number;
      /** The newest entry when it was recorded. */
      readonly throughSeq: number;
      /** The notes as they were then. */
      readonly notes: string;
      /** Tokens of the model for each of the estimate, as they were learned by then. */
      ratio: number;
    }
  | { readonly type: "asked"; readonly for: "answer" | "notes" | "summary"; readonly request: ModelRequest }
  | {
      readonly type: "update";
      readonly event: SessionEvent & { readonly type: "notes-update" };
      readonly notes: string;
    }
  | { readonly type: "summary"; readonly usage: Usage | undefined }
  | { readonly type: "window-full"; readonly event: SessionEvent & { readonly type: "layer" } }
  /** Everything that was begun before has ended, as far as it does not wait for a later answer. */
  | { readonly type: "quiet" };

export interface NotedSession {
  readonly journal: readonly JournalItem[];
  readonly events: readonly SessionEvent[];
  /** Every text that the notes had, oldest first. */
  readonly notesTexts: readonly string[];
  /** Everything that the log holds. */
  readonly entries: readonly Entry[];
  readonly session: AgentSession;
}

export interface NotedOptions {
  readonly windowTokens: number;
  readonly notes: NotesOptions;
  readonly model?: string;
  readonly window?: PalimpsestOptions["window"];
  readonly system?: string;
  /** Answers the update of this number. @defaultValue {@link usualPatches} */
  readonly update?: (index: number, request: ModelRequest) => UpdateReply;
  /** An edit of the notes by a person, once, after so many changes of them. */
  readonly edit?: { readonly afterChanges: number; readonly change: (text: string) => string };
  /** Answers that the update of this number waits for. @defaultValue none */
  readonly updateTakes?: (index: number) => number;
  /** True if the answer of this number comes without usage. */
  readonly withholdsUsage?: (index: number) => boolean;
  readonly onRequest?: (request: ModelRequest, session: AgentSession) => void;
}

/** Changes of a good model: its state, and one more line of its work log. */
export const usualPatches = (index: number): string =>
  [
    '<replace section="Current State">',
    `Step ${index}: the checkpoint of the session is being mended; the tests of it come next.`,
    "</replace>",
    '<append section="Errors & Corrections">',
    `- error E${index}: the lock was held by another process; it is taken once more now`,
    "</append>",
    '<append section="Worklog">',
    `- step ${index}: read what was said and went on`,
    "</append>",
  ].join("\n");

const TITLES = [
  ...["Session Title", "Current State", "Task Specification", "Files and Functions", "Workflow"],
  ...["Errors & Corrections", "Codebase and System Documentation", "Learnings", "Key Results", "Worklog"],
];

/** Changes of a model that writes far too much into every section, more than 2,000 tokens. */
export const tooMuch = (index: number): string =>
  TITLES.map((title) => {
    const lines = Array.from(
      { length: 90 },
      (_, line) =>
        `- ${title} ${index}.${line}: what was found there is told at length, with src/file${line}.ts:${index}`,
    );
    return `<append section="${title}">\n${lines.join("\n")}\n</append>`;
  }).join("\n");

/** Lets everything happen that waits for nothing but its turn. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Plays an agent to its end in a session that keeps notes. */
export async function playNoted(agent: PlayedAgent, options: NotedOptions): Promise<NotedSession> {
  const { windowTokens, notes, model = "claude-opus-4-6", system = "You work on a repository." } = options;
  const journal: JournalItem[] = [];
  const events: SessionEvent[] = [];
  const store = new WatchedNotes(options.edit);
  const held = new HeldUpdates();
  const cache = new LastPrompts(system, agent.tools);
  let session: AgentSession | undefined;
  let updates = 0;
  let answers = 0;
  const reply = (content: readonly ContentBlock[], usage: Usage | undefined): ModelAnswer => ({
    messages: [{ role: "assistant", content }],
    stopReason: content.some(({ type }) => type === "tool_use") ? "tool-use" : "end",
    usage,
  });
  const generate: ModelClient["generate"] = async (request) => {
    if (asksForNotes(request)) {
      journal.push({ type: "asked", for: "notes", request });
      const index = updates++;
      const message = (options.update ?? usualPatches)(index, request);
      await held.until(answers + (options.updateTakes?.(index) ?? 0));
      if (message instanceof Error) throw message;
      const content = [{ type: "text", text: message }] as const;
      return reply(content, cache.bill(request, content));
    }
    if (asksForSummary(request)) {
      journal.push({ type: "asked", for: "summary", request });
      const content = [{ type: "text", text: GOOD_SUMMARY }] as const;
      return reply(content, cache.bill(request, content));
    }
    journal.push({ type: "asked", for: "answer", request });
    options.onRequest?.(request, session!);
    const content = agent.say().map(blockOf);
    const usage = cache.bill(request, content);
    const answered = reply(content, options.withholdsUsage?.(answers) === true ? undefined : usage);
    answers++;
    held.goOn(answers);
    await quiet();
    journal.push({ type: "quiet" });
    return answered;
  };
  let callTokens = 0;
  let callsCount = 0;
  const palimpsest = createPalimpsest({
    model: {
      provider: "fake",
      model,
      generate: async (request, how) => {
        const answered = await generate(request, how);
        callsCount = answered.messages[0]!.content.filter(({ type }) => type === "tool_use").length;
        return answered;
      },
    },
    store,
    notes,
    window: { windowTokens, ...options.window },
    observer: {
      onEvent: (event) => {
        events.push(event);
        if (event.type === "call") callTokens = event.tokens;
        else if (event.type === "answer") {
          const throughSeq = internalsOf(session!.session).writer.nextSeq - 1;
          const { usage } = event;
          journal.push({
            type: "answer",
            usage,
            callTokens,
            callsCount,
            throughSeq,
            notes: store.text,
            ratio: 1,
          });
        } else if (event.type === "notes-update") journal.push({ type: "update", event, notes: store.text });
        else if (event.type === "summary-call") journal.push({ type: "summary", usage: event.usage });
        else if (event.type === "layer" && event.edit.isBoundary === true)
          journal.push({ type: "window-full", event });
      },
    },
    hooks: {
      // Told when the answer was recorded and the notes have heard of it.
      postSampling: () => {
        const answer = journal.findLast((item) => item.type === "answer");
        if (answer !== undefined) answer.ratio = internalsOf(session!.session).tracker.ledger.ratio;
      },
    },
  });
  session = await palimpsest.session("noted");
  // Tools are given time, too: what an answer brought about is over before the next call is prepared.
  const settling = async (): Promise<void> => {
    await quiet();
    journal.push({ type: "quiet" });
  };
  const tools = agent.tools.map(
    (tool): AgentTool => ({
      ...tool,
      run: async (input, how) => {
        await settling();
        return tool.run(input, how);
      },
    }),
  );
  for (let prompt = agent.nextPrompt(); prompt !== undefined; prompt = agent.nextPrompt()) {
    await session.turn(prompt, { system, tools });
    await settling();
  }
  held.goOn(Number.POSITIVE_INFINITY);
  await palimpsest.close();
  return { journal, events, notesTexts: store.texts, entries: await store.entries("noted"), session };
}

function blockOf(part: AnswerPart): ContentBlock {
  if (part.type === "text") return part;
  if (part.type === "thinking") return { type: "thinking", thinking: part.text, signature: "signed" };
  return { type: "tool_use", id: part.id!, name: part.name, input: part.input };
}

/** Updates that are answered later. */
class HeldUpdates {
  #answers = 0;
  readonly #waiting = new Map<() => void, number>();

  async until(answers: number): Promise<void> {
    if (answers <= this.#answers) return;
    await new Promise<void>((resolve) => this.#waiting.set(resolve, answers));
  }

  goOn(answers: number): void {
    this.#answers = answers;
    for (const [resolve, wanted] of this.#waiting)
      if (wanted <= answers) {
        this.#waiting.delete(resolve);
        resolve();
      }
  }
}

/** A store that keeps every text that notes had. */
class WatchedNotes extends InMemorySessionStore {
  readonly texts: string[] = [];
  readonly #edit: NotedOptions["edit"];

  constructor(edit: NotedOptions["edit"]) {
    super();
    this.#edit = edit;
  }

  get text(): string {
    return this.texts.at(-1) ?? "";
  }

  override async create(sessionId: string): Promise<SessionLog> {
    const log = await super.create(sessionId);
    const { notes } = log;
    Object.defineProperty(log, "notes", {
      value: {
        read: () => notes!.read(),
        replace: async (base: string | undefined, text: string) => {
          const isDone = await notes!.replace(base, text);
          if (isDone) this.texts.push(text);
          if (isDone && this.texts.length === this.#edit?.afterChanges) {
            this.texts.push(this.#edit.change(text));
            await notes!.replace(text, this.text);
          }
          return isDone;
        },
      },
    });
    return log;
  }

  async entries(sessionId: string): Promise<readonly Entry[]> {
    const log = await super.open(sessionId);
    const entries: Entry[] = [];
    for await (const batch of log.readAll())
      for (const { entry } of batch.entries) entries.push(await hydrate(entry, log));
    await log.close();
    return entries;
  }
}

/** Usage of a provider that caches the prompts of the last two requests, block by block, and is asked to write each. */
class LastPrompts {
  readonly #fixedTokens: number;
  #kept: readonly (readonly RequestMessage[])[] = [];

  constructor(system: string, tools: readonly AgentTool[]) {
    this.#fixedTokens = estimateText(system) + estimateText(JSON.stringify(tools));
  }

  bill(request: ModelRequest, answer: readonly ContentBlock[]): Usage {
    const { messages, tools } = request;
    const outputTokens = Math.round(estimateMessage({ content: answer }));
    const total = messages.reduce((sum, message) => sum + estimateMessage(message), this.#fixedTokens);
    // What has no tools is another request altogether.
    if (tools === undefined)
      return { inputTokens: Math.round(total), cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens };
    const shared = Math.max(0, ...this.#kept.map((kept) => sharedTokens(kept, messages)));
    const cacheReadTokens = shared === 0 ? 0 : Math.round(this.#fixedTokens + shared);
    const newTokens = Math.round(total) - cacheReadTokens;
    // An instruction behind the conversation has no mark, and so is not written.
    const isMarked = !asksForNotes(request);
    if (isMarked) this.#kept = [messages, ...this.#kept].slice(0, 2);
    return {
      cacheReadTokens,
      cacheWriteTokens: isMarked ? newTokens : 0,
      inputTokens: isMarked ? 0 : newTokens,
      outputTokens,
    };
  }
}

/** Tokens of the blocks that both begin with. */
function sharedTokens(one: readonly RequestMessage[], other: readonly RequestMessage[]): number {
  let tokens = 0;
  for (const [index, message] of one.entries()) {
    const its = other[index];
    if (its === undefined) return tokens;
    if (message === its) {
      tokens += estimateMessage(message);
      continue;
    }
    const count = message.content.findIndex((block, place) => !isSame(block, its.content[place]));
    const shared = count === -1 ? message.content : message.content.slice(0, count);
    tokens += estimateMessage({ content: shared });
    if (count !== -1 || its.content.length > message.content.length) return tokens;
  }
  return tokens;
}

const isSame = (one: ContentBlock, other: ContentBlock | undefined): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
