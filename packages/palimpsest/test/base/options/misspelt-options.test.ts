/**
 * Every function and class of the public entries that takes options refuses a name that does not exist, and suggests the
 * one that was probably meant.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import type { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import * as aiSdk from "#entries/ai-sdk.ts";
import * as anthropic from "#entries/anthropic.ts";
import * as compaction from "#entries/compaction.ts";
import * as formats from "#entries/formats.ts";
import * as main from "#entries/index.ts";
import * as langchain from "#entries/langchain.ts";
import * as mastra from "#entries/mastra.ts";
import * as memories from "#entries/memory.ts";
import * as openai from "#entries/openai.ts";
import * as otel from "#entries/otel.ts";
import * as postgres from "#entries/postgres.ts";

type Any = (...given: readonly unknown[]) => unknown;
/** Calls that a caller without types can make. */
const untyped = (value: object): Readonly<Record<string, Any>> => value as never;

const model = main.functionModel(async () => "Done.", { model: "claude-opus-5-5" });
const store = new main.InMemorySessionStore();
const ports = { store, clock: main.systemClock, ids: main.randomIds, hasher: main.nodeHasher };
const anthropicClient = { messages: { create: () => {} } };
const openaiClient = {
  chat: { completions: { create: () => {} } },
  responses: { create: () => {} },
  embeddings: { create: () => {} },
};
const palimpsest = main.createPalimpsest({ model, store });
const memory: PersistentMemory = memories.createMemory({ store: memories.inMemoryMemoryStore() });
const create = (options: object): unknown => untyped(main)["createPalimpsest"]!({ model, store, ...options });
const folder = mkdtempSync(join(tmpdir(), "palimpsest-options-"));
let session: AgentSession;
let taskId: string;
let home: ReturnType<typeof main.openHome>;

beforeAll(async () => {
  session = await palimpsest.session("s");
  taskId = (await session.tasks.start("local_bash", { command: "true" })).id;
  home = main.openHome({ home: folder, env: {}, isBare: true });
});

