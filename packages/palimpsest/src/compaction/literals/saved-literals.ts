/** The strings of a ledger as bytes that are stored, and read back without a text or an object for each of them. */
import { ByteReader, ByteWriter } from "../../base/search/bytes.ts";
import type { Steps } from "../../base/steps.ts";
import { LiteralTable, SAVED_NUMBERS } from "./literal-table.ts";

/** Rows of which one number is written or read in one step: a fraction of a millisecond. */
const ROWS_AT_ONCE = 4_096;

/** Some rows of a table, in the given order: a number of each after another, then the letters of all. */
export function* writeLiteralsInSteps(table: LiteralTable, rows: readonly number[]): Steps<Uint8Array> {
  const writer = new ByteWriter();
  writer.number(rows.length);
  writer.number(table.seed);
  for (let column = 0; column < SAVED_NUMBERS; column++)
    for (const [index, row] of rows.entries()) {
      writer.number(table.savedNumberAt(row, column));
      if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
    }
  for (const [index, row] of rows.entries()) {
    writer.bytes(table.lettersAt(row));
    if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
  }
  return writer.take();
}

/** The table that was written; `undefined` where the bytes are damaged. */
export function* readLiteralsInSteps(bytes: Uint8Array): Steps<LiteralTable | undefined> {
  const reader = new ByteReader(bytes);
  const count = reader.number();
  const seed = reader.number();
  // Checked first: a number in a file must not decide how much memory is taken.
  if (count > bytes.length / SAVED_NUMBERS) return undefined;
  const columns: Uint32Array[] = [];
  for (let column = 0; column < SAVED_NUMBERS; column++) {
    const numbers = new Uint32Array(count);
    for (let row = 0; row < count; row++) {
      numbers[row] = reader.number();
      if (row % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
    }
    columns.push(numbers);
  }
  const table = LiteralTable.ofColumns(columns, reader.rest(), seed);
  yield;
  return table;
}
