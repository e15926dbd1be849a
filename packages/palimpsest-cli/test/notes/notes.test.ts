/** `palimpsest notes`: what a person sees of a session's notes, and edits while a program has it open. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPalimpsest, functionModel, openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { splitWords } from "#notes/editor.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { testFolder, writeTestFile } from "../../../../test/helpers/recordings.ts";
import {
  HOSTILE,
  json,
  type Ran,
  type StoredHome,
  storedHome,
  storeSession,
} from "../../../../test/helpers/stored.ts";

async function pathOf(place: StoredHome, id: string): Promise<string> {
  return (await place.run(["notes", "path", id])).out.trimEnd();
}

async function withNotes(text: string): Promise<{ place: StoredHome; id: string; path: string }> {
  const place = storedHome();
  const id = await storeSession(place);
  const path = await pathOf(place, id);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return { place, id, path };
}

/** An editor: a script that gets the path as its last argument. */
function editorThat(does: string): string {
  const path = writeTestFile("an editor.sh", `#!/bin/sh\nfor path; do :; done\n${does}\n`);
  chmodSync(path, 0o700);
  return `'${path}' --wait`;
}

async function edit(place: StoredHome, args: readonly string[], editor: string): Promise<Ran> {
  const env = { PALIMPSEST_HOME: place.home, PATH: process.env["PATH"], EDITOR: editor };
  const context = cliDouble({ folder: place.folder, env });
  return place.run(["notes", "edit", ...args], { context });
}

describe("notes path", () => {
  it("prints the path alone, of the session that is named or of the latest", async () => {
    const place = storedHome();
    const first = await storeSession(place, { title: "one", at: 1_767_225_600_000 });
    const latest = await storeSession(place, { title: "two" });
    expect(await pathOf(place, first.slice(0, 8))).toMatch(new RegExp(`/${first}/notes\\.md$`));
    expect(await pathOf(place, "one")).toBe(await pathOf(place, first));
    expect((await place.run(["notes", "path"])).out).toBe(`${await pathOf(place, latest)}\n`);
    const path = await pathOf(place, latest);
    expect(json(await place.run(["notes", "path", "--json"]))).toEqual({
      ...{ version: 1, sessionId: latest, path, isThere: false },
    });
  });

  it.each([
    { args: ["notes", "path", "nothing"], code: 1, says: "SESSION_NOT_FOUND" },
    { args: ["notes", "show"], code: 1, says: "SESSION_NOT_FOUND There are no sessions in this project." },
    { args: ["notes"], code: 2, says: "Usage: palimpsest notes" },
    { args: ["notes", "shwo"], code: 2, says: "Did you mean show?" },
    { args: ["notes", "show", "a", "b"], code: 2, says: "too many arguments" },
  ])("ends with $code for $args", async ({ args, code, says }) => {
    const ran = await storedHome().run(args);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(says);
  });

  it.each(["show", "edit", "path"])("has help for %s with examples", async (name) => {
    const { code, out } = await storedHome().run(["notes", name, "--help"]);
    expect([code, out.includes(`palimpsest notes ${name}`)]).toEqual([0, true]);
  });
});

