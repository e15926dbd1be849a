/** Mistakes of programs without types: an `OPTION_INVALID` names the option before anything is stored. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { openHome } from "#host/home/open-home.ts";
import { MemoryManager } from "#host/memory-manager.ts";
import { nodeSessions } from "#host/node-sessions.ts";
import { functionModel } from "#models/function/function-model.ts";

const model = functionModel(async () => "ok", { model: "claude-opus-4-5" });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-options-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// biome-ignore lint/suspicious/noExplicitAny: what a program without types passes
type Any = any;

describe("an option", () => {
  it.each([
    [
      "createPalimpsest",
      { modle: model },
      "`createPalimpsest` has no option `modle`.",
      "Did you mean `model`?",
    ],
    ["createPalimpsest", {}, "There is no model to make sessions with.", "Pass one"],
    [
      "createPalimpsest",
      { model: "claude-opus-4-5" },
      'The option `model` of `createPalimpsest` is "claude-opus-4-5"; it is a model client.',
      "anthropicModel(",
    ],
    ["createPalimpsest", { model, home: 7 }, "is 7; it is a home, or the path of its folder.", "openHome("],
    ["createPalimpsest", { model, home: "" }, 'is ""; it is a home, or the path of its folder.', "openHome("],
    ["createPalimpsest", { model, folder: null }, "is null; it is a string", "Pass a string"],
    [
      "createPalimpsest",
      { model, store: {} },
      "is an object; it is a session store.",
      "PostgresSessionStore",
    ],
    ["createPalimpsest", { model, window: { windowToken: 1 } }, "`window` has no option", "`windowTokens`?"],
    ["createPalimpsest", { model, notes: { updater: "hot" } }, 'is "hot"; it is one of "forked"', "Pass one"],
    ["createPalimpsest", { model, notes: { cost: 1 } }, "`notes` has no option `cost`.", "costShareCap"],
    ["createPalimpsest", { model, callTimeoutMs: "1s" }, "a number of milliseconds above 0", "Pass a number"],
    ["createPalimpsest", { model, summaryFailuresCount: 0 }, "a whole number from 1 on", "leave it out"],
    ["createPalimpsest", { model, observer: () => {} }, "is a function; it is an observer.", "onEvent("],
    ["createMemory", { home: 7 }, "is 7; it is a home, or the path of its folder.", "openHome("],
    ["createMemory", { floder: "x" }, "`createMemory` has no option `floder`.", "`folder`?"],
    ["createMemory", { team: 3 }, "The option `team` of `createMemory` is 3", "memoryFolder"],
    ["createMemory", "memory", 'The options of `createMemory` are "memory", not an object.', "folder, home"],
    ["openHome", "path", 'The options of `openHome` are "path", not an object.', "home, workingCopy"],
    ["openHome", { persistence: "no" }, 'is "no"; it is `true` or `false`.', "leave it out"],
    ["openHome", { homes: "x" }, "`openHome` has no option `homes`.", "`home`?"],
    ["nodeSessions", { folder: "x", clocks: 1 }, "`nodeSessions` has no option `clocks`.", "`clock`?"],
    ["nodeSessions", undefined, "There is no folder to keep sessions in.", "nodeSessions("],
    ["MemoryManager", { folder: 7 }, "The option `folder` of `MemoryManager` is 7", "Pass a string"],
    ["MemoryManager", { store: "x" }, 'is "x"; it is a session store.', "InMemorySessionStore"],
  ])("that %s cannot use is named, with what to pass: %j", (name, options, message, hint) => {
    const calls: Record<string, (options: Any) => unknown> = {
      createPalimpsest,
      createMemory,
      openHome,
      nodeSessions,
      MemoryManager: (given) => new MemoryManager(given),
    };
    expect(() => calls[name]!(options)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  it("of a session, a turn, a call and a compaction is named, and nothing is said or stored", async () => {
    const sessions = nodeSessions({ folder });
    const palimpsest = createPalimpsest({ model, folder });
    const agent = await palimpsest.session("one");
    const calls: readonly (() => Promise<unknown>)[] = [
      () => sessions.create({ sesionId: "x" } as Any),
      () => sessions.create({ metadata: "x" } as Any),
      () => sessions.create({ durability: "always" } as Any),
      () => sessions.open("one", { windows: {} } as Any),
      () => agent.turn("hi", { tool: [] } as Any),
      () => agent.turn("hi", { maxIterations: 0 }),
      () => agent.turn("hi", { signal: {} } as Any),
      () => agent.prepare({ sytem: "x" } as Any),
      () => agent.compact({ instruction: "x" } as Any),
    ];
    for (const call of calls)
      await expect(call(), String(call)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(agent.session.visible).toEqual([]);
    await palimpsest.close();
    expect(existsSync(join(folder, "one.jsonl"))).toBe(false);
  });

  it("`home` may be the path of the home's folder", async () => {
    const memory = createMemory({ home: folder });
    expect((await memory.list()).memories).toEqual([]);
    await memory.close();
    const palimpsest = createPalimpsest({ model, home: folder });
    expect((await (await palimpsest.session()).turn("hi")).text).toBe("ok");
    await palimpsest.close();
  });
});

describe("a tool", () => {
  const inputSchema = { type: "object" };
  it.each([
    {
      tool: { type: "function", function: { name: "look", parameters: {} } },
      message: "The tool at index 0 has the shape of OpenAI's Chat Completions API.",
      hint: "input: t.function.parameters",
    },
    {
      tool: { type: "function", name: "look", parameters: {}, strict: true },
      message: 'The tool "look" has the shape of OpenAI\'s Responses API.',
      hint: "input: t.parameters",
    },
    {
      tool: { description: "Looks.", inputSchema, execute: (): string => "x" },
      message: "The tool at index 0 has the shape of the AI SDK, where the name is not part of a tool.",
      hint: "input: t.inputSchema, execute: t.execute",
    },
    {
      tool: { name: "look", schema: inputSchema, invoke: (): string => "x" },
      message: 'The tool "look" has the shape of LangChain.',
      hint: "execute: (input) => t.invoke(input)",
    },
    {
      tool: { name: "look", input: inputSchema, execute: (): string => "x" },
      message: 'The tool "look" was not made by `tool`.',
    },
    {
      tool: { name: "look", inputSchema: { "~standard": {} }, run: (): string => "x" },
      message: 'The tool "look" has an `inputSchema` that is not JSON Schema.',
    },
    {
      tool: { name: "look", inputSchema, run: (): string => "x", timeout: 5 },
      message: "`look` has no option `timeout`.",
      hint: "timeoutMs",
    },
    {
      tool: { name: "look", input_schema: inputSchema, run: (): string => "x" },
      message: 'The tool "look" has the shape of Anthropic\'s API.',
      hint: "input: t.input_schema",
    },
    { tool: { name: "look", inputSchema }, message: 'The tool "look" has no function `run`.' },
    { tool: { name: "look", run: (): string => "x" }, message: 'The tool "look" has no `inputSchema`.' },
    { tool: { run: (): string => "x", inputSchema }, message: "The tool at index 0 has no `name`." },
    { tool: "look", message: "The tool at index 0 has no `name`." },
  ])("that cannot be run is refused before the turn: $message", async ({ tool, message, hint }) => {
    const palimpsest = createPalimpsest({ model, folder });
    const session = await palimpsest.session();
    await expect(session.turn("hi", { tools: [tool as Any] })).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message,
      hint: expect.stringContaining(hint ?? "Pass tool({ name, description, input, execute })"),
    });
    expect(session.session.visible).toEqual([]);
    await palimpsest.close();
  });

  it("is one of a list, by a name that no other has", async () => {
    const palimpsest = createPalimpsest({ model, folder });
    const session = await palimpsest.session();
    const look = { name: "look", description: "Looks.", inputSchema, run: (): string => "x" };
    await expect(session.turn("hi", { tools: { look } as Any })).rejects.toMatchObject({
      message: "The option `tools` of `turn` is an object; it is a list.",
      hint: 'Names are part of the tools: [tool({ name: "look", description, input, execute })].',
    });
    await expect(session.turn("hi", { tools: [look, { ...look }] })).rejects.toMatchObject({
      message: 'Two tools of `turn` have the name "look".',
    });
    await palimpsest.close();
  });
});
