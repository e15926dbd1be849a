/**
 * Runs one session of a scripted agent deterministically: over HTTP against the scripted provider, on an in-memory disk,
 * with a clock that advances by a fixed step for each answer.
 *
 * Background work (notes, memories, summaries ahead of time) finishes before the provider answers, before each tool
 * answers and after each turn. Its requests are recorded after those of the conversation, so timing has no effect.
 */
import { setTimeout } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { TurnOptions } from "#palimpsest/agent/options/turn/turn-options.ts";
import { anthropicModel } from "#palimpsest/entries/anthropic.ts";
import {
  type AgentSession,
  type AgentTool,
  createPalimpsest,
  FileSessionStore,
  type ModelClient,
  nodeHasher,
  PalimpsestError,
  type PalimpsestOptions,
  type SessionEvent,
} from "#palimpsest/entries/index.ts";
import {
  createMemory,
  inMemoryMemoryStore,
  type MemoryOptions,
  type MemoryStore,
  type PersistentMemory,
} from "#palimpsest/entries/memory.ts";
import { openaiChatModel, openaiResponsesModel } from "#palimpsest/entries/openai.ts";
import type { Entry } from "#palimpsest/entries/transcript.ts";
import {
  type AnswerPart,
  FakeClock,
  InMemoryFileSystem,
  type ScriptedAnswer,
  type ScriptedProvider,
  type ScriptedRequest,
  type ScriptStep,
  scriptedProvider,
  seededIds,
} from "#palimpsest-testing/entries/index.ts";
import { GOOD_PATCHES, GOOD_SUMMARY, isNotesRequest, isSummaryRequest } from "../helpers/recorded-agent.ts";
import type { GoldenRun } from "./golden.ts";

export const ROOT = "/srv/golden/.palimpsest/projects/app";
export const SESSION = "golden";
const STEP_MS = 4_000;
export const HOUR_MS = 3_600_000;
export const SYSTEM = `You work on a repository. ${"Keep to the rules of the house. ".repeat(40)}`;

/** A deadline that never expires. */
export const never = { after: () => () => undefined };

export type Wire = "anthropic" | "anthropic-strict" | "openai-chat" | "openai-responses";

const CLIENTS: Readonly<Record<Wire, (provider: ScriptedProvider) => ModelClient>> = {
  anthropic: ({ url }) =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-4-6",
    }),
  "anthropic-strict": ({ url }) =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-5-5",
    }),
  "openai-chat": ({ openAiUrl }) =>
    openaiChatModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), { model: "gpt-4.1" }),
  "openai-responses": ({ openAiUrl }) =>
    openaiResponsesModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), {
      model: "gpt-5.6-sol",
    }),
};

/** Purpose of a request. */
type Kind = "answer" | "summary" | "notes" | "memory" | "other";

type Answering = (request: ScriptedRequest, index: number) => ScriptStep;

export interface ScriptOptions extends Partial<Omit<PalimpsestOptions, "model" | "memory">> {
  readonly wire?: Wire;
  readonly windowTokens?: number;
  /** Window of the provider, if it differs from the session's. */
  readonly providerTokens?: number;
  /** Answers of the model, call by call. */
  readonly answer: Answering;
  readonly summary?: Answering;
  readonly notesAnswer?: Answering;
  /** Answers requests of the memory. */
  readonly memoryAnswer?: Answering;
  /** Long-term memory of the session. */
  readonly remembers?: boolean | Omit<MemoryOptions, "store">;
}

/** The objects that a script works with. */
export interface ScriptedRun {
  readonly clock: FakeClock;
  readonly events: readonly SessionEvent[];
  readonly provider: ScriptedProvider;
  readonly memory: PersistentMemory;
  readonly store: FileSessionStore;
  /** The open session. */
  readonly session: AgentSession;
  /** Takes a turn, waits for background work, and records the result or the error code. */
  turn(input: Parameters<AgentSession["turn"]>[0], options?: TurnOptions): Promise<void>;
  /** Waits for background work. */
  settled(): Promise<void>;
  /** Closes the session and opens it again, or another one. */
  reopen(sessionId?: string): Promise<void>;
  /** Returns tools that wait for background work before they answer. */
  calm(tools: readonly AgentTool[]): readonly AgentTool[];
  /** Records the result of a call, or the code of its error. */
  note(name: string, work: () => unknown): Promise<void>;
}

