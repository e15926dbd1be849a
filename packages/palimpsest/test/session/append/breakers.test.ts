/** Failures stay known: in the next turn, when the session is opened again, and after a crash. */

import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { Breakers } from "#session/append/breakers.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { asksForNotes, asksForSummary } from "#test/agent/fake-model.ts";
import { docsTool, type StageOptions, setTheStage, wordsOf } from "#test/agent/stage.ts";
import { fileStore } from "#test/helpers/notes-stage.ts";

const TOOLS = { tools: [docsTool(1_600)] };
const NO_SUMMARY: StageOptions = { calls: 24, summary: () => "nope", window: { windowTokens: 16_000 } };

const uselessOf = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === "useless-compaction" ? [event] : []));

describe("a model that fails to write summaries three times", () => {
  it("is not asked again when the session is opened again, until somebody compacts by hand", async () => {
    const store = new InMemorySessionStore();
    const first = await setTheStage({ ...NO_SUMMARY, store });
    await first.session.turn("Read everything.", TOOLS);
    await first.palimpsest.close();
    expect(first.model.requests.filter(asksForSummary)).toHaveLength(3);

    const second = await setTheStage({ ...NO_SUMMARY, store });
    await second.session.turn("Read on.", TOOLS);
    expect(second.events.some((event) => event.type === "layer" && event.layer === "extractive")).toBe(true);
    expect(second.model.requests.filter(asksForSummary)).toEqual([]);
    await second.session.compact();
    await second.palimpsest.close();
    const asked = second.model.requests.filter(asksForSummary).length;
    expect(asked).toBe(1);

    const third = await setTheStage({ ...NO_SUMMARY, store });
    await third.session.turn("And on.", TOOLS);
    expect(third.model.requests.filter(asksForSummary)).toHaveLength(2);
  });

  it("is not asked again after a crash", async () => {
    const disk = new InMemoryFileSystem();
    const first = await setTheStage({ ...NO_SUMMARY, store: fileStore(disk) });
    await first.session.turn("Read everything.", TOOLS);
    expect(first.model.requests.filter(asksForSummary)).toHaveLength(3);
    // What the kernel has survives; nothing was closed, and no last checkpoint written.
    const store: SessionStore = fileStore(disk.crashedCopy("process"));
    const second = await setTheStage({ ...NO_SUMMARY, store });
    await second.session.turn("Read on.", TOOLS);
    expect(second.model.requests.filter(asksForSummary)).toEqual([]);
    await second.palimpsest.close();
  });
});

describe("a model whose notes are of no use three times", () => {
  it("is not asked for notes when the session is opened again", async () => {
    const store = new InMemorySessionStore();
    const options: StageOptions = {
      store,
      calls: 16,
      notes: { costShareCap: "off" },
      notesAnswer: () => "I would rather not.",
    };
    const first = await setTheStage(options);
    await first.session.turn("Read everything.", TOOLS);
    await first.palimpsest.close();
    expect(first.model.requests.filter(asksForNotes)).toHaveLength(3);
    const second = await setTheStage(options);
    await second.session.turn("Read on.", TOOLS);
    await second.palimpsest.close();
    expect(second.model.requests.filter(asksForNotes)).toEqual([]);
    expect(second.events.some((event) => event.type === "notes-update" && event.form === "log")).toBe(true);
  });
});

describe("a window that is full again within three calls", () => {
  const part = (turn: number, index: number) => ({
    role: "user" as const,
    content: [{ type: "text" as const, text: `Part ${turn}.${index} ${wordsOf(300)}` }],
  });

  it("is thrashing after three times, whatever turns and openings lie between", async () => {
    const store = new InMemorySessionStore();
    const eventNames: { readonly failures: number; readonly isThrashing: boolean; readonly cause: string }[] =
      [];
    let stage = await setTheStage({ store, answer: () => "ok", window: { windowTokens: 16_000 } });
    for (let turn = 0; turn < 12; turn++) {
      if (turn % 3 === 2) {
        await stage.palimpsest.close();
        stage = await setTheStage({ store, answer: () => "ok", window: { windowTokens: 16_000 } });
      }
      await stage.session.append(Array.from({ length: 13 }, (_, index) => part(turn, index)));
      // Each of these turns is one call: it is answered, however full the window.
      expect((await stage.session.turn(`Question ${turn}`)).endedBy).toBe("done");
      eventNames.push(...uselessOf(stage.events.splice(0)));
    }
    expect(eventNames.slice(0, 3)).toMatchObject([
      { failures: 1, isThrashing: false, cause: "refilled" },
      { failures: 2, isThrashing: false, cause: "refilled" },
      { failures: 3, isThrashing: true, cause: "refilled" },
    ]);
    await stage.palimpsest.close();
  });
});

it("counts of an older log, or of a damaged one, are none", () => {
  for (const saved of [undefined, null, "3", [], { summaries: -1, notes: 1.5, uselessCompactions: "3" }])
    expect(new Breakers(saved).toJson()).toEqual({});
  expect(new Breakers({ summaries: 2, later: 9 }).toJson()).toEqual({ summaries: 2 });
});
