/**
 * Numbers of memory files: how long an index may be, how long a line, and what a file may be called.
 */
import { assert } from "../../assert.ts";

export const MEMORY_FILES_DEFAULTS = {
  /** Lines of an index that a model is shown. Source: Claude Code's memory directory, which reads as many. */
  indexLines: 200,
  /** Bytes of an index that a model is shown. Source: Claude Code's memory directory, which reads as many. */
  indexBytes: 25_000,
  /** Share of either limit from which on a writer is warned. Source: our choice: some twenty memories before the first one loses its line. */
  nearIndexShare: 0.9,
  /** Characters of one line of the index that we write. Source: Claude Code's memory directory asks for lines of at most 200. */
  indexLineCharacters: 200,
  /** Characters of the title among these. Source: our choice: the titles in recorded memories have at most 60. */
  indexTitleCharacters: 80,
  /** Longest target of a link that can be a memory's file, in characters. Source: our choice: no file system has longer names, folders aside. */
  indexTargetCharacters: 1_024,
  /** Paths that a warning about the index names one by one. Source: our choice: more are a list that no one reads. */
  namedPathsCount: 10,
  /** Longest key of frontmatter that is read, in characters. Source: our choice: the keys in recorded memories have at most 15. */
  frontmatterKeyCharacters: 200,
  /** Longest frontmatter that is read, in characters; the rest is kept and not read. Source: our choice: the longest in recorded memories has 500. */
  frontmatterCharacters: 65_536,
  /** Likewise in lines. Source: our choice: recorded memories have at most 7. */
  frontmatterLines: 1_000,
  /** Problems of one file that are reported one by one. Source: our choice: a file with more is not frontmatter. */
  fileProblemsCount: 20,
  /** Characters of a file's name that are taken from the memory's name. Source: our choice: what a listing shows on one line. */
  fileNameCharacters: 60,
  /** Likewise in bytes. Source: our choice: half of the 255 that file systems allow, as encrypted ones have room for 143. */
  fileNameBytes: 120,
  /** Characters of the name that an imported text without one is given. Source: our choice: a title. */
  importedNameCharacters: 60,
  /** Characters of its description. Source: our choice: with a title it fits on one line of the index. */
  importedDescriptionCharacters: 150,
  /** Items that an import could not carry and reports one by one. Source: our choice: as with repairs of recorded sessions, but of all kinds together. */
  notCarriedCount: 1_000,
  /** Characters of one of them that are reported. Source: our choice: two or three lines of a terminal. */
  notCarriedCharacters: 200,
} as const;

assert(
  MEMORY_FILES_DEFAULTS.indexTitleCharacters * 2 <= MEMORY_FILES_DEFAULTS.indexLineCharacters,
  "beside the longest title and the path there is room for what the memory says",
);
assert(MEMORY_FILES_DEFAULTS.nearIndexShare < 1, "a writer is warned before a line has to go");