/** Runs a script and records its requests, the lines of every log, the notes and the memories. */
export async function runScript(
  run: GoldenRun,
  options: ScriptOptions,
  live: (life: ScriptedRun) => Promise<void>,
): Promise<void> {
  const { wire = "anthropic", windowTokens = 32_000, providerTokens = windowTokens, remembers } = options;
  const clock = new FakeClock();
  const kinds = new RequestLog(options);
  const provider = await scriptedProvider({
    ...{ windowTokens: providerTokens, clock },
    script: async (request) => {
      if (kindOf(request) === "answer") {
        await quiet(1);
        clock.advance(STEP_MS);
      }
      return kinds.answer(request);
    },
  });
  const events: SessionEvent[] = [];
  const fs = new InMemoryFileSystem(() => clock.nowMs());
  const ids = seededIds();
  const store = new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids });
  const memoryStore = recorded(inMemoryMemoryStore({ clock, hasher: nodeHasher }), run);
  const memory = createMemory({
    ...{ store: memoryStore, clock, deadline: never },
    ...(typeof remembers === "object" ? remembers : {}),
  });
  const palimpsest = createPalimpsest({
    notes: "off",
    ...agentOptions(options),
    ...{ store, clock, deadline: never, model: CLIENTS[wire](provider) },
    ...(remembers === undefined ? {} : { memory }),
    window: { windowTokens, ...options.window },
    observer: { onEvent: (event) => events.push(event) },
  });
  let session = await palimpsest.session(SESSION);
  /** Waits until nothing happens and at most `most` requests are pending. */
  const quiet = async (most: number): Promise<void> => {
    let seen = "";
    for (let turns = 0; turns < 6; turns++) {
      await setTimeout(1);
      const pending = provider.requests.filter(({ outcome }) => outcome === "pending").length;
      const now = `${events.length} ${provider.requests.length} ${pending}`;
      if (now !== seen || pending > most) turns = -1;
      seen = now;
    }
  };
  const settled = async (): Promise<void> => {
    await session.notesSettled();
    await session.memorySettled();
    await quiet(0);
  };
  const note: ScriptedRun["note"] = async (name, work) => {
    let message: unknown;
    try {
      message = await work();
    } catch (error) {
      if (!(error instanceof PalimpsestError)) throw error;
      message = { code: error.code };
    }
    run.file(name, JSON.stringify(message) ?? "nothing");
    await settled();
  };
  const life: ScriptedRun = {
    ...{ clock, events, provider, memory, store, settled, note },
    get session() {
      return session;
    },
    turn: (input, turnOptions) =>
      note("turn", async () => {
        const { text, endedBy, iterations } = await session.turn(input, turnOptions);
        return { text, endedBy, iterations };
      }),
    reopen: async (sessionId = SESSION) => {
      await session.close();
      session = await palimpsest.session(sessionId);
    },
    calm: (tools) =>
      tools.map((tool) => ({
        ...tool,
        run: async (input, context) => {
          await settled();
          return tool.run(input, context);
        },
      })),
  };
  try {
    await live(life);
    await settled();
    const notes = await session.readNotes();
    if (notes !== undefined) run.file("notes", notes.text);
  } finally {
    await palimpsest.close();
    await memory.close();
    await provider.close();
  }
  kinds.addTo(run);
  await addLogs(store, run);
}

/** The options of `createPalimpsest`. */
function agentOptions({
  wire: _wire,
  windowTokens: _windowTokens,
  providerTokens: _providerTokens,
  answer: _answer,
  summary: _summary,
  notesAnswer: _notesAnswer,
  memoryAnswer: _memoryAnswer,
  remembers: _remembers,
  ...options
}: ScriptOptions): Partial<PalimpsestOptions> {
  return options;
}

