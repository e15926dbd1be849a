/** The command as a process: pipes, exit codes, a reader that goes away, Ctrl-C. */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openaiChat } from "../../../../test/helpers/recordings.ts";
import { storedHome, storeSession } from "../../../../test/helpers/stored.ts";
import { BuiltPackage } from "../../../../test/tidy/built-package.ts";

let installed: BuiltPackage;
/** The command as it is published, which starts with a third of the work of one file for each source. */
let main: string;
beforeAll(() => {
  installed = new BuiltPackage();
  main = join(installed.folderOf("palimpsest-cli"), "dist/program/main.js");
});
afterAll(() => installed?.remove());

function environment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, NODE_ENV: "production" };
}

describe("palimpsest sessions as a process", () => {
  it("goes through pipes: an export is imported by another process, and the codes are those of the commands", async () => {
    const from = storedHome();
    const to = storedHome();
    const id = await storeSession(from, { title: "Ledgers", resultLines: 1_000 });
    const command = `"${process.execPath}" "${main}"`;
    const piped = spawnSync(
      "sh",
      ["-c", `${command} sessions export ${id} -f jsonl | ${command} sessions import - --home "${to.home}"`],
      { cwd: from.folder, env: environment(from.home), encoding: "utf8" },
    );
    expect(piped.status).toBe(0);
    expect(piped.stdout).toContain(`✓ ${id}`);
    // Neither is a terminal: nothing is coloured and no progress is drawn.
    expect(piped.stdout + piped.stderr).not.toContain("\u001b");
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [main, "sessions", ...args], {
        cwd: from.folder,
        env: environment(from.home),
      }).status;
    expect([run("show", "missing"), run("search", "no such words")]).toEqual([1, 3]);
    // A reader that has seen enough ends it; `head` takes one line of very many.
    const cut = spawnSync(
      "sh",
      ["-c", `(${command} sessions export ${id} -f jsonl; echo $? >&2) | head -n 1`],
      {
        cwd: from.folder,
        env: environment(from.home),
        encoding: "utf8",
      },
    );
    expect(cut.stdout).toContain('"palimpsest-session"');
    expect(["0", "141"]).toContain(cut.stderr.trim().split("\n").at(-1));
  });

  it("says so where the folder that the shell stands in is gone", () => {
    const place = storedHome();
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", 'rmdir "$PWD"; exec "$0" "$1" sessions list', process.execPath, main],
      { cwd: place.folder, env: environment(place.home), encoding: "utf8" },
    );
    expect(stderr).toBe(
      "INPUT_NOT_FOUND The current folder was removed. Change to another folder and run it again.\n",
    );
    expect(status).toBe(1);
  });

  it("leaves nothing behind when it is stopped in the middle of an import", async () => {
    const place = storedHome();
    const recording = join(place.folder, "recording.json");
    writeFileSync(recording, openaiChat(6_000));
    const child = spawn(process.execPath, [main, "sessions", "import", recording], {
      cwd: place.folder,
      env: environment(place.home),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((done) => child.on("close", (code) => done(code)));
    const projects = join(place.home, "projects");
    await untilSession(projects);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const left = readdirSync(place.home, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => /\.jsonl$/.test(name) && !/index|audit/.test(name))).toEqual([]);
    expect(left.filter((name) => /lease|\.tmp|\.new$/.test(name))).toEqual([]);
  });
});

/** Waits until the child has stored something. */
async function untilSession(folder: string): Promise<void> {
  for (;;) {
    try {
      if (
        readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) =>
          /[0-9a-f]{12}\.jsonl$/.test(name),
        )
      )
        return;
    } catch {
      // The home is not there yet.
    }
    // A short rest leaves the processor to the child.
    await new Promise((done) => setTimeout(done, 2));
  }
}
