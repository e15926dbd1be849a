/**
 * Real processes on one session of a real disk: they take turns, are stopped, killed and robbed of their
 * lease. No acknowledged entry gets lost, and a replaced writer is refused.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { user } from "#test/helpers/histories.ts";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

const TTL_MS = 1_000;
const here = dirname(fileURLToPath(import.meta.url));

let folder: string;
let build: string;
const running = new Set<ChildProcess>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-shared-"));
  build = compiledLibrary();
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const wired = { hasher: nodeHasher, ids: randomIds };

/** Longer than a busy machine keeps a process from renewing its lease. */
const LONG_TTL_MS = 60_000;

function optionsAt(root: string) {
  const lease = { clock: systemClock, process: nodeProcess, timer: systemTimer, ttlMs: LONG_TTL_MS };
  const store = new FileSessionStore({ root, fs: nodeFileSystem, lease, ...wired });
  return { store, clock: systemClock, ...wired };
}

/** A session with one message, closed. */
async function aSessionAt(name: string): Promise<string> {
  const root = join(folder, name);
  const session = await createSession({ ...optionsAt(root), sessionId: "s" });
  await session.append(user("Begin."));
  await session.close();
  return root;
}

class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly ended: Promise<number | null>;
  readonly #waiting = new Set<() => void>();

  constructor(
    root: string,
    name: string,
    { forMs, manner, ttlMs = TTL_MS }: { forMs: number; manner: "hold" | "share"; ttlMs?: number },
  ) {
    const args = [build, root, name, String(ttlMs), String(forMs), manner];
    const path = join(here, "fixtures/sharing-child.mjs");
    this.process = spawn(process.execPath, [path, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    running.add(this.process);
    let rest = "";
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      // A line that a kill has cut promised nothing.
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
      for (const look of this.#waiting) look();
    });
    this.ended = new Promise((done) => {
      this.process.on("close", (code) => {
        running.delete(this.process);
        done(code);
      });
    });
  }

  /** Resolves once the process has said something of the kind, `count` times. */
  append(start: string, count = 1): Promise<void> {
    return new Promise((done) => {
      const look = () => {
        if (this.countOf(start) < count) return;
        this.#waiting.delete(look);
        done();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Returns how many lines of the kind the process has said. */
  countOf(start: string): number {
    return this.lines.filter((line) => line.startsWith(start)).length;
  }

  get acknowledged(): readonly string[] {
    return this.lines.flatMap((line) => (line.startsWith("acknowledged ") ? [line.slice(13)] : []));
  }

  get refusals(): readonly string[] {
    return this.lines.flatMap((line) => (line.startsWith("refused ") ? [line.slice(8)] : []));
  }
}

/** The first two words of every message, and why stretches of the log do not count. */
async function readAll(root: string) {
  const log = await optionsAt(root).store.open("s");
  const texts: string[] = [];
  const seqs: number[] = [];
  const reasons = new Set<string>();
  for await (const part of log.readAll()) {
    for (const { entry } of part.entries) {
      seqs.push(entry.seq);
      const block = entry.type === "message" ? entry.content[0] : undefined;
      if (block?.type === "text") texts.push(block.text.split(" ").slice(0, 2).join(" "));
    }
    for (const { reason } of part.damage) reasons.add(reason);
  }
  await log.close();
  return { text: texts, seqs, reasons: [...reasons] };
}

async function expectNothingLost(root: string, children: readonly Child[]): Promise<void> {
  const { text: texts, seqs, reasons } = await readAll(root);
  for (const { acknowledged } of children) {
    const own = acknowledged[0]?.split(" ")[0];
    // Each one's messages are all there, once, and in their order; the last may be there without its promise.
    expect(texts.filter((text) => text.split(" ")[0] === own && acknowledged.includes(text))).toEqual(
      acknowledged,
    );
  }
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(reasons.filter((reason) => !["torn-tail", "duplicate-seq", "forked"].includes(reason))).toEqual([]);
}

describe.concurrent("a session that several processes use", () => {
  it("takes turns, and loses nothing of any of four", async () => {
    const root = await aSessionAt("turns");
    // No process is slow enough to be replaced here, however busy the machine is.
    const children = ["a", "b", "c", "d"].map(
      (name) => new Child(root, name, { forMs: 90_000, manner: "share", ttlMs: LONG_TTL_MS }),
    );
    const [first, second] = children;
    await Promise.all([
      first!.append("acknowledged", isLong ? 300 : 10),
      second!.append("acknowledged", isLong ? 300 : 10),
      Promise.race(children.map((child) => child.append("refused"))),
    ]);
    for (const child of children) child.process.kill("SIGTERM");
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
    await expectNothingLost(root, children);
    expect(children.filter(({ acknowledged }) => acknowledged.length > 0).length).toBeGreaterThan(1);
    // They closed it, so none was ever replaced, and their leases are gone.
    expect(new Set(children.flatMap(({ refusals }) => refusals))).toEqual(new Set(["SESSION_IN_USE"]));
    const left = readdirSync(root, { recursive: true, encoding: "utf8" });
    expect(left.filter((name) => !/derived/.test(name)).sort()).toEqual(
      [".log-ends", ".log-ends/s", ...(left.includes("s/derived") ? ["s"] : []), "s.jsonl"].sort(),
    );
  });

  it("replaces a process that is stopped for three times its lease, and tells it when it wakes up", async () => {
    const root = await aSessionAt("stopped");
    const child = new Child(root, "a", { forMs: 60_000, manner: "hold" });
    await child.append("acknowledged", 5);
    await beRefused(root, child);
    const earlier = ["SESSION_TAKEN", "SESSION_IN_USE"].map((code) => child.countOf(`refused ${code}`));
    child.process.kill("SIGSTOP");
    await sleep(3 * TTL_MS);
    const session = await openSession("s", optionsAt(root));
    await session.append(user("heir 1"));
    child.process.kill("SIGCONT");
    await child.append("refused SESSION_TAKEN", earlier[0]! + 1);
    await child.append("refused SESSION_IN_USE", earlier[1]! + 1);
    await session.append(user("heir 2"));
    const openings = child.countOf("has it");
    await session.close();
    await child.append("has it", openings + 1);
    child.process.kill("SIGKILL");
    await child.ended;
    await expectNothingLost(root, [child]);
    const { text: texts } = await readAll(root);
    expect(texts.filter((text) => text.startsWith("heir"))).toEqual(["heir 1", "heir 2"]);
  });

  it("opens at once after its process was killed", async () => {
    const root = await aSessionAt("killed");
    const child = new Child(root, "a", { forMs: 60_000, manner: "hold" });
    await child.append("acknowledged", 5);
    child.process.kill("SIGKILL");
    await child.ended;
    const session = await openSession("s", optionsAt(root));
    await session.append(user("heir 1"));
    await session.close();
    await expectNothingLost(root, [child]);
    expect(readdirSync(root).sort()).toEqual([".log-ends", "s.jsonl"]);
  });

  it("tells a process whose lease was stolen", async () => {
    const root = await aSessionAt("stolen");
    const child = new Child(root, "a", { forMs: 60_000, manner: "hold" });
    await child.append("acknowledged", 5);
    const thief = await steal(root);
    await child.append("refused SESSION_TAKEN");
    await thief.append(user("thief 2"));
    await thief.close();
    child.process.kill("SIGKILL");
    await child.ended;
    await expectNothingLost(root, [child]);
    expect((await readAll(root)).text.filter((text) => text.startsWith("thief"))).toEqual([
      "thief 1",
      "thief 2",
    ]);
  });
});

/** Opens until the session is in use: a child with a short lease may be too slow to renew it on a busy machine. */
async function beRefused(root: string, child: Child): Promise<void> {
  for (;;) {
    const openings = child.countOf("has it");
    const session = await openSession("s", optionsAt(root)).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "SESSION_IN_USE" });
    });
    if (session === undefined) return;
    await session.close();
    await child.append("has it", openings + 1);
  }
}

