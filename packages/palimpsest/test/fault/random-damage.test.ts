/**
 * Law: whatever happens to the lines and bytes of a session, it opens, nothing but typed errors is thrown,
 * its requests are ones that providers take, and existing entries stay unchanged.
 */
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { judgeRequest } from "./damaged-session/judge-kind.ts";
import { frame, linesOf, logOf, parseFields } from "./damaged-session/kind.ts";
import {
  diskWith,
  LOG_PATH,
  optionsOn,
  REQUEST,
  SESSION,
  type Stored,
  soundSession,
  USAGE,
} from "./damaged-session/sound-session.ts";

const RUNS = bySize({ usual: 10, long: 500, soak: 10_000 });

let sound: readonly Stored[];

beforeAll(async () => {
  sound = [await soundSession({ hasCheckpoint: false }), await soundSession({ hasCheckpoint: true })];
});

const place = fc.double({ min: 0, max: 0.999_999, noNaN: true });
/** Fields whose value may become anything; the checksum is made right again. */
const field = fc.constantFrom(
  "type",
  "seq",
  "id",
  "parentId",
  "v",
  "at",
  "role",
  "content",
  "edit",
  "runs",
  "line",
  "callSeq",
);
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    1,
    7,
    2 ** 53,
    1e300,
    "",
    "x",
    true,
    [],
    {},
    [null],
    "message",
    "edit",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const damage = fc.oneof(
  fc.record({ do: fc.constant("drop" as const), at: place, count: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant("swap" as const), at: place, with: place }),
  fc.record({ do: fc.constant("double" as const), at: place, to: place }),
  fc.record({ do: fc.constant("flip" as const), at: place, byte: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ do: fc.constant("cut" as const), at: place, byte: place }),
  fc.record({ do: fc.constant("field" as const), at: place, field, value: anything }),
);
type Damage = typeof damage extends fc.Arbitrary<infer One> ? One : never;

function damaged(lines: readonly string[], one: Damage): readonly string[] {
  if (lines.length === 0) return lines;
  const at = Math.floor(one.at * lines.length);
  const line = lines[at]!;
  switch (one.do) {
    case "drop":
      return lines.toSpliced(at, 1 + one.count);
    case "swap": {
      const other = Math.floor(one.with * lines.length);
      return lines.with(at, lines[other]!).with(other, line);
    }
    case "double":
      return lines.toSpliced(Math.floor(one.to * lines.length), 0, line);
    case "flip": {
      const bytes = Buffer.from(line, "latin1");
      const index = Math.floor(one.byte * bytes.length);
      bytes[index] = bytes[index]! ^ (1 << one.bit);
      return lines.with(at, bytes.toString("latin1"));
    }
    case "cut":
      return lines.with(at, line.slice(0, Math.floor(one.byte * line.length)));
    case "field":
      return lines.with(at, withField(line, one.field, one.value));
  }
}

function withField(line: string, name: string, value: unknown): string {
  try {
    const fields = parseFields(Buffer.from(line, "latin1").toString("utf8"));
    return Buffer.from(frame({ ...fields, [name]: value }), "utf8").toString("latin1");
  } catch {
    // Damaged before, so it has no fields.
    return line;
  }
}

async function send(session: Session): Promise<void> {
  const prepared = await session.prepare(REQUEST).catch((error: unknown) => error);
  if (prepared instanceof Error) {
    expect(prepared).toBeInstanceOf(PalimpsestError);
    expect(prepared).toMatchObject({ code: "NO_MESSAGES" });
  } else expect(judgeRequest(prepared as never).complaints).toEqual([]);
}

it("a session survives any damage of its lines", async () => {
  const histories = fc.record({
    which: fc.nat({ max: 1 }),
    damages: fc.array(damage, { minLength: 1, maxLength: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(histories, async ({ which, damages }) => {
      const stored = sound[which]!;
      const lines = linesOf(stored.log).map((line) => Buffer.from(line, "utf8").toString("latin1"));
      const spoiled = damages.reduce(damaged, lines as readonly string[]);
      const bytes = Buffer.from(logOf(spoiled).toString("utf8"), "latin1");
      const disk = diskWith({ ...stored, log: bytes });

      const session = await openSession(SESSION, optionsOn(disk, 5));
      expect(Buffer.from(disk.readFile(LOG_PATH)).equals(bytes)).toBe(true);
      await send(session);
      await session.append(user("markmore"));
      await send(session);
      await session.record({ messages: [assistant("fresh", "markreply")], usage: USAGE });
      await session.close();
      expect(Buffer.from(disk.readFile(LOG_PATH)).subarray(0, bytes.length).equals(bytes)).toBe(true);

      const again = await openSession(SESSION, optionsOn(disk, 6));
      expect(JSON.stringify(again.visible)).toContain("markreply");
      await send(again);
      await again.close();
    }),
    { numRuns: RUNS },
  );
});
