import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/engine/events.ts";
import { asksForNotes, asksForSummary } from "./fake-model.ts";
import { docsTool, type StageOptions, setTheStage } from "./stage.ts";

const ANY_COST: StageOptions = { notes: { costShareCap: "off" } };
const TOOLS = { tools: [docsTool(800)] };

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
    const { session, model } = await setTheStage({ ...ANY_COST, calls: 12 });
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
    const off = await setTheStage({ notes: "off", calls: 12 });
    await off.session.turn("Read everything.", TOOLS);
    expect(off.model.requests.some(asksForNotes)).toBe(false);
    const extractive = await setTheStage({ notes: { updater: "extractive" }, calls: 12 });
    await extractive.session.turn("Read everything.", TOOLS);
    await extractive.session.notesSettled();
    expect(extractive.model.requests.some(asksForNotes)).toBe(false);
    expect(updatesOf(extractive.events).map(({ form }) => form)).toContain("log");
    expect((await extractive.session.readNotes())?.text).toContain("Read everything.");
  });

  it("cost at most their share: with the default cap a short session has none", async () => {
    const { session, events } = await setTheStage({ notes: {}, calls: 12 });
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
    // Nothing is told twice.
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
});
