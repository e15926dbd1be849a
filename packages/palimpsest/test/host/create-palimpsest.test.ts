import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPalimpsest, type Palimpsest } from "#host/create-palimpsest.ts";
import type { PalimpsestHome } from "#host/home/home-types.ts";
import { functionModel } from "#models/function/function-model.ts";
import { at, open, useHomes } from "#test/helpers/homes.ts";

const model = functionModel(async () => "Understood.", { model: "claude-opus-5-5" });

async function messageOf(palimpsest: Palimpsest, sessionId: string, text: string): Promise<number> {
  const session = await palimpsest.session(sessionId);
  await session.turn(text);
  return session.session.visible.length;
}

describe("a session by its name", () => {
  useHomes();
  const places: readonly { name: string; make: () => { home: PalimpsestHome } | { folder: string } }[] = [
    { name: "home", make: () => ({ home: open() }) },
    { name: "folder", make: () => ({ folder: at("sessions") }) },
  ];

  it.each(places)("in a $name goes on where it was left", async ({ make }) => {
    const before = createPalimpsest({ model, ...make() });
    expect(await messageOf(before, "chat", "Hello.")).toBe(2);
    await before.close();
    const after = createPalimpsest({ model, ...make() });
    expect(await messageOf(after, "chat", "Hello again.")).toBe(4);
    await after.close();
  });

  it.each(places)("in a $name is not one whose name only begins like it", async ({ make }) => {
    const palimpsest = createPalimpsest({ model, ...make() });
    expect(await messageOf(palimpsest, "user-10", "I am the tenth.")).toBe(2);
    expect(await messageOf(palimpsest, "user-1", "I am the first.")).toBe(2);
    await palimpsest.close();
  });

  it.each(places)("in a $name is the same object as long as it is open, whoever asks at once", async ({
    make,
  }) => {
    const palimpsest = createPalimpsest({ model, ...make() });
    const [one, other] = await Promise.all([palimpsest.session("chat"), palimpsest.session("chat")]);
    expect(other).toBe(one);
    await one?.turn("Hello.");
    expect(await palimpsest.session("chat")).toBe(one);
    await one?.close();
    const again = await palimpsest.session("chat");
    expect(again).not.toBe(one);
    expect(again.session.visible.length).toBe(2);
    await palimpsest.close();
  });

  it("in a home is not one of another project, nor one with such a title", async () => {
    const elsewhere = createPalimpsest({ model, home: open({ workingCopy: at("other") }) });
    expect(await messageOf(elsewhere, "main", "Elsewhere.")).toBe(2);
    await elsewhere.close();
    const home = open();
    const palimpsest = createPalimpsest({ model, home });
    expect(await messageOf(palimpsest, "first", "here")).toBe(2);
    await palimpsest.close();
    await home.rename("first", "titled");
    expect((await palimpsest.open("titled")).id).toBe("first");
    expect(await messageOf(palimpsest, "main", "Here.")).toBe(2);
    expect(await messageOf(palimpsest, "titled", "Here.")).toBe(2);
    await palimpsest.close();
  });
});

describe("notes of sessions in a home", () => {
  useHomes();

  it("look as the user's own template and prompt say, and what cannot be used is told", async () => {
    const home = open();
    const folder = join(home.folder, "config", "session-memory");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "template.md"), "# Plan\n_What comes next_\n");
    writeFileSync(join(folder, "prompt.md"), "KEEP A PLAN: {{currentNotes}}");
    const asked: string[] = [];
    const reasons: string[] = [];
    const palimpsest = createPalimpsest({
      home,
      model: functionModel(
        async ({ messages }) => {
          const text = JSON.stringify(messages.at(-1));
          if (!text.includes("KEEP A PLAN")) return "Understood.";
          asked.push(text);
          return '<replace section="Plan">\nmend it\n</replace>';
        },
        { model: "claude-opus-5-5" },
      ),
      notes: { isGated: false, costShareCap: "off" },
      observer: {
        onEvent: (event) => {
          if (event.type === "notes-unreadable") reasons.push(event.reason);
        },
      },
    });
    const session = await palimpsest.session("planned");
    await session.turn("Mend the parser.");
    await session.notesSettled();
    expect(asked[0]).toContain("# Plan\\n_What comes next_");
    expect((await session.readNotes())?.text).toBe("# Plan\n_What comes next_\nmend it\n");
    expect(reasons).toEqual([]);
    writeFileSync(join(folder, "template.md"), "no heading");
    await palimpsest.session("unplanned");
    expect(reasons).toEqual([`${join(folder, "template.md")}: It has no headings; the usual one is used.`]);
    await palimpsest.close();
  });
});

it.each([
  { options: {}, why: "no model" },
  { options: { model, folder: "a", home: {} }, why: "two places" },
  { options: undefined, why: "nothing" },
])("is refused with $why", ({ options }) => {
  expect(() => createPalimpsest(options as never)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID" }),
  );
});