describe("notes show", () => {
  it("prints the notes to the byte, and what is known of them beside it", async () => {
    const text = `# Session Title\nThe harbour ledger\n\n# Current State\n- open: the totals\r\n${HOSTILE}`;
    const { place, id } = await withNotes(text);
    const { code, out, err } = await place.run(["notes", "show", id]);
    expect([code, out]).toEqual([0, text]);
    expect(err).toMatch(/^About \d+ tokens of 12K\. No program has updated them yet\.\n$/);
    const reported = json<Record<string, unknown>>(await place.run(["notes", "show", "--json"]));
    expect(reported).toMatchObject({
      ...{ version: 1, sessionId: id, isThere: true, title: "The harbour ledger", text },
      ...{ currentState: "- open: the totals", over: { sections: [] }, conflicts: [] },
      limits: { sectionTokens: 2_000, totalTokens: 12_000 },
    });
  });

  it("says nothing of how far they tell before the first update, whatever the session has cost", async () => {
    const place = storedHome();
    const home = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const model = functionModel(async () => "Understood.", { model: "claude-opus-5-5" });
    const session = await createPalimpsest({ home, model }).session();
    await session.turn("Hello.");
    await session.close();
    const { err } = await place.run(["notes", "show", session.id]);
    expect(err).toContain(`Session ${session.id} has no notes.`);
    const reported = json<Record<string, unknown>>(await place.run(["notes", "show", session.id, "--json"]));
    expect(reported).not.toHaveProperty("tellsThrough");
  });

  it("cannot steer a terminal", async () => {
    const { place, id } = await withNotes(`# Notes\r\n${HOSTILE}\n`);
    const env = { PALIMPSEST_HOME: place.home };
    const context = cliDouble({ folder: place.folder, env, isInteractive: true });
    const { out } = await place.run(["notes", "show", id], { context });
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).toContain("# Notes\n");
  });

  it("says where there are none, what is too long, and what lies beside them", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const none = await place.run(["notes", "show", id]);
    expect([none.code, none.out]).toEqual([0, ""]);
    expect(none.err).toContain(`Session ${id} has no notes. palimpsest notes edit ${id} creates them.`);
    const path = await pathOf(place, id);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `# Worklog\n${"- one more step of the work that was done\n".repeat(2_000)}`);
    writeFileSync(join(path, "../notes.conflict-1.md"), "# Mine");
    const { err } = await place.run(["notes", "show", id]);
    expect(err).toMatch(/Worklog has about [\d.]+K tokens; the limit is 2K\./);
    expect(err).toContain("They are over their limit of 12K tokens");
    expect(err).toContain("notes.conflict-1.md was saved while the notes were replaced");
  });

  it("ends with 1 where they cannot be read, and tells the figures", async () => {
    const { place, id } = await withNotes("x".repeat(2_000_000));
    const { code, err } = await place.run(["notes", "show", id]);
    expect(code).toBe(1);
    expect(err).toMatch(/^NOTES_UNREADABLE .* has 2000000 bytes; the notes of a session may have 1048576\./);
  });
});

describe("sessions show", () => {
  it("tells of the notes: their title, where the work stands, how large they are, where they lie", async () => {
    const { place, id, path } = await withNotes(
      "# Session Title\nThe ledger\n# Current State\n- open: totals\n",
    );
    const { out } = await place.run(["sessions", "show", id], { columns: 400 });
    expect(out).toMatch(
      new RegExp(`Notes +The ledger, about \\d+ tokens, in\\s+${path}\\s+State +- open: totals\n`),
    );
    expect(json(await place.run(["sessions", "show", id, "--json"]))).toMatchObject({
      notes: {
        path,
        isThere: true,
        title: "The ledger",
        currentState: "- open: totals",
        over: { sections: [] },
      },
    });
  });

  it("goes on without notes that cannot be read, and without any", async () => {
    const { place, id, path } = await withNotes("x".repeat(2_000_000));
    const { code, out } = await place.run(["sessions", "show", id], { columns: 400 });
    expect(code).toBe(0);
    expect(out).toMatch(/Notes +cannot be read:\s.*\s+has 2000000 bytes/);
    const other = await storeSession(place);
    expect((await place.run(["sessions", "show", other])).out).not.toContain("Notes");
    expect(json(await place.run(["sessions", "show", id, "--json"]))).toMatchObject({
      notes: { path, problem: expect.stringContaining("2000000 bytes") },
    });
  });
});

