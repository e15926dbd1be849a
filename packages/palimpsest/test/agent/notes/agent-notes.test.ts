import { describe, expect, it } from "vitest";
import type { SessionEvent } from "#session/events/events.ts";
import { asksForNotes, asksForSummary, type FakeReply } from "#test/agent/fake-model.ts";
import { docsTool, type StageOptions, setTheStage as setStage } from "#test/agent/stage.ts";

const ANY_COST: StageOptions = { notes: { costShareCap: "off" } };
const TOOLS = { tools: [docsTool(1_600)] };
const setTheStage = (options: StageOptions) => setStage({ calls: 20, ...options });

const updatesOf = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "notes-update" ? [event] : []));

const boundariesOf = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "layer" && event.edit.isBoundary === true ? [event.layer] : []));

describe("notes of a session", () => {
  it("stand for the messages when the window is full, and nobody is asked for a summary", async () => {
    const { session, model, events } = await setTheStage(ANY_COST);
    await session.turn("Read everything.", TOOLS);
    await session.close();
    expect(new Set(boundariesOf(events))).toEqual(new Set(["session-memory"]));
    expect(model.requests.filter(asksForSummary)).toEqual([]);
    expect(new Set(updatesOf(events).map(({ outcome }) => outcome))).toEqual(new Set(["written"]));
  });

  it("are written by the model that answers, on the conversation as it was sent", async () => {
    const { session, model } = await setTheStage({ ...ANY_COST, calls: 6 });
    await session.turn("Read everything.", TOOLS);
    await session.notesSettled();
    const update = model.requests.findIndex(asksForNotes);
    const asked = model.requests[update]!;
    const before = model.requests[update - 1]!;
    expect(asked.tools).toBe(before.tools);
    expect(asked.messages.slice(0, before.messages.length - 1)).toEqual(before.messages.slice(0, -1));
    expect((await session.readNotes())?.text).toContain("src/parser.ts is next.");
  });

  it("are not kept where they are switched off, nor asked about where nobody may be", async () => {
    const off = await setTheStage({ notes: "off", calls: 6 });
    await off.session.turn("Read everything.", TOOLS);
    expect(off.model.requests.some(asksForNotes)).toBe(false);
    const extractive = await setTheStage({ notes: { updater: "extractive" }, calls: 6 });
    await extractive.session.turn("Read everything.", TOOLS);
    await extractive.session.notesSettled();
    expect(extractive.model.requests.some(asksForNotes)).toBe(false);
    expect(updatesOf(extractive.events).map(({ form }) => form)).toContain("log");
    expect((await extractive.session.readNotes())?.text).toContain("Read everything.");
  });

  it("come from the log under a policy that asks no model for them, and leave compactions to summaries", async () => {
    const { session, model, events } = await setTheStage({ notes: {}, window: { policy: "balanced" } });
    await session.turn("Read everything.", TOOLS);
    await session.notesSettled();
    expect(new Set(updatesOf(events).map(({ form }) => form))).toEqual(new Set(["log"]));
    expect((await session.readNotes())?.text).toContain("Read everything.");
    expect(new Set(boundariesOf(events))).toEqual(new Set(["extractive"]));
    expect(model.requests.filter((request) => asksForNotes(request) || asksForSummary(request))).toEqual([]);
  });

  it("are a model's where the options name what only a model needs", async () => {
    const { session, model, events } = await setTheStage({ ...ANY_COST, window: { policy: "balanced" } });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    expect(updatesOf(events).map(({ form }) => form)).not.toContain("log");
    expect(model.requests.some(asksForNotes)).toBe(true);
  });

  it("cost at most their share: with the default cap a short session has none", async () => {
    const { session, events } = await setTheStage({ notes: {}, calls: 6 });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    expect(updatesOf(events)).toEqual([]);
  });

  it("leave the layer alone that is switched off", async () => {
    const { session, events } = await setTheStage({
      ...ANY_COST,
      window: { disabledLayers: ["offload", "microcompact", "session-memory"] },
    });
    await session.turn("Read everything.", TOOLS);
    expect(new Set(boundariesOf(events))).toEqual(new Set(["full"]));
  });

  it("go to a model that reads what is new as a transcript", async () => {
    const { session, model, events } = await setTheStage({
      notes: { updater: "cold", costShareCap: "off" },
      calls: 20,
    });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    const asked = model.requests.filter(asksForNotes);
    expect(asked.every(({ messages, tools }) => messages.length === 1 && tools === undefined)).toBe(true);
    expect(new Set(updatesOf(events).map(({ form, outcome }) => `${form} ${outcome}`))).toEqual(
      new Set(["cold written"]),
    );
    const texts = asked.map(({ messages }) => JSON.stringify(messages));
    // No event is reported twice.
    expect(texts.filter((text) => text.includes("src/file1.ts"))).toHaveLength(1);
  });

  it("ask the hook of a compaction first, and heed its veto", async () => {
    const asked: string[] = [];
    const { session, events } = await setTheStage({
      ...ANY_COST,
      hooks: {
        preCompact: ({ reason }) => {
          asked.push(reason);
          return undefined;
        },
      },
    });
    await session.turn("Read everything.", TOOLS);
    expect(asked).not.toEqual([]);
    expect(boundariesOf(events)).toHaveLength(asked.length);
    expect(new Set(boundariesOf(events))).toEqual(new Set(["session-memory"]));
  });

  it("are the log's own facts after three answers in a row that were of no use, and stand for nothing then", async () => {
    const { session, events } = await setTheStage({ ...ANY_COST, notesAnswer: () => "I would rather not." });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    expect(
      updatesOf(events)
        .slice(0, 4)
        .map(({ form, outcome }) => `${form}: ${outcome}`),
    ).toEqual([
      "forked: nothing-written",
      "forked: nothing-written",
      "forked: nothing-written",
      "log: written",
    ]);
    expect(boundariesOf(events)).not.toContain("session-memory");
  });

  const STATE = "Reading; src/parser.ts is next.";
  const PATCH = `<replace section="Current State">\n${STATE}\n</replace>`;
  const ITALICS = "_What is being worked on right now, what is still open, and the very next steps_";
  const edit = (oldText: string, newText: string): FakeReply => [
    {
      type: "tool_use",
      id: "toolu_1",
      name: "Edit",
      input: { file_path: "notes.md", old_string: oldText, new_string: newText },
    },
  ];
  const forked = { notes: {}, form: "forked", first: PATCH };
  const cold = { notes: { updater: "cold" as const }, form: "cold", first: PATCH };
  const byTool = {
    notes: { editTool: { name: "Edit" } },
    form: "forked",
    first: edit(ITALICS, `${ITALICS}\n${STATE}`),
  };

  it.each([
    { ...forked, later: "Nothing has changed.", why: "says so" },
    { ...forked, later: PATCH, why: "writes again what is there" },
    { ...cold, later: "Everything is noted already. No change.", why: "says so in a transcript's answer" },
    { ...cold, later: PATCH, why: "writes again what is there in a transcript's answer" },
    { ...byTool, later: "No edit is needed.", why: "makes no edit" },
    { ...byTool, later: edit(STATE, STATE), why: "makes an edit that changes nothing" },
  ] as const)("stand for what a model has read that finds nothing to change and $why", async (one) => {
    const { notes, first, later, form } = one;
    const { session, model, events } = await setTheStage({
      notes: { costShareCap: "off", ...notes },
      // Near a full window the request goes as a transcript, and asks for patches.
      notesAnswer: ({ messages }, index) =>
        index === 0 ? first : messages.length === 1 && typeof later !== "string" ? "No change." : later,
    });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    const updates = updatesOf(events);
    expect(updates.length).toBeGreaterThan(5);
    expect(updates.slice(0, 5).map((update) => update.form)).toEqual([form, form, form, form, form]);
    const [written, ...unchanged] = updates.map(({ outcome }) => outcome);
    expect(written).toBe("written");
    expect(new Set(unchanged)).toEqual(new Set(["unchanged"]));
    expect(new Set(boundariesOf(events))).toEqual(new Set(["session-memory"]));
    expect(model.requests.filter(asksForSummary)).toEqual([]);
  });

  it.each([
    { later: "", why: "is empty" },
    { later: "# Current State\nReading.", why: "is notes in a form that is not read" },
    { later: "- Reading; src/lexer.ts is next.", why: "is a list" },
    { later: "The parser is being read. ".repeat(20), why: "is more than a remark" },
    { later: edit(STATE, "Evil."), why: "calls a tool that it has not" },
    { later: '<append section="Secrets">\n- a\n</append>', why: "names no section" },
  ])("do not count as telling more where an answer $why, and three of them are failures", async ({
    later,
  }) => {
    const { session, events } = await setTheStage({
      ...ANY_COST,
      calls: 20,
      notesAnswer: (_, index) => (index === 0 ? PATCH : later),
    });
    await session.turn("Read everything.", TOOLS);
    await session.close();
    const updates = updatesOf(events).map(({ form, outcome }) => `${form}: ${outcome}`);
    expect(updates.slice(0, 5)).toEqual([
      "forked: written",
      "forked: nothing-written",
      "forked: nothing-written",
      "forked: nothing-written",
      "log: written",
    ]);
  });
});
