/** A home with a project that cannot be read, as one of another user: every command shows the others. */
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../../test/helpers/recordings.ts";
import { json, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

/** A home with two projects, and a third that no user can read: a link that leads to itself. */
async function homeWithUnreadable() {
  const place = storedHome();
  const projects = join(place.home, "projects");
  const lost = await storeSession(place, { workingCopy: testFolder() });
  const [name] = readdirSync(projects);
  const own = await storeSession(place, { title: "Ledgers" });
  const other = await storeSession(place, { workingCopy: testFolder(), title: "Harbour" });
  rmSync(join(projects, name!), { recursive: true });
  symlinkSync(name!, join(projects, name!));
  return { place, own, other, lost, name: name! };
}

const WARNING = "1 project left out: not readable; palimpsest doctor says more\n";

describe("a project that cannot be read", () => {
  it("hides no session of another from lists, searches and the clean-up", async () => {
    const { place, own, other, name } = await homeWithUnreadable();
    const listed = await place.run(["sessions", "list", "--all", "--json"]);
    const { sessions } = json<{ readonly sessions: readonly { readonly sessionId: string }[] }>(listed);
    expect(new Set(sessions.map(({ sessionId }) => sessionId))).toEqual(new Set([own, other]));
    expect(listed).toMatchObject({ code: 0, err: WARNING });
    const found = await place.run(["sessions", "search", "ledger say", "--all"]);
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining(other), err: WARNING });
    expect(await place.run(["sessions", "clean"])).toMatchObject({ code: 0, err: WARNING });
    expect(await place.run(["sessions", "list", "--all", "--trash"])).toMatchObject({ code: 0 });
    for (const args of [
      ["list", "--all"],
      ["list", "--all", "--trash"],
      ["search", "ledger say", "--all"],
      ["clean"],
    ])
      expect(json(await place.run(["sessions", ...args, "--json"]))).toMatchObject({
        unreadableProjects: [name],
      });
    expect(json(await place.run(["sessions", "list", "--json"]))).not.toHaveProperty("unreadableProjects");
  });

  it("does not keep a session from being named by its beginning or its title", async () => {
    const { place, own, other, lost } = await homeWithUnreadable();
    for (const which of [own, own.slice(0, 8), "Ledgers"])
      expect((await place.run(["sessions", "show", which])).out).toContain(own);
    for (const which of [other, other.slice(0, 8), "Harbour"])
      expect((await place.run(["sessions", "show", which])).out).toContain(other);
    expect(await place.run(["sessions", "show", lost])).toMatchObject({
      code: 1,
      err: expect.stringContaining("SESSION_NOT_FOUND"),
    });
  });

  it("is a finding of the doctor, which looks at the others, too", async () => {
    const { place, name } = await homeWithUnreadable();
    const ran = await place.run(["doctor", "--json"]);
    const report = json<{ readonly sessions: number; readonly findings: readonly object[] }>(ran);
    expect(ran.code).toBe(1);
    expect(report).toMatchObject({
      sessions: 2,
      findings: [{ kind: "unreadable", level: "problem", path: join(place.home, "projects", name) }],
    });
  });
});

describe("a trash that cannot be read", () => {
  it("keeps no session of another from being restored, and is a finding of the doctor", async () => {
    const place = storedHome();
    const other = await storeSession(place, { workingCopy: testFolder() });
    const [name] = readdirSync(join(place.home, "projects"));
    const own = await storeSession(place);
    const opened = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    await opened.trash(own);
    const trash = join(place.home, "trash", name!);
    symlinkSync(name!, trash);
    expect(await place.run(["sessions", "restore", own])).toMatchObject({ code: 0, err: "" });
    expect((await place.run(["sessions", "show", other])).out).toContain(other);
    const ran = await place.run(["doctor", "--json"]);
    expect(ran.code).toBe(1);
    expect(json<{ readonly findings: readonly object[] }>(ran).findings).toMatchObject([
      { kind: "unreadable", level: "problem", path: trash },
    ]);
    await opened.trash(own);
    await opened.purge(own);
    expect(await opened.listTrash()).toEqual([]);
  });
});
