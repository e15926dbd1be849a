/**
 * A process that ends at any step of an update of its session's notes: afterwards the notes are the old or the new ones,
 * the log never claims that they cover more than they do, the session opens, and the next update leaves no litter.
 */

import { faultyFileSystem, type InMemoryFileSystem } from "palimpsest-testing";
import type { Crash } from "palimpsest-testing/internal";
import { afterAll, describe, expect, it } from "vitest";
import type { NotesOptions } from "#agent/options/agent-options.ts";
import type { FileSystem } from "#ports/file-system.ts";
import {
  diskWithSession,
  FOLDER,
  markOn,
  NOTES_FILE,
  notesStage,
  oneTurn,
  type Reply,
  readNotes,
  SESSION,
  textAt,
} from "#test/helpers/notes-stage.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

const CRASHES: readonly Crash[] = ["process", "power", "power-torn"];
/** Something that notes without a model have a line for. */
const NEXT_PROMPT = "Now rename src/lexer.ts to src/scanner.ts, and run npm test.";
const LATER_MS = 120_000;
const cases = { steps: 0, old: 0, new: 0 };
afterAll(() => console.info(`ends of an update: ${JSON.stringify(cases)}`));

interface Way {
  readonly way: string;
  readonly notes: NotesOptions;
  /** Answers that write one more line with this text. */
  readonly writes: (text: string) => Reply;
}

const append = (text: string): string => `<append section="Worklog">\n- ${text}\n</append>`;
const WAYS: readonly Way[] = [
  { way: "patches", notes: {}, writes: (text) => () => append(text) },
  {
    way: "an edit tool",
    notes: { editTool: { name: "Edit" } },
    writes: (text) => () => {
      const input = { file_path: NOTES_FILE, old_string: "- begun", new_string: `- begun\n- ${text}` };
      return [{ type: "tool_use", id: "toolu_1", name: "Edit", input }];
    },
  },
  { way: "no model", notes: { updater: "extractive" }, writes: () => () => "" },
];

/** A session whose notes cover its first turn, and the last covered number. */
async function begun({
  notes,
}: Way): Promise<{ readonly disk: InMemoryFileSystem; readonly coveredSeq: number }> {
  const disk = await diskWithSession();
  const options = notes.updater === "extractive" ? notes : {};
  await oneTurn(notesStage({ fs: disk, notes: options, reply: () => append("begun") }));
  return { disk: disk.crashedCopy("process"), coveredSeq: Number((await markOn(disk))?.["throughSeq"]) };
}

/** Takes a turn that ends with an update; resolves with when the update began, by operations of the disk. */
async function update(fs: FileSystem & { callCount(): number }, way: Way, reply: Reply): Promise<number> {
  let began = Number.POSITIVE_INFINITY;
  const hooks = {
    postSampling: () => {
      began = Math.min(began, fs.callCount());
    },
  };
  const stage = notesStage({ fs, notes: way.notes, reply, hooks });
  stage.clock.advance(LATER_MS);
  await oneTurn(stage, {}, NEXT_PROMPT).catch((error: unknown) =>
    expect(error).toMatchObject({ code: expect.any(String) }),
  );
  return began;
}

interface Found {
  readonly start: { readonly notes: string; readonly coveredSeq: number };
  readonly end: { readonly notes: string; readonly coveredSeq: number };
  readonly way: Way;
}

/** Looks at what the next process finds; throws where it is neither the old nor the new. */
async function judge(disk: InMemoryFileSystem, { start, end, way }: Found, why: string): Promise<void> {
  const found = await readNotes(disk);
  const coveredSeq = Number((await markOn(disk))?.["throughSeq"]);
  expect([start.notes, end.notes], why).toContain(found);
  expect([start.coveredSeq, end.coveredSeq], why).toContain(coveredSeq);
  if (coveredSeq === end.coveredSeq) expect(found, why).toBe(end.notes);
  cases[found === end.notes ? "new" : "old"]++;

  const stage = notesStage({ fs: disk, notes: way.notes, reply: way.writes("the next line") });
  stage.clock.advance(2 * LATER_MS);
  const agent = await stage.palimpsest.open(SESSION);
  await agent.turn("And then?");
  await stage.palimpsest.close();
  const [done] = stage.updates();
  expect(done, why).toMatchObject({ outcome: "written", refusedCount: 0 });
  expect((await markOn(disk))?.["throughSeq"], why).toBe(done?.throughSeq);
  const names = disk.list(FOLDER).filter((name) => name.startsWith("notes"));
  expect(names.map((name) => name.replace(/\.\d.*/, "")).sort(), why).toEqual(["notes.md", "notes.previous"]);
}

describe.each(WAYS)("the end of a process that updates its notes by $way", (way) => {
  it.each([
    "kill",
    "torn",
  ] as const)("at any operation (%s) leaves the old notes or the new", async (error) => {
    const { disk: before, coveredSeq } = await begun(way);
    const start = { notes: textAt(before)!, coveredSeq };
    const whole = before.crashedCopy("process");
    const counted = faultyFileSystem(whole, { failAtCall: Number.MAX_SAFE_INTEGER, error });
    const began = await update(counted, way, way.writes("a new line"));
    const end = { notes: textAt(whole)!, coveredSeq: Number((await markOn(whole))?.["throughSeq"]) };
    expect(end.notes).not.toBe(start.notes);
    expect(end.coveredSeq).toBeGreaterThan(start.coveredSeq);

    const seen = new Set<boolean>();
    const step = bySize({ usual: 29, long: 3, soak: 1 });
    // The number of operations differs from run to run: the sweep ends with the first run in which nothing failed.
    for (let failAtCall = began + (isLong || error === "kill" ? 1 : 15); ; failAtCall += step) {
      const disk = before.crashedCopy("process");
      const fs = faultyFileSystem(disk, { failAtCall, error });
      await update(fs, way, way.writes("a new line"));
      if (!fs.didFail()) break;
      cases.steps++;
      const turn = Math.floor((failAtCall - began) / step) % CRASHES.length;
      for (const crash of bySize({ usual: [CRASHES[turn]!], long: [CRASHES[turn]!], soak: CRASHES })) {
        const why = `${error} at operation ${failAtCall}, the update began after ${began}, ${crash}`;
        seen.add((await readNotes(disk.crashedCopy(crash))) === end.notes);
        await judge(disk.crashedCopy(crash), { start, end, way }, why);
      }
    }
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe.each(
  WAYS.filter(({ notes }) => notes.updater === undefined),
)("the end of a process whose model is asked for $way", (way) => {
  it("leaves the old notes", async () => {
    const { disk: before, coveredSeq } = await begun(way);
    const start = { notes: textAt(before)!, coveredSeq };
    const disk = before.crashedCopy("process");
    const left: InMemoryFileSystem[] = [];
    const stage = notesStage({
      fs: disk,
      notes: way.notes,
      reply: (request, index) => {
        for (const crash of CRASHES) left.push(disk.crashedCopy(crash));
        return way.writes("a new line")(request, index);
      },
    });
    await oneTurn(stage);
    expect(left).toHaveLength(3);
    for (const after of left) {
      expect(await readNotes(after)).toBe(start.notes);
      await judge(after, { start, end: start, way }, "while the model is asked");
    }
  });
});
