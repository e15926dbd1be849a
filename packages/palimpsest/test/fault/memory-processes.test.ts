/**
 * Eight programs that change the same memories all the time, a person who edits them, and another who kills the program
 * that is in the middle of a change: no acknowledged line is lost, nor any text that the person saved, and no program
 * waits long for a dead one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fileMemoryStore } from "#stores/files/memory/file-memory-store.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { nodeHasher, randomIds, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { type Saved, savesUntil } from "#test/helpers/saving-person.ts";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), "fixtures/remembering-child.mjs");
const PROGRAMS = 8;
const LINES = 100;
const KILL_EVERY_MS = 200;
const TOPICS = Array.from({ length: 8 }, (_, index) => `topic-${index}.md`);

interface Reported {
  readonly count: number;
  readonly paths: readonly string[];
  readonly line: string;
  readonly ms: number;
}

/** Programs that are begun again where they were killed, until each has added all of its lines. */
class Programs {
  readonly reports: Reported[] = [];
  readonly #folder: string;
  readonly #living = new Map<number, ChildProcess>();
  readonly #startedAtMs = Date.now();
  /** Emits `report` at each line. */
  readonly heard = new EventEmitter();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async run(number: number): Promise<void> {
    for (let next = 1; next <= LINES; ) {
      const args = [SCRIPT, compiledLibrary(), this.#folder, number, next, LINES, this.#startedAtMs].map(
        String,
      );
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      this.#living.set(child.pid!, child);
      let rest = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const lines = `${rest}${text}`.split("\n");
        rest = lines.pop()!;
        for (const line of lines) {
          const reports = JSON.parse(line) as Reported;
          this.reports.push(reports);
          next = reports.count + 1;
          this.heard.emit("report");
        }
      });
      const code = await new Promise((done) => child.on("close", done));
      this.#living.delete(child.pid!);
      if (code !== 0 && code !== null) throw new RangeError(`Program ${number} ended with ${String(code)}`);
    }
  }

  /** Kills the program that has the lock; returns false if there is none. */
  killHolder(): boolean {
    for (const pid of holdersIn(this.#folder)) {
      const child = this.#living.get(pid);
      if (child !== undefined) return child.kill("SIGKILL");
    }
    return false;
  }
}

function holdersIn(folder: string): readonly number[] {
  const lock = join(folder, ".palimpsest");
  try {
    return readdirSync(lock)
      .filter((name) => name.startsWith("lease."))
      .map((name) => (JSON.parse(readFileSync(join(lock, name), "utf8")) as { pid: number }).pid);
  } catch {
    // The lock is free, or a program is just taking it.
    return [];
  }
}

/** Kills the holder of the lock now and then, as soon as a change begins; how many, and the longest that nothing went on. */
async function killsUntil(programs: Programs, folder: string, over: AbortSignal) {
  const lock = join(folder, ".palimpsest");
  mkdirSync(lock, { recursive: true });
  const result = { kills: 0, longestMs: 0 };
  const changes = watch(lock);
  while (!over.aborted) {
    await pause(KILL_EVERY_MS * Math.random() * 2, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) break;
    if (!programs.killHolder()) {
      await once(changes, "change", { signal: over }).catch(() => undefined);
      if (over.aborted || !programs.killHolder()) continue;
    }
    result.kills++;
    const killedAtMs = Date.now();
    await Promise.race([once(programs.heard, "report"), once(over, "abort")]);
    result.longestMs = Math.max(result.longestMs, Date.now() - killedAtMs);
  }
  changes.close();
  return result;
}

/** The memories and the kept texts of people, once everything is settled. */
async function settledTexts(folder: string): Promise<(path: string) => string> {
  const fs = confinedFileSystem(folder);
  for (const laterMs of [60_000, 120_000]) {
    const clock = { nowMs: () => Date.now() + laterMs };
    const lease = { clock, process: nodeProcess, timer: systemTimer };
    const store = fileMemoryStore({ folder, fs, hasher: nodeHasher, ids: randomIds, clock, lease });
    expect(
      (await store.apply([{ path: `settled-${laterMs}.md`, base: undefined, text: "" }])).isApplied,
    ).toBe(true);
  }
  const kept = filesBelow(join(folder, ".palimpsest/kept"));
  const keptText = kept.map((path) => readFileSync(path, "utf8")).join("\n");
  return (path) => `${readFileSync(join(folder, path), "utf8")}\n${keptText}`;
}

function filesBelow(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0;

describe("programs and a person at the same memories", () => {
  it("lose nothing, also where programs are killed in the middle of a change", async () => {
    const folder = join(testFolder(), "memory");
    compiledLibrary();
    const programs = new Programs(folder);
    const over = new AbortController();
    const begun = once(programs.heard, "report");
    const adding = Promise.all(
      Array.from({ length: PROGRAMS }, (_, index) => programs.run(index + 1)),
    ).finally(() => over.abort());
    await Promise.race([adding, begun]);
    const killing = killsUntil(programs, folder, over.signal);
    const isOver = (): boolean => over.signal.aborted;
    const saving = savesUntil(folder, { over: ["by-hand.md"], adding: TOPICS, isOver });
    await adding;
    const [{ kills, longestMs }, saved] = await Promise.all([killing, saving]);

    const textOf = await settledTexts(folder);
    const lostLines = programs.reports.flatMap(({ paths, line }) =>
      paths
        .filter((path) => path !== "by-hand.md" && !textOf(path).includes(line))
        .map((path) => `${line} in ${path}`),
    );
    const lostSaves = lastSaves(saved, folder).filter(({ path, marker }) => !textOf(path).includes(marker));
    const sorted = programs.reports.map(({ ms }) => ms).sort((one, other) => one - other);
    console.info(
      `${PROGRAMS} programs, ${programs.reports.length} lines, ${saved.length} saves by hand, ${kills} kills: lost ${lostLines.length} and ${lostSaves.length}; a line takes ${share(sorted, 0.5).toFixed(1)} ms, p95 ${share(sorted, 0.95).toFixed(1)} ms; the longest stop after a kill ${longestMs} ms; kept aside ${filesBelow(join(folder, ".palimpsest/kept")).length}`,
    );
    expect(lostLines).toEqual([]);
    expect(lostSaves).toEqual([]);
    expect(programs.reports.length).toBe(PROGRAMS * LINES);
    // In the programs' own time no lease ends: had one waited for that of a dead one, it would wait still.
    expect(kills).toBeGreaterThan(0);
  });
});

/** The saves that have to survive: the last one of the overwritten file, every one of the others. */
function lastSaves(saved: readonly Saved[], folder: string): readonly Saved[] {
  const relative = saved.map(({ path, marker }) => ({ path: path.slice(folder.length + 1), marker }));
  const last = relative.filter(({ path }) => path === "by-hand.md").at(-1);
  return [...relative.filter(({ path }) => path !== "by-hand.md"), ...(last === undefined ? [] : [last])];
}