describe("notes edit", () => {
  it("begins the notes from the template, for their owner alone, and leaves what the editor saved", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const { code, out, err } = await edit(
      place,
      [id],
      editorThat('grep -c "^# " "$path" > "$path.seen"; echo "- by hand" >> "$path"'),
    );
    expect([code, out]).toEqual([0, ""]);
    expect(err).toMatch(/^About \d+ tokens of 12K\./);
    const path = await pathOf(place, id);
    expect(readFileSync(`${path}.seen`, "utf8")).toBe("10\n");
    expect(readFileSync(path, "utf8")).toMatch(/^# Session Title\n_[\s\S]*- by hand\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("begins them from the home's own template, and says what is wrong with one that cannot be used", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const folder = join(place.home, "config/session-memory");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "template.md"), "no headings");
    const wrong = await edit(place, [id], editorThat('rm "$path"'));
    expect(wrong.err).toContain("template.md: It has no headings; the usual one is used.");
    writeFileSync(join(folder, "template.md"), "# State\n_What is open_\n");
    const { out } = await edit(place, [id], editorThat("true"));
    expect(out).toBe("Nothing was changed.\n");
    expect(readFileSync(await pathOf(place, id), "utf8")).toBe("# State\n_What is open_\n");
  });

  it("tells which headings and descriptions were changed, and leaves them so", async () => {
    const { place, id, path } = await withNotes("# Session Title\n_About_\n# Worklog\n- a\n# Mine\n- b\n");
    const after = "# session title:\n_About_\n# Learnings\n_What worked_\n# Other\n";
    const editor = editorThat(`printf '%s' '${after}' > "$path"`);
    const { out } = await edit(place, [id], editor);
    expect(out.trimEnd().split("\n")).toEqual([
      "The heading of Session Title was changed.",
      "The section Worklog was removed: the next update that has text for it adds it again.",
      "The heading Mine was removed.",
      "The section Learnings is new.",
      "The heading Other is new: no update changes it.",
    ]);
    expect(readFileSync(path, "utf8")).toBe(after);
    const described = await edit(
      place,
      [id, "--json"],
      editorThat(`printf '# session title:\\n_Else_\\n' > "$path"`),
    );
    expect(json(described)).toMatchObject({
      ...{ isChanged: true, isThere: true },
      changed: expect.arrayContaining(["The description of Session Title was changed; updates keep it."]),
    });
  });

  it("works while another program has the session open and writes it", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const session = await home.resume(id);
    await session.append({ role: "user", content: [{ type: "text", text: "Still here." }] });
    const { code } = await edit(place, [id], editorThat('echo "# By hand" > "$path"'));
    expect(code).toBe(0);
    const log = await home.storeOf().open(id);
    expect(await log.notes?.read()).toBe("# By hand\n");
    expect(await log.notes?.replace("# Before", "# New")).toBe(false);
    await log.close();
    await home.close();
  });

  it.each([
    {
      editor: "no-such-editor-here",
      says: 'INPUT_UNREADABLE The editor "no-such-editor-here" could not be started',
      code: 1,
    },
    { editor: "false", says: 'The editor "false" ended with 1', code: 1 },
    { editor: "vi 'a", says: "OPTION_INVALID", code: 2 },
  ])("says so where the editor is $editor", async ({ editor, says, code }) => {
    const { place, id, path } = await withNotes("# Mine");
    const ran = await edit(place, [id], editor);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(says);
    expect(readFileSync(path, "utf8")).toBe("# Mine");
  });

  it("runs nothing of a path: it is one argument, without a shell", async () => {
    const folder = join(testFolder(), "a $(touch owned) `touch owned`; touch owned 'x'");
    mkdirSync(folder);
    const place = { ...storedHome(), home: folder };
    const id = await storeSession(place);
    const env = {
      PALIMPSEST_HOME: folder,
      PATH: process.env["PATH"],
      VISUAL: editorThat('printf "%s" "$path" > "$path"'),
    };
    const context = cliDouble({ folder: place.folder, env });
    expect((await place.run(["notes", "edit", id], { context })).code).toBe(0);
    const { out } = await place.run(["notes", "path", id, "--home", folder]);
    expect(readFileSync(out.trimEnd(), "utf8")).toBe(out.trimEnd());
    expect(() => statSync(join(place.folder, "owned"))).toThrow();
  });
});

describe("the words of an editor", () => {
  it.each([
    { text: "vi", words: ["vi"] },
    { text: "  code   --wait ", words: ["code", "--wait"] },
    { text: `'/opt/my editor/bin' -c "set 'tw'=80"`, words: ["/opt/my editor/bin", "-c", "set 'tw'=80"] },
    { text: String.raw`/opt/my\ editor \"a\"`, words: ["/opt/my editor", '"a"'] },
    { text: `emacs -nw ''`, words: ["emacs", "-nw", ""] },
    { text: "a;b $(c) `d` | e", words: ["a;b", "$(c)", "`d`", "|", "e"] },
  ])("of $text are $words", ({ text, words }) => {
    expect(splitWords(text)).toEqual(words);
  });
});