afterAll(async () => {
  await palimpsest.close();
  await memory.close();
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Misspelt {
  readonly call: string;
  /** The unknown option, and the one that is suggested. */
  readonly name: string;
  readonly meant: string;
  readonly run: () => unknown;
}

const row = (call: string, [name, meant]: readonly [string, string], run: () => unknown): Misspelt => ({
  call,
  name,
  meant,
  run,
});

it.each([
  ["maxTokens", "Here it is `parameters`, in your provider's words, such as { max_tokens: 4_000 }."],
  ["abortSignal", "Here it is `signal`."],
  ["stopWhen", "Here it is `maxIterations`."],
])("`turn` says what the option %s of other libraries is here", async (name, hint) => {
  await expect(untyped(session)["turn"]!("Hi", { [name]: 1 })).rejects.toMatchObject({
    message: expect.stringContaining(`\`turn\` has no option \`${name}\`.`),
    hint,
  });
});

it("an option of other libraries that is undefined is none, like any other", async () => {
  const options = { maxTokens: undefined, abortSignal: undefined, other: undefined };
  await expect(untyped(session)["turn"]!("Hi", options)).resolves.toMatchObject({ text: "Done." });
});

const ENTRIES: readonly Misspelt[] = [
  row("createPalimpsest", ["modle", "model"], () => create({ modle: model })),
  row("tasks", ["shel", "shell"], () => create({ tasks: { shel: "off" } })),
  row("tasks.shell", ["fodler", "folder"], () => create({ tasks: { shell: { fodler: "/" } } })),
  row("tasks.agents.reviewer", ["modle", "model"], () =>
    create({ tasks: { agents: { reviewer: { description: "Reviews.", modle: model } } } }),
  ),
  row("tasks.workers.builder", ["tokn", "token"], () =>
    create({ tasks: { workers: { builder: { url: "https://a.example", tokn: "x" } } } }),
  ),
  row("tasks.limits", ["runingCount", "runningCount"], () =>
    create({ tasks: { limits: { runingCount: 1 } } }),
  ),
  row("hooks", ["preCompac", "preCompact"], () => create({ hooks: { preCompac: () => ({ veto: "x" }) } })),
  row("plan", ["planMod", "planMode"], () => create({ plan: { planMod: async () => "x" } })),
  row("notes", ["updatr", "updater"], () => create({ notes: { updatr: "cold" } })),
  row("notes.editTool", ["nam", "name"], () => create({ notes: { editTool: { nam: "edit" } } })),
  row("restoredFiles", ["filesCout", "filesCount"], () => create({ restoredFiles: { filesCout: 1 } })),
  row("background", ["dream", "dreams"], () => create({ background: { dream: false } })),
  row("scope", ["tennant", "tenant"], () => create({ scope: { tennant: "a" } })),
  row("window", ["polcy", "policy"], () => create({ window: { polcy: "classic" } })),
  row("providerEdits", ["clera", "clear"], () => create({ window: { providerEdits: { clera: true } } })),
  row("create", ["sesionId", "sessionId"], () => untyped(palimpsest)["create"]!({ sesionId: "a" })),
  row("turn", ["sytem", "system"], () => untyped(session)["turn"]!("Hi", { sytem: "Be brief." })),
  row("stream", ["sytem", "system"], () => untyped(session)["stream"]!("Hi", { sytem: "Be brief." })),
  row("prepare", ["modle", "model"], () => untyped(session)["prepare"]!({ modle: "m" })),
  row("prepare", ["signl", "signal"], () => untyped(session)["prepare"]!({}, { signl: 1 })),
  row("recover", ["signl", "signal"], () => untyped(session)["recover"]!(new Error("x"), { signl: 1 })),
  row("compact", ["instruction", "instructions"], () => untyped(session)["compact"]!({ instruction: "x" })),
  row("prepare", ["modle", "model"], () => untyped(session.session)["prepare"]!({ model: "m", modle: "m" })),
  row("search", ["limt", "limit"], () => untyped(session.history)["search"]!("x", { limt: 1 })),
  row("read", ["ofset", "offset"], () => untyped(session.history)["read"]!("m1.0", { ofset: 1 })),
  row("start", ["titel", "title"], () =>
    untyped(session.tasks)["start"]!("local_bash", { command: "true" }, { titel: "x" }),
  ),
  row("read", ["ofset", "offset"], () => untyped(session.tasks)["read"]!(taskId, { ofset: 1 })),
  row("follow", ["ofset", "offset"], () =>
    (untyped(session.tasks)["follow"]!(taskId, { ofset: 1 }) as AsyncGenerator).next(),
  ),
  row("input", ["kye", "key"], () => untyped(session.tasks)["input"]!(taskId, "x", { kye: "x" })),
  row("wait", ["signl", "signal"], () => untyped(session.tasks)["wait"]!(taskId, { signl: 1 })),
  row("tool", ["inptu", "input"], () => untyped(main)["tool"]!({ name: "t", inptu: {}, execute: () => "" })),
  row("createSession", ["windw", "window"], () => untyped(main)["createSession"]!({ ...ports, windw: {} })),
  row("openSession", ["windw", "window"], () => untyped(main)["openSession"]!("s", { ...ports, windw: {} })),
  row("forkSession", ["titel", "title"], () => untyped(main)["forkSession"]!("s", { ...ports, titel: "x" })),
  row("nodeSessions", ["foldr", "folder"], () => untyped(main)["nodeSessions"]!({ foldr: "x" })),
  row("openHome", ["hom", "home"], () => untyped(main)["openHome"]!({ hom: "x" })),
  row("list", ["limt", "limit"], () => untyped(home)["list"]!({ limt: 1 })),
  row("tag", ["ad", "add"], () => untyped(home)["tag"]!("s", { ad: ["x"] })),
  row("importFrom", ["signl", "signal"], () => untyped(home)["importFrom"]!("x", { signl: 1 })),
  row("startContext", ["isFrsh", "isFresh"], () => untyped(home)["startContext"]!({ isFrsh: true })),
  row("cleanUp", ["dryrun", "dryRun"], () => untyped(home)["cleanUp"]!({ dryrun: true })),
  row("cleanUp", ["dryrun", "dryRun"], () =>
    untyped(main)["cleanUp"]!(store, { clock: main.systemClock, dryrun: true }),
  ),
  row("MemoryManager", ["foldr", "folder"], () => Reflect.construct(main.MemoryManager, [{ foldr: "x" }])),
  row("functionModel", ["modl", "model"], () => untyped(main)["functionModel"]!(() => "", { modl: "m" })),
  row("listRestorer", ["lable", "label"], () =>
    untyped(main)["listRestorer"]!({ name: "a", kind: "skill", lable: "A", list: async () => [] }),
  ),
  row("FileSessionStore", ["isIndxed", "isIndexed"], () =>
    Reflect.construct(main.FileSessionStore, [
      { root: "x", fs: main.nodeFileSystem, hasher: main.nodeHasher, ids: main.randomIds, isIndxed: true },
    ]),
  ),
  row("lease", ["ttlms", "ttlMs"], () =>
    Reflect.construct(main.FileSessionStore, [{ root: "x", fs: main.nodeFileSystem, lease: { ttlms: 1 } }]),
  ),
  row("PostgresSessionStore", ["schma", "schema"], () =>
    Reflect.construct(postgres.PostgresSessionStore, [
      { pool: { query() {} }, hasher: main.nodeHasher, schma: "x" },
    ]),
  ),
  row("createMemory", ["foldr", "folder"], () => untyped(memories)["createMemory"]!({ foldr: "x" })),
  row("remember", ["sorce", "source"], () => untyped(memory)["remember"]!("x", { sorce: "user" })),
  row("remember", ["sorce", "source"], () => untyped(memory)["supersede"]!("a.md", "x", { sorce: "user" })),
  row("recall", ["budgetToken", "budgetTokens"], () => untyped(memory)["recall"]!("x", { budgetToken: 50 })),
  row("search", ["limt", "limit"], () => untyped(memory)["search"]!("x", { limt: 1 })),
  row("answered", ["userTxt", "userText"], () =>
    untyped(memory)["answered"]!("x", { shown: [], userTxt: "x" }),
  ),
  row("list", ["stat", "state"], () => untyped(memory)["list"]!({ stat: "current" })),
  row("dream", ["dryrun", "dryRun"], () => untyped(memory)["dream"]!({ dryrun: true })),
  row("revertDream", ["palce", "place"], () => untyped(memory)["revertDream"]!("d", { palce: "team" })),
  row("dreams", ["palce", "place"], () => untyped(memory)["dreams"]!({ palce: "team" })),
  row("inMemoryMemoryStore", ["clok", "clock"], () => untyped(memories)["inMemoryMemoryStore"]!({ clok: 1 })),
  row("functionEmbeddings", ["modl", "model"], () =>
    untyped(memories)["functionEmbeddings"]!(async () => [], { modl: "m" }),
  ),
  row("openaiEmbeddings", ["dimension", "dimensions"], () =>
    untyped(memories)["openaiEmbeddings"]!(openaiClient, { model: "m", dimension: 3 }),
  ),
  row("anthropicModel", ["modl", "model"], () =>
    untyped(anthropic)["anthropicModel"]!(anthropicClient, { modl: "claude" }),
  ),
  row("openaiChatModel", ["modl", "model"], () =>
    untyped(openai)["openaiChatModel"]!(openaiClient, { modl: "gpt" }),
  ),
  row("openaiResponsesModel", ["idleTimeout", "idleTimeoutMs"], () =>
    untyped(openai)["openaiResponsesModel"]!(openaiClient, { idleTimeout: 1 }),
  ),
  row("aiSdkModel", ["maxOutputToken", "maxOutputTokens"], () =>
    untyped(aiSdk)["aiSdkModel"]!({ doGenerate() {}, doStream() {} }, { maxOutputToken: 1 }),
  ),
  row("aiSdkWindow", ["lists", "list"], () => untyped(aiSdk)["aiSdkWindow"]!(session, { lists: "full" })),
  row("aiSdkTools", ["sesion", "session"], () => untyped(aiSdk)["aiSdkTools"]!({ sesion: session })),
  row("palimpsestMiddleware", ["historyTool", "historyTools"], () =>
    untyped(langchain)["palimpsestMiddleware"]!(session, { historyTool: false }),
  ),
  row("mastraProcessor", ["lists", "list"], () =>
    untyped(mastra)["mastraProcessor"]!(session, { lists: "full" }),
  ),
  row("toMastraMessages", ["threadID", "threadId"], () =>
    untyped(mastra)["toMastraMessages"]!([], { threadID: "t" }),
  ),
  row("otelObserver", ["tracr", "tracer"], () => untyped(otel)["otelObserver"]!({ tracr: 1 })),
  row("toAnthropic", ["cacheTTl2", "cacheTtl"], () =>
    untyped(formats)["toAnthropic"]!([], { cacheTTl2: "5m" }),
  ),
  row("toOpenAIChat", ["systm", "system"], () => untyped(formats)["toOpenAIChat"]!([], { systm: "x" })),
  row("importFile", ["onProgres", "onProgress"], () =>
    untyped(formats)["importFile"]!(fileURLToPath(import.meta.url), { onProgres: () => {} }),
  ),
  row("searchSessions", ["limt", "limit"], () =>
    (untyped(compaction)["searchSessions"]!(store, "x", { limt: 1 }) as AsyncGenerator).next(),
  ),
];

/** The error of a call that throws or rejects. */
async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    return { returned: await run() };
  } catch (error) {
    return error;
  }
}

