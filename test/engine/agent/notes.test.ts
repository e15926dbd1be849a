import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../src/engine/events.ts";
import { NOTES_TEMPLATE_TEXT } from "../../../src/notes/template.ts";
import { asksForNotes, asksForSummary } from "./fake-model.ts";
import { docsTool, setTheStage } from "./stage.ts";

const updatesOf = (events: readonly SessionEvent[]) => events.filter((event) => event.type === "notes-update");

describe("notes of a session", () => {
  it("stand for the messages when the window is full, and nobody is asked for a summary", async () => {
    const { session, model, events, told } = await setTheStage({ notes: { costShareCap: "off" } });
    await session.turn("Read everything.", { tools: [docsTool(800)] });
    await session.close();
    expect(told().filter((name) => name.startsWith("session-memory"))).not.toEqual([]);
    expect(model.requests.filter(asksForSummary)).toEqual([]);
    expect(updatesOf(events).map(({ outcome }) => outcome)).toContain("written");
  });
});
