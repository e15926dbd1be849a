/**
 * A whole life of a host whose home writes nothing: a text that is in all that is said, done and remembered is nowhere
 * on the disk afterwards. The same life with persistence shows which files would have it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import type { HomeOptions, PalimpsestHome } from "#host/home/home-types.ts";
import { functionModel } from "#models/function/function-model.ts";
import { at, open, tree, useHomes } from "#test/helpers/homes.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";

useHomes();

const SECRET = "Zanzibar-Quokka-47";

let tmp: string | undefined;
beforeEach(() => {
  tmp = process.env["TMPDIR"];
  mkdirSync(at("tmp"));
  process.env["TMPDIR"] = at("tmp");
});
afterEach(() => {
  if (tmp === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = tmp;
});

/** Paths below a folder whose name or content has the text. */
function filesWith(text: string, folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return path.includes(text) || (entry.isFile() && readFileSync(path).includes(text)) ? [path] : [];
  });
}

/** Says it, runs tasks with it, remembers it, compacts, dreams, forks, names, throws away and cleans up. */
async function live(home: PalimpsestHome, memory: ReturnType<typeof createMemory>): Promise<void> {
  const model = functionModel(async () => `I have noted ${SECRET}.`, { model: "claude-opus-4-5" });
  const palimpsest = createPalimpsest({
    ...{ home, memory, model },
    notes: { updater: "extractive", isGated: false, costShareCap: "off" },
    tasks: { agents: { worker: { description: "works", model } } },
  });
  const session = await palimpsest.session("chat");
  await session.turn(`Remember that ${SECRET} is a bridge.`);
  for (let turn = 0; turn < 6; turn++) await session.turn(`${SECRET} ${"and its arches ".repeat(300)}`);
  await session.append({
    role: "user",
    content: [{ type: "text", text: `${SECRET} ${"pasted ".repeat(10_000)}` }],
  });
  const { tasks } = session;
  for (const [kind, input] of [
    ["local_bash", { command: `echo ${SECRET}` }],
    ["local_agent", { agent: "worker", prompt: `Look for ${SECRET}.` }],
    ["local_workflow", { steps: [{ kind: "local_bash", input: { command: "cat", given: SECRET } }] }],
    ["dream", { force: true }],
  ] as const)
    expect(await tasks.wait((await tasks.start(kind, input)).id)).toMatchObject({ status: "done" });
  expect(tasks.read("t1").text).toBe(`${SECRET}\n`);
  await session.turn("Well?");
  await session.memorySettled();
  await session.notesSettled();
  await session.compact();
  await memory.remember(`The crew meets at ${SECRET}.`, { source: "user", isTeam: true });
  await palimpsest.close();
  await home.rename("chat", `About ${SECRET}`);
  await home.tag("chat", { add: [SECRET] });
  const fork = await home.fork("chat", { title: `${SECRET} once more` });
  await fork.close();
  await home.trash(fork.id);
  await home.cleanUp();
  // All of it works as if it were stored.
  expect((await home.list()).sessions.map(({ metadata }) => metadata["title"])).toContain(`About ${SECRET}`);
  expect((await memory.recall(`What is ${SECRET}?`)).memories.length).toBeGreaterThan(0);
  await memory.close();
  await home.close();
}

it("a home that writes has the text in every kind of file", async () => {
  const home = open({ persistence: true });
  await live(home, createMemory({ home, team: "crew" }));
  const found = filesWith(SECRET, at("home"));
  for (const kind of [
    /projects\/[^/]*\/chat\.jsonl$/,
    /projects\/[^/]*\/\.index\.jsonl$/,
    /chat\/notes\.md$/,
    /chat\/tasks\/journal\.jsonl$/,
    /chat\/tasks\/t1\.log$/,
    /projects\/[^/]*\/memory\/.*\.md$/,
    /team-memory\/crew\/.*\.md$/,
    /trash\/.*\/log\.jsonl$/,
  ])
    expect(
      found.some((path) => kind.test(path)),
      `${kind}`,
    ).toBe(true);
  // Those that are compressed, or have other words of it.
  const stored = tree(at("home")).join("\n");
  expect(stored).toMatch(/chat\/blobs\/\S/);
  expect(stored).toMatch(/memory\/\.palimpsest\/records\/injections\/\S/);
  expect(stored).toMatch(/memory\/\.palimpsest\/records\/dreams\/\S/);
});

describe("a home that writes nothing", () => {
  const reasons: readonly { why: string; options: HomeOptions; settings?: string }[] = [
    { why: "the program asked", options: { persistence: false } },
    { why: "PALIMPSEST_SKIP_HISTORY=1", options: { env: { PALIMPSEST_SKIP_HISTORY: "1" } } },
    { why: "PALIMPSEST_SKIP_HISTORY=nope", options: { env: { PALIMPSEST_SKIP_HISTORY: "nope" } } },
    { why: "NODE_ENV=test", options: { env: { NODE_ENV: "test" } } },
    { why: "cleanupPeriodDays is 0", options: {}, settings: '{"cleanupPeriodDays": 0}' },
  ];
  it.each(usualFew(reasons, 5))("leaves no byte of it: $why", async ({ options, settings = "{}" }) => {
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), settings);
    const before = tree(at());
    const home = open(options);
    await live(home, createMemory({ home, team: "crew" }));
    expect(filesWith(SECRET, at())).toEqual([]);
    expect(tree(at())).toEqual(before);
  });

  it("reads a memory that is stored, and leaves it as it is", async () => {
    const home = open({ persistence: false });
    const seeded = createMemory({ folder: at("memory") });
    await seeded.remember("The bridge of Ada has nine arches.", { source: "user" });
    await seeded.close();
    const before = tree(at());
    const memory = createMemory({ folder: at("memory") });
    const asked: string[] = [];
    const model = functionModel(
      async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        return `The bridge of Ada has nine arches, and ${SECRET} has two.`;
      },
      { model: "claude-opus-4-5" },
    );
    const palimpsest = createPalimpsest({ home, memory, model, notes: "off" });
    const session = await palimpsest.session("chat");
    await session.turn(`Remember that the bridge of Ada is near ${SECRET}. How many arches has it?`);
    await session.memorySettled();
    await palimpsest.close();
    expect(asked[0]).toContain("nine arches");
    expect((await memory.list()).memories).toHaveLength(1);
    await memory.close();
    expect(filesWith(SECRET, at())).toEqual([]);
    expect(tree(at())).toEqual(before);
  });
});
