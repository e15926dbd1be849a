/** What a home does by itself, over one life of a host: each job, its switch and its event. */
import { mkdirSync, writeFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { storedSessions } from "#agent/memory/consolidation/dream-sessions.ts";
import { createMemory } from "#host/create-memory.ts";
import { createPalimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { PalimpsestHome } from "#host/home/home-types.ts";
import { functionModel } from "#models/function/function-model.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { at, leftBehind, open, say, texts, useHomes } from "#test/helpers/homes.ts";

useHomes();

const model = functionModel(async () => "Understood.", { model: "claude-opus-5-5" });

type Work = Extract<SessionEvent, { readonly type: "background" }>;

/** A host, and the events of its work in the background. */
function host(home: PalimpsestHome, options: Partial<PalimpsestOptions> = {}) {
  const events: Work[] = [];
  const onEvent = (event: SessionEvent): void => void (event.type === "background" && events.push(event));
  return { palimpsest: createPalimpsest({ model, home, observer: { onEvent }, ...options }), events };
}

const jobs = (events: readonly Work[]): readonly string[] =>
  events.map(({ job, outcome }) => `${job} ${outcome}`);

describe("the start context", () => {
  const rule = "Use tabs in the parser.";
  const seen = (session: { readonly session: Parameters<typeof texts>[0] }): number =>
    texts(session.session).filter((text) => text.includes(rule)).length;

  it("reaches the model once, first, and again after a compaction", async () => {
    writeFileSync(at("app", "CLAUDE.md"), rule);
    const asked: string[] = [];
    const listening = functionModel(
      async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        return "Understood.";
      },
      { model: "claude-opus-5-5" },
    );
    const { palimpsest, events } = host(open(), { model: listening, notes: "off" });
    const session = await palimpsest.session("chat");
    await session.turn("Hello.");
    await session.turn("Go on.");
    expect(seen(session)).toBe(1);
    expect(asked.map((text) => text.split(rule).length - 1)).toEqual([1, 1]);
    expect(events).toContainEqual({
      ...{ type: "background", job: "start-context", outcome: "done" },
      detail: "1 instruction files were read",
    });
    for (let turn = 0; turn < 4; turn++)
      await session.turn(`Question ${turn} ${"about the parser ".repeat(400)}`);
    writeFileSync(at("app", "CLAUDE.md"), `${rule} As of now.`);
    await session.compact();
    expect(seen(session)).toBe(1);
    expect(texts(session.session).join("\n")).toContain("As of now.");
    await palimpsest.close();
  });

  it("is not shown again to a session that has it, and shown to one that a crash cut short before it", async () => {
    writeFileSync(at("app", "CLAUDE.md"), rule);
    const home = open();
    const first = host(home).palimpsest;
    await (await first.session("chat")).turn("Hello.");
    const cut = await first.session("cut-short");
    await cut.append({ role: "user", content: [{ type: "text", text: "Hello." }] });
    await first.close();
    const second = host(open()).palimpsest;
    const chat = await second.session("chat");
    await chat.turn("Go on.");
    expect(seen(chat)).toBe(1);
    const resumed = await second.session("cut-short");
    await resumed.turn("Go on.");
    expect(seen(resumed)).toBe(1);
    await second.close();
  });

  it.each([
    { why: "background", background: { startContext: false } },
    { why: "all of it", background: "off" as const },
    { why: "bare", home: { isBare: true } },
    { why: "PALIMPSEST_BARE", home: { env: { PALIMPSEST_BARE: "1" } } },
    { why: "the settings", settings: '{"instructionFiles": false, "gitStatus": false}' },
  ])("is left out by $why", async ({ background = {}, home = {}, settings = "{}" }) => {
    writeFileSync(at("app", "CLAUDE.md"), rule);
    mkdirSync(at("home"));
    writeFileSync(at("home", "settings.json"), settings);
    const { palimpsest, events } = host(open(home), { background });
    const session = await palimpsest.session("chat");
    await session.turn("Hello.");
    expect(texts(session.session)).toEqual(["Hello.", "Understood."]);
    await palimpsest.close();
    expect(jobs(events)).not.toContain("start-context done");
  });

  it("that cannot be read is reported, and the session begins", async () => {
    const home = open();
    home.startContext = () => Promise.reject(new Error("the disk is gone"));
    const { palimpsest, events } = host(home);
    expect((await (await palimpsest.session("chat")).turn("Hello.")).text).toBe("Understood.");
    expect(events).toContainEqual({
      ...{ type: "background", job: "start-context", outcome: "failed", detail: "the disk is gone" },
    });
    await palimpsest.close();
  });
});

describe("sessions of agents that worked as tasks", () => {
  it("are not gone on with, and no dream counts or reads them", async () => {
    const home = open();
    const request = (who: string): string => `Remember that ${who} deploys on Tuesdays.`;
    const id = await leftBehind(home, request("Ada"));
    for (let task = 0; task < 3; task++)
      await (await say(await home.create({ purpose: "task" }), request(`agent ${task}`))).close();
    const sessions = storedSessions(home.storeOf());
    expect(await sessions.count(0)).toBe(1);
    expect((await sessions.gather(0, undefined)).map(({ sessionId }) => sessionId)).toEqual([id]);
    const latest = await home.resumeLatest();
    expect(latest?.id).toBe(id);
    await latest?.close();
  });
});

it.each([
  { background: {}, asked: ["cleanUp", "dream"] },
  { background: { cleanUp: false }, asked: ["dream"] },
  { background: { dreams: false }, asked: ["cleanUp"] },
  { background: { cleanUp: false, dreams: false }, asked: [] },
  { background: "off" as const, asked: [] },
])("asks for what is due unless it is switched off: $background", async ({ background, asked }) => {
  const home = open();
  const memory = createMemory({ home });
  const calls: string[] = [];
  const [cleanUp, dream] = [home.cleanUp.bind(home), memory.dream.bind(memory)];
  home.cleanUp = (options) => cleanUp(options).finally(() => calls.push("cleanUp"));
  memory.dream = (options) => dream(options).finally(() => calls.push("dream"));
  const { palimpsest } = host(home, { memory, background });
  await (await palimpsest.session("chat")).turn("Hello.");
  while (calls.length < asked.length) await setImmediate();
  await palimpsest.close();
  expect(calls).toEqual(asked);
});

it("dreams of the team's memory, too, each place by itself", async () => {
  const home = open();
  for (let session = 0; session < 5; session++) await leftBehind(home, `Session ${session}.`);
  const memory = createMemory({ home, team: "crew" });
  await memory.remember("The crew deploys on Tuesdays.", { source: "user", isTeam: true });
  const { palimpsest, events } = host(home, { memory });
  await palimpsest.session("chat");
  const dreams = () => events.filter(({ job }) => job === "dream").map(({ detail }) => detail);
  while (dreams().length < 2) await setImmediate();
  await palimpsest.close();
  expect(dreams()[0]).not.toContain("team");
  expect(dreams()[1]).toMatch(/^The team's memory: /);
  expect(await memory.dreams()).toHaveLength(1);
  expect(await memory.dreams({ place: "team" })).toHaveLength(1);
});

it("adds one handler for each signal, however many hosts there are, and takes it away", async () => {
  const before = process.listenerCount("SIGTERM");
  const hosts = Array.from({ length: 12 }, () => host(open()).palimpsest);
  for (const palimpsest of hosts) await palimpsest.session();
  // Hosts of other tests may be open in this process.
  expect(process.listenerCount("SIGTERM")).toBeLessThanOrEqual(Math.max(1, before));
  expect(process.listenerCount("SIGTERM")).toBeGreaterThan(0);
  for (const palimpsest of hosts) await palimpsest.close();
  expect(process.listenerCount("SIGTERM")).toBe(before);
});

it.each([{ cleanup: true }, { startContext: "no" }])("refuses %j as background", (background) => {
  expect(() => createPalimpsest({ model, home: open(), background: background as never })).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID" }),
  );
});