/** Removes the lease by hand and opens; the other may have been quicker, and then it is done again. */
async function steal(root: string) {
  for (;;) {
    rmSync(join(root, "s"), { recursive: true, force: true });
    try {
      const session = await openSession("s", optionsAt(root));
      await session.append(user("thief 1"));
      return session;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^SESSION_(IN_USE|TAKEN)$/) });
    }
  }
}

describe.runIf(isLong)(
  "a session that four processes use while they are stopped and killed at random",
  () => {
    it("loses nothing, however often", async () => {
      const root = await aSessionAt("storm");
      const all: Child[] = [];
      const mostVictims = bySize({ usual: 0, long: 50, soak: 10_000 });
      const living = new Set<Child>();
      for (let victims = 0; victims < mostVictims; ) {
        while (living.size < 4) {
          const child = new Child(root, `p${all.length}`, {
            forMs: 15_000,
            manner: all.length % 3 === 0 ? "hold" : "share",
          });
          all.push(child);
          living.add(child);
          void child.ended.then(() => living.delete(child));
        }
        await sleep(Math.random() * 600);
        const victim = [...living][Math.floor(Math.random() * living.size)];
        if (victim === undefined) continue;
        victims++;
        if (Math.random() < 0.3) victim.process.kill("SIGKILL");
        else {
          victim.process.kill("SIGSTOP");
          setTimeout(() => victim.process.kill("SIGCONT"), Math.random() * 3 * TTL_MS);
        }
      }
      for (const child of living) {
        child.process.kill("SIGCONT");
        child.process.kill("SIGKILL");
      }
      await Promise.all(all.map(({ ended }) => ended));
      await expectNothingLost(root, all);
      const refusals = all.flatMap((child) => child.refusals);
      console.info(
        `${all.length} processes, ${all.flatMap((child) => child.acknowledged).length} messages acknowledged, ` +
          `${refusals.filter((code) => code === "SESSION_TAKEN").length} times SESSION_TAKEN`,
      );
      expect(refusals.filter((code) => code !== "SESSION_IN_USE" && code !== "SESSION_TAKEN")).toEqual([]);
    });
  },
);
