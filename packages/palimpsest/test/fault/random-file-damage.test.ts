/**
 * Law: whatever happens to the bytes of a log file, every line that is still whole is read, every loss is reported,
 * the next request is one that providers take, and reading changes no byte.
 */

import fc from "fast-check";
import { InMemoryFileSystem } from "palimpsest-testing";
import { FakeTimer } from "palimpsest-testing/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";
import { type ByteDamage, byteDamage, damageBytes } from "./byte-damage.ts";
import { judgeRequest } from "./damaged-session/judge-kind.ts";
import { frame, parseFields } from "./damaged-session/kind.ts";
import {
  diskWith,
  LOG_PATH,
  optionsOn,
  REQUEST,
  SESSION,
  type Stored,
  soundSession,
  storedOn,
} from "./damaged-session/sound-session.ts";

const RUNS = bySize({ usual: 4, long: 300, soak: 1_200 });
const RECORDED_COUNT = isLong ? 8 : 1;
/** Recordings are shortened to this, so that a thousand of them are damaged in a minute. */
const RECORDED_MESSAGES = 40;

const figures = {
  damages: 0,
  wholeLines: 0,
  lostWhole: 0,
  withLoss: 0,
  uncovered: 0,
  refused: 0,
  changed: 0,
};
const sound: Stored[] = [];

async function recorded(path: string): Promise<Stored | undefined> {
  const { sessions } = await importFile(path);
  const messages = sessions[0]?.items.flatMap((item) => (item.type === "message" ? [item.message] : []));
  if (messages === undefined || messages.length < 20) return undefined;
  const disk = new InMemoryFileSystem();
  const session = await createSession({ ...optionsOn(disk, 1), sessionId: SESSION });
  for (const message of messages.slice(0, RECORDED_MESSAGES)) await session.append(message);
  await session.close();
  return storedOn(disk);
}

beforeAll(async () => {
  sound.push(await soundSession({ hasCheckpoint: false }), await soundSession({ hasCheckpoint: true }));
  for (const { path } of corpusFiles("claude-code").slice(0, RECORDED_COUNT)) {
    const stored = await recorded(path);
    if (stored !== undefined) sound.push(stored);
  }
});
afterAll(() => {
  console.log(
    `files: ${JSON.stringify(figures)} (recorded sessions: ${hasCorpus ? sound.length - 2 : "none here"})`,
  );
});

/** Another entry with the number and the parent of the line's own entry's follower. */
function lateLine(before: string): string | undefined {
  try {
    const { seq, id, at } = parseFields(Buffer.from(before, "latin1").toString("utf8"));
    const entry = {
      type: "metadata",
      seq: Number(seq) + 1,
      id: `late-${seq}`,
      parentId: id,
      at,
      key: "late",
      value: 1,
    };
    return Buffer.from(frame(entry), "utf8").toString("latin1");
  } catch {
    // Damaged before.
    return undefined;
  }
}

interface Line {
  readonly seq: number;
  readonly id: string;
  readonly batch: string | undefined;
}

/** The lines of the log as it was, by their text. */
function linesOf(log: Buffer): ReadonlyMap<string, Line> {
  const lines = log.toString("latin1").split("\n").slice(0, -1);
  return new Map(
    lines.map((line) => {
      const { seq, id } = /"seq":(?<seq>\d+),"id":"(?<id>[^"]+)"/.exec(line)!.groups!;
      return [line, { seq: Number(seq), id: id!, batch: /^.{18}"batch":"(\d+\/\d+)"/.exec(line)?.[1] }];
    }),
  );
}

/** Ids of the entries whose lines are whole, without those of incomplete appends. */
function wholeIds(originals: ReadonlyMap<string, Line>, damaged: Buffer): ReadonlySet<string> {
  const found = damaged.toString("latin1").split("\n");
  const whole = new Map(
    found.flatMap((text) => (originals.has(text) ? [[originals.get(text)!.seq, originals.get(text)!]] : [])),
  );
  const isComplete = ({ seq, batch }: Line): boolean => {
    if (batch === undefined) return true;
    const [index, count] = batch.split("/").map(Number);
    return Array.from({ length: count! }, (_, at) => seq - index! + 1 + at).every((member) =>
      whole.has(member),
    );
  };
  return new Set([...whole.values()].filter(isComplete).map(({ id }) => id));
}

async function judge(sound: Stored, damages: readonly ByteDamage[]): Promise<readonly string[]> {
  const originals = linesOf(sound.log);
  const bytes = damages.reduce((changed, one) => damageBytes(changed, one, lateLine), sound.log);
  const disk = diskWith({ ...sound, log: bytes });
  const wrong: string[] = [];
  const whole = wholeIds(originals, bytes);

  const stored = await optionsOn(disk, 4).store.open(SESSION);
  const ids = new Set<string>();
  let lastSeq = 0;
  for await (const { entries } of stored.readAll())
    for (const { entry } of entries) {
      if (entry.seq <= lastSeq) wrong.push(`entry ${entry.seq} follows ${lastSeq}`);
      lastSeq = entry.seq;
      ids.add(entry.id);
    }
  await stored.close();
  const lost = [...whole].filter((id) => !ids.has(id));
  if (lost.length > 0) wrong.push(`${lost.length} whole lines are lost: ${lost.slice(0, 3)}`);

  const reported: string[] = [];
  const timer = new FakeTimer();
  const observer = {
    onEvent: (event: { readonly type: string }): void => void reported.push(event.type),
  };
  const session = await openSession(SESSION, { ...optionsOn(disk, 5, observer), timer });
  while (timer.runningCount > 0) {
    timer.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const isLoss = [...originals.values()].some(({ id }) => !ids.has(id));
  const isReported = reported.includes("damage");
  if (isLoss && !isReported) wrong.push("a loss is not reported");
  const isChanged = !Buffer.from(disk.readFile(LOG_PATH)).equals(bytes);
  if (isChanged) wrong.push("reading changed the file");
  const prepared = await session.prepare(REQUEST).catch((error: unknown) => error);
  const complaints =
    prepared instanceof Error
      ? prepared instanceof PalimpsestError && prepared.code === "NO_MESSAGES"
        ? []
        : [String(prepared)]
      : judgeRequest(prepared as never).complaints;
  for (const complaint of complaints) wrong.push(complaint);
  await session.close();

  figures.damages++;
  figures.wholeLines += whole.size;
  figures.lostWhole += lost.length;
  if (isLoss) figures.withLoss++;
  if (isLoss && !isReported) figures.uncovered++;
  if (complaints.length > 0) figures.refused++;
  if (isChanged) figures.changed++;
  return wrong;
}

describe("a log file with random damage", () => {
  it("loses no whole line, reports every loss, and sends what providers take", async () => {
    const cases = fc.record({
      which: fc.nat({ max: 99 }),
      damages: fc.array(byteDamage(), { minLength: 1, maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ which, damages }) => {
        expect(await judge(sound[which % sound.length]!, damages)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
