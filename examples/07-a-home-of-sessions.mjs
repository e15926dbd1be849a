/**
 * A home of sessions: kept by project, found by name, forked, continued from another folder, and
 * restored from the trash. No key and no network.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHome } from "palimpsest";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
const app = join(folder, "app");
const elsewhere = join(folder, "elsewhere");
for (const workingCopy of [app, elsewhere]) mkdirSync(workingCopy);
writeFileSync(join(app, "CLAUDE.md"), "Indent with tabs.");
const say = (text) => ({ role: "user", content: [{ type: "text", text }] });

// `openHome()` uses ~/.palimpsest and the current folder; your program would leave the options out.
const home = openHome({ home: join(folder, "home"), workingCopy: app, persistence: true });
home.closeOnExit(); // Ctrl-C and SIGTERM close open sessions before the process ends

// Context of the folder for the agent's system prompt, read once.
const context = await home.startContext();
assert.match(context.blocks[0], /Indent with tabs\./);

const session = await home.create();
const [first] = await session.append(say("Let us plan the harbour."));
await session.append(say("Two piers."));
await session.close();
await home.rename(session.id, "The harbour");

// Another process, another day: by id, by the beginning of it, or by title.
const again = await home.resume("The harbour");
assert.equal(again.visible.length, 2);
await again.append(say("Three piers."));

// The session has a writer, so a second window continues in a fork.
const second = openHome({ home: home.folder, workingCopy: app, persistence: true });
await assert.rejects(second.resume("The harbour"), { code: "SESSION_IN_USE" });
const beside = await second.resume("The harbour", { ifInUse: "fork" });
assert.equal(beside.visible.length, 3);
assert.equal(beside.metadata.title, "The harbour (fork)");
await second.close();
await again.close();

// A fork at the first message; its parent may be deleted.
const fork = await home.fork(session.id, { atSeq: first, title: "One pier" });
await fork.close();
await home.trash("The harbour", "no piers at all");
await home.purge(session.id);
const onlyPlan = await home.resume("One pier");
assert.equal(onlyPlan.visible.length, 1);
await onlyPlan.close();

// From another working copy: found across projects, and continued in its place.
const there = openHome({ home: home.folder, workingCopy: elsewhere, persistence: true });
const moved = await there.resume("One pier");
await moved.append(say("Go on from here."));
await moved.close();
const { project, info } = await there.find("One pier");
assert.equal(project.name, home.project.name);
assert.equal(info.metadata.workingCopy, there.workingCopy);

// Without persistence nothing is written: the same interface, in memory.
const quiet = openHome({ workingCopy: app, env: { PALIMPSEST_SKIP_HISTORY: "1" } });
assert.deepEqual(quiet.persistence, { isOn: false, reason: "PALIMPSEST_SKIP_HISTORY is 1" });

const { sessions } = await home.list();
console.log(`${sessions.length} sessions in ${home.project.name}`);
assert.equal(sessions.length, 2);
rmSync(folder, { recursive: true });
