/** Rows of an index are parsed from their bytes with the same result as JSON, for any line. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type IndexRow, parseRow, parseRows, rowFields } from "#stores/files/list/index-rows.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 250, long: 8_000, soak: 300_000 });

const time = fc.oneof(fc.nat(), fc.maxSafeNat());
const aTitle = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "]", ",", "é", "😀", "\u007f") }),
);
const aRow: fc.Arbitrary<IndexRow> = fc.record(
  {
    sessionId: fc.oneof(fc.uuid(), fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,80}$/)),
    lastActivityAt: time,
    bytes: time,
    modifiedAt: fc.oneof(
      time,
      fc.double({ min: 0, max: 2 ** 53, noNaN: true }),
      fc.nat().map((ms) => 1_795_198_333_000 + ms / 1_000),
    ),
    title: aTitle,
  },
  { requiredKeys: ["sessionId", "lastActivityAt", "bytes", "modifiedAt"] },
);
const isRow = (row: IndexRow) => parseRow(rowFields(row)) !== undefined;

/** A row's line, or what became of one. */
const aLine = fc
  .tuple(
    aRow.map((row) => JSON.stringify(rowFields(row))),
    fc.array(
      fc.record({
        at: fc.nat(),
        cut: fc.nat({ max: 2 }),
        put: fc.string({ unit: fc.constantFrom(...'0.9-e+[]{}",\\ \ta\u0000é'), maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  )
  .map(([line, changes]) =>
    changes.reduce((text, { at, cut, put }) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    }, line),
  );

function readByJson(line: string): readonly IndexRow[] {
  try {
    return [parseRow(JSON.parse(line))].filter((row) => row !== undefined);
  } catch {
    return [];
  }
}

const read = (lines: readonly string[]) =>
  [...parseRows(Buffer.from(lines.map((line) => `${line}\n`).join(""), "utf8"))].flat();

describe("the rows of an index", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(fc.array(aRow.filter(isRow), { maxLength: 20 }), (rows) => {
        expect(read(rows.map((row) => JSON.stringify(rowFields(row))))).toEqual(rows);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("are what JSON has in each line, or are passed over", () => {
    fc.assert(
      fc.property(aLine, (line) => {
        // As UTF-8 has it: half a surrogate pair is lost.
        expect(read([line])).toEqual(readByJson(Buffer.from(line, "utf8").toString("utf8")));
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    "01",
    "1.",
    ".5",
    "-1",
    "1e3",
    "1.5.2",
    "",
    "9007199254740993",
    "0.1234567890123456",
    "00.5",
    "1795198333826.999",
    "0",
    "0.0",
    "99999999999999999999",
  ])("have the number %s as JSON has it", (number) => {
    const line = `["session-1",1,2,${number}]`;
    expect(read([line])).toEqual(readByJson(line));
  });
});