it.each(ENTRIES)("`$call` refuses `$name` and suggests `$meant`", async ({ call, name, meant, run }) => {
  const error = await errorOf(run);
  expect(error).toMatchObject({ code: "OPTION_INVALID", message: `\`${call}\` has no option \`${name}\`.` });
  expect(error).toHaveProperty("hint", expect.stringContaining(`Did you mean \`${meant}\`?`));
});

it.each(["session", "open"])("options beside the id that `%s` takes are refused", async (call) => {
  const error = await errorOf(() => untyped(palimpsest)[call]!("x", { window: { policy: "classic" } }));
  expect(error).toMatchObject({
    code: "OPTION_INVALID",
    message: `\`${call}\` takes the id of a session and nothing else.`,
  });
});

it("`map` may call `session`, although it passes an index, too", async () => {
  const opened = await Promise.all(["one", "two"].map(palimpsest.session));
  expect(opened.map(({ id }) => id)).toEqual(["one", "two"]);
});

it.each([
  ["local_bash", { command: "true", fodler: "/" }, "fodler", "folder"],
  [
    "local_workflow",
    { steps: [{ kind: "local_bash", input: { command: "true", foldr: "/" } }] },
    "foldr",
    "folder",
  ],
] as const)("the input of %s with a misspelt field is refused", async (kind, input, name, meant) => {
  const error = await errorOf(() => session.tasks.start(kind, input));
  expect(error).toMatchObject({
    code: "TASK_INVALID",
    message: `The input of local_bash has no field \`${name}\`.`,
  });
  expect(error).toHaveProperty("hint", expect.stringContaining(`Did you mean \`${meant}\`?`));
});

