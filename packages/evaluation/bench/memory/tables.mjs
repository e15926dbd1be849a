/**
 * Reads the tables of what memory should keep, correct and leave side by side: `tables/*.txt`. They were written
 * before the rules that they measure, and stay as they are: a row that a rule misses is a figure, not a mistake of
 * the table.
 *
 * `second/` holds further ones, written without a look at the rules or the first tables; the rules were then mended with
 * them. `third/` was written after that. docs/explanation/where-the-numbers-come-from.md has its figures when it was
 * first measured, and what was changed then. Their parallel facts are pairs, each measured in both orders.
 */
import { readFileSync } from "node:fs";

/** Facts that are corrected later, each with a question whose answer is the newer one. */
export function readCorrections(folder = "") {
  return readTable(folder + "corrections.txt").map(({ language, cells: [kind, older, newer, question] }) => ({
    ...{ language, kind, older, newer, question },
  }));
}

/** Pairs of facts of one form about different instances. */
export function readParallelFacts(folder = "") {
  return readTable(folder + "parallel-facts.txt").flatMap(({ language, cells: [kind, form, instances] }) => {
    const facts = instances
      .split(" ; ")
      .map((parts) => parts.split(" / "))
      .map((parts) => form.replace(/\{(\d)\}/g, (_, place) => parts[Number(place) - 1].trim()));
    return facts.map((one, index) => ({ language, kind, one, other: facts[(index + 1) % facts.length] }));
  });
}

/** Messages of a user with what should become of them: keep, learn or drop. */
export function readStatements(folder = "") {
  return readTable(folder + "statements.txt").map(({ language, cells: [verdict, kind, text] }) => ({
    ...{ language, verdict, kind, text: text.replaceAll("\\n", "\n") },
  }));
}

function readTable(name) {
  let language = "";
  return readFileSync(new URL(`tables/${name}`, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("== ")) language = line.slice(3);
      const isRow = language !== "" && line !== "" && !line.startsWith("== ");
      return isRow ? [{ language, cells: line.split(" | ") }] : [];
    });
}