/**
 * Adds every entry of every log. Ids are random, so each is replaced by the number of its entry. Places in the file are left
 * out: random ids are compressed to another length each time.
 */
async function addLogs(store: FileSessionStore, run: GoldenRun): Promise<void> {
  const names = new Map<string, string>();
  const all: Entry[] = [];
  for (const id of [...(await store.list())].sort()) {
    const log = await store.open(id);
    for await (const { entries, damage } of log.readAll()) {
      if (damage.length > 0) throw new Error(`The log of ${id} is damaged: ${JSON.stringify(damage)}`);
      for (const { entry } of entries) {
        names.set(entry.id, `entry ${entry.seq}`);
        all.push(entry);
      }
    }
    await log.close();
  }
  const named = (field: string, value: unknown): unknown => {
    if (field === "position" && typeof value === "number") return 0;
    return typeof value === "string" ? (names.get(value) ?? value) : value;
  };
  for (const entry of all) run.line(JSON.parse(JSON.stringify(entry), named));
}

/** Records every change of the memories with its text. */
function recorded(store: MemoryStore, run: GoldenRun): MemoryStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...given: readonly unknown[]) => {
        const result: unknown = await value.apply(target, given);
        if (name === "apply" || name === "writeRecord" || name === "appendRecord")
          run.file(name, JSON.stringify(given));
        return result;
      };
    },
  });
}

/** Answers requests and groups them by purpose. */
class RequestLog {
  readonly #bodies = new Map<Kind, ScriptedRequest[]>();
  readonly #options: ScriptOptions;

  constructor(options: ScriptOptions) {
    this.#options = options;
  }

  answer(request: ScriptedRequest): ScriptStep {
    const kind = kindOf(request);
    const bodies = this.#bodies.get(kind) ?? [];
    this.#bodies.set(kind, bodies);
    const before = bodies.at(-1)?.promptTokens ?? 0;
    bodies.push(request);
    const index = bodies.length - 1;
    const { answer, summary, notesAnswer, memoryAnswer } = this.#options;
    if (kind === "answer") return billed(answer(request, index), request, before);
    if (kind === "summary") return billed(summary?.(request, index) ?? GOOD_SUMMARY, request, before);
    if (kind === "notes") return billed(notesAnswer?.(request, index) ?? GOOD_PATCHES, request, before);
    return billed(memoryAnswer?.(request, index) ?? "Nothing.", request, before);
  }

  addTo(run: GoldenRun): void {
    for (const kind of ["answer", "summary", "notes", "memory", "other"] as const)
      for (const { body, betas } of this.#bodies.get(kind) ?? []) run.request({ betas, ...(body as object) });
  }
}

function kindOf(request: ScriptedRequest): Kind {
  const { systemText, purpose } = request;
  if (purpose !== "answer") return "other";
  if (isSummaryRequest(request)) return "summary";
  if (isNotesRequest(request) || systemText.startsWith("You keep the notes")) return "notes";
  return systemText.includes("memor") || systemText.startsWith("You choose which notes")
    ? "memory"
    : "answer";
}

/** Reports usage that does not depend on the order of concurrent requests: the cache holds the previous prompt of the same kind. */
function billed(step: ScriptStep, { promptTokens }: ScriptedRequest, before: number): ScriptStep {
  if (typeof step === "object" && "fault" in step) return step;
  const answer: ScriptedAnswer =
    typeof step === "object" && "parts" in step ? step : { parts: partsOf(step as string | AnswerPart[]) };
  if (answer.usage !== undefined || answer.truncatesPromptTo !== undefined) return answer;
  const cacheReadTokens = Math.min(before, promptTokens);
  const cacheWriteTokens = promptTokens - cacheReadTokens;
  return { ...answer, usage: { promptTokens, cacheReadTokens, cacheWriteTokens } };
}

const partsOf = (step: string | AnswerPart | readonly AnswerPart[]): readonly AnswerPart[] => {
  if (typeof step === "string") return [{ type: "text", text: step }];
  return "type" in step ? [step] : step;
};