it("hooks of a class may have members of their own", () => {
  class Hooks {
    readonly log: string[] = [];
    readonly preCompact = (): undefined => undefined;
  }
  expect(() => main.createPalimpsest({ model, store, hooks: new Hooks() })).not.toThrow();
});

describe("a client that a model cannot be made of", () => {
  it.each([
    ["anthropicModel", undefined, "a client of `@anthropic-ai/sdk`; it got undefined.", "new Anthropic()"],
    [
      "anthropicModel",
      openaiClient,
      "a client of `@anthropic-ai/sdk`; it got a client of `openai`.",
      "`openaiChatModel`",
    ],
    ["anthropicModel", {}, "it got an object without `messages.create`.", "new Anthropic()"],
    ["openaiChatModel", anthropicClient, "it got a client of `@anthropic-ai/sdk`.", "`anthropicModel`"],
    ["openaiResponsesModel", anthropicClient, "it got a client of `@anthropic-ai/sdk`.", "`anthropicModel`"],
    ["openaiResponsesModel", null, "a client of `openai`; it got null.", "new OpenAI()"],
    [
      "openaiInputTokensCounter",
      anthropicClient,
      "it got a client of `@anthropic-ai/sdk`.",
      "`anthropicModel`",
    ],
    ["anthropicCounter", openaiClient, "it got a client of `openai`.", "`openaiChatModel`"],
    ["aiSdkModel", "gpt-5.5", "a language model of the AI SDK; it got a string.", "anthropic("],
    ["aiSdkEmbeddings", { doGenerate() {} }, "it got a language model of the AI SDK.", "`aiSdkModel`"],
    ["langchainModel", anthropicClient, "it got a client of `@anthropic-ai/sdk`.", "`anthropicModel`"],
    ["openaiEmbeddings", anthropicClient, "it got a client of `@anthropic-ai/sdk`.", "`anthropicModel`"],
  ])("%s refuses %o", async (call, client, problem, pass) => {
    const make = { ...anthropic, ...openai, ...aiSdk, ...langchain, ...memories } as never as Record<
      string,
      Any
    >;
    const error = await errorOf(() => make[call]!(client, { model: "m" }));
    expect(error).toMatchObject({ code: "OPTION_INVALID" });
    expect(error).toHaveProperty("message", expect.stringContaining(problem));
    expect(error).toHaveProperty("hint", expect.stringContaining(pass));
  });
});
