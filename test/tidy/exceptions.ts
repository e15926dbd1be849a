/**
 * The known exceptions to the rules of this folder, listed in `exceptions.json`. A list can only become shorter: a case
 * that is not listed fails the test, and so does a listed case that no longer occurs.
 */
import { readFileSync } from "node:fs";
import { ROOT } from "./source.ts";

export interface Exceptions {
  /** Imports that go up or sideways. */
  readonly arrows: readonly string[];
  /** Files in a circle of imports, imports of types included. */
  readonly typeCycles: readonly string[];
  /** Effects in pure rooms. */
  readonly impurities: readonly string[];
  /** Folders with more source files than fit one look, and how many they have. */
  readonly folders: Readonly<Record<string, number>>;
  /** The share of files with under 40 lines of code. */
  readonly smallFilesShare: number;
  /** Numbers that `docs/reference/defaults.md` lists one by one. */
  readonly tunables: number;
  /** Files with regular expressions of over 200 characters, and how many they have. */
  readonly longExpressions: Readonly<Record<string, number>>;
  /** Names that two files export. */
  readonly names: readonly string[];
}

export const EXCEPTIONS = JSON.parse(readFileSync(`${ROOT}test/tidy/exceptions.json`, "utf8")) as Exceptions;

/** Found cases that are not listed, and listed ones that are gone. */
export function beyond(found: readonly string[], listed: readonly string[]): readonly string[] {
  const now = new Set(found);
  const known = new Set(listed);
  return [
    ...[...now].filter((one) => !known.has(one)),
    ...listed.filter((one) => !now.has(one)).map((one) => `no longer so, remove it from the list: ${one}`),
  ];
}
