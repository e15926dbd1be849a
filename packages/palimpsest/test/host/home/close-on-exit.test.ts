/** Real processes and real signals: sessions are closed before the process ends as the signal says. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HomeProject } from "#host/home/home-types.ts";
import { openHome } from "#host/home/open-home.ts";
import { compiledLibrary } from "../../../../../test/helpers/compiled-once.ts";

const here = dirname(fileURLToPath(import.meta.url));
const METADATA_REACH_BYTES = 16_384;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-exit-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly sessionId: string;
  readonly home: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Way = "waiting" | "hosted" | "idle" | "handled" | "hanging";

/** Runs the child and sends it a signal for each line that it writes: when it has begun, and when it closes its session. */
function run(name: string, way: Way, signals: readonly NodeJS.Signals[]): Promise<Ended> {
  const home = join(folder, name);
  const args = [join(here, "fixtures/exiting-child.mjs"), compiledLibrary(), home, folder, way];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, failed) => {
    let sent = 0;
    let words = "";
    child.on("error", failed);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      words += text;
      const lines = words.split("\n").length - 1;
      for (; sent < Math.min(lines, signals.length); sent++) child.kill(signals[sent]);
    });
    child.on("close", (code, signal) => done({ sessionId: words.split("\n")[0]!, home, code, signal }));
  });
}

const logOf = ({ sessionId }: Ended, project: HomeProject): string =>
  readFileSync(join(project.folder, `${sessionId}.jsonl`), "utf8");

describe("a process that is told to end", () => {
  // A shell makes 143 of it: 128 and the number of the signal that the process ended by.
  it.each(["waiting", "hosted"] as const)("closes its sessions and ends by the signal: %s", async (way) => {
    const ended = await run(way, way, ["SIGTERM"]);
    expect(ended).toMatchObject({ code: null, signal: "SIGTERM" });
    await expectClosed(ended);
  });

  it("closes its sessions when nothing is left to do", async () => {
    const ended = await run("idle", "idle", []);
    expect(ended).toMatchObject({ code: 0, signal: null });
    await expectClosed(ended);
  });

  it("leaves the end to another handler of the signal", async () => {
    const ended = await run("handled", "handled", ["SIGHUP"]);
    expect(ended).toMatchObject({ code: 7, signal: null });
    await expectClosed(ended);
  });

  it("ends at once on a second signal, and loses nothing that was acknowledged", async () => {
    const ended = await run("hanging", "hanging", ["SIGTERM", "SIGINT"]);
    expect(ended).toMatchObject({ code: 130, signal: null });
    const home = openHome({ home: ended.home, workingCopy: folder, persistence: true });
    // The writer is dead, so its lease is free at once.
    const session = await home.resume(ended.sessionId);
    expect(session.visible).toHaveLength(200);
    await session.close();
  });

  /** All is there, a list finds the title, and the session has no writer. */
  async function expectClosed(ended: Ended): Promise<void> {
    const home = openHome({ home: ended.home, workingCopy: folder, persistence: true });
    const { info, project } = await home.find(ended.sessionId);
    expect(info).toMatchObject({ isInUse: false, metadata: { title: "told" } });
    expect(existsSync(join(project.folder, ended.sessionId))).toBe(false);
    expect(logOf(ended, project).slice(-METADATA_REACH_BYTES)).toContain('"told"');
    const session = await home.resume(ended.sessionId);
    expect(session.visible).toHaveLength(200);
    await session.close();
  }
});
