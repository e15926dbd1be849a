/**
 * Audits a memory directory: decay, missing parts, and content that should not be there.
 *
 * Nothing is changed. Each finding names the problem, the memories and the remedy; programs can set limits on the
 * counts. Decay is measured because it goes unnoticed: repetitions, memories never shown, lost relevance, and broken
 * index lines.
 */

import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { MEMORY_WRITE_DEFAULTS } from "../../base/defaults/memory/write.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { createMemorySearch } from "../../base/search/memory-search.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import { showIndex } from "../files/fit-index.ts";
import { parseIndex } from "../files/index-entries.ts";
import type { KnownMemory } from "../files/memory.ts";
import { areApart, INDEX_NAME } from "../files/memory-index.ts";
import { isRecallable, standingOf } from "../recall/recall-plan.ts";
import { compareFacts } from "../subject/same-subject.ts";
import { readsLikeInstructions } from "../trust/clean-memory.ts";

/** Memories that are compared at all. Our choice: a directory that people read has hundreds. */
const COMPARED_MEMORIES_COUNT = 5_000;

/** The kind of a problem, for programs. */
export type HealthKind =
  | "unreadable"
  | "odd-frontmatter"
  | "instructions"
  | "too-many"
  | "secret"
  | "hidden-characters"
  | "repeated"
  | "contradicting"
  | "worthless"
  | "quarantined"
  | "not-in-index"
  | "index-leads-nowhere"
  | "index-too-large"
  | "lost-successor";

/** A problem found in a memory directory. */
interface HealthFinding {
  readonly kind: HealthKind;
  /** The memories concerned: one, or two that are related. */
  readonly paths: readonly string[];
  /** The problem and the remedy, in words. */
  readonly detail: string;
}

/** Figures of a memory directory. Shares are of the memories that are recalled. */
interface HealthCounts {
  readonly memories: number;
  readonly active: number;
  readonly superseded: number;
  readonly quarantined: number;
  /** Memories that say what another one says. */
  readonly repeated: number;
  /** Memories that consolidation would archive, because their relevance has faded. */
  readonly worthless: number;
  /** Never shown to a session, as far as the injection log goes back. */
  readonly neverRecalled: number;
  /** Not confirmed by a person. */
  readonly unconfirmed: number;
}

/** The result of an audit. */
export interface MemoryHealth {
  readonly counts: HealthCounts;
  readonly findings: readonly HealthFinding[];
}

interface HealthInput {
  readonly known: readonly KnownMemory[];
  /** Text of each index, with its folder: empty, or a path that ends in `/`. */
  readonly indexes: readonly { readonly folder: string; readonly text: string }[];
  readonly problems: readonly HealthProblem[];
  /** Paths of memories that were shown to a session. */
  readonly recalled: ReadonlySet<string>;
  /** Number of sessions in which a memory was of use, by path. */
  readonly usedCounts?: ReadonlyMap<string, number>;
  readonly nowMs: number;
}

/** A problem that was found while the directory was read. */
interface HealthProblem {
  readonly path: string;
  readonly detail: string;
  /** True if the memory could be read despite the problem. */
  readonly isRead?: boolean;
  /** True if the directory holds more than is read. */
  readonly isOverLimit?: boolean;
}

/** Details of problems that are described in the same words each time. */
const DETAILS: Readonly<Partial<Record<HealthKind, string>>> = {
  worthless: "Its relevance has faded, and no person has confirmed it since. Confirm it, or forget it.",
  instructions:
    "It reads like instructions to a model, and no person stands by it. Look at who wrote it; then confirm it, or forget it.",
  "hidden-characters": "It holds invisible characters. Find out who wrote them.",
  repeated: "They say the same. Forget one of them.",
  contradicting: "They contradict each other. Supersede the one that is wrong.",
  "not-in-index": "No line of the index names it: sessions find it by searching only.",
};

/** Audits a directory that was read. */
export function judgeHealth(input: HealthInput): MemoryHealth {
  const { known, problems, recalled, usedCounts, nowMs } = input;
  const active = known.filter(({ memory }) => isRecallable(memory));
  const alike = findAlike(active);
  const worthless = active.filter(
    ({ memory }) =>
      standingOf(memory, nowMs, usedCounts?.get(memory.path)) < MEMORY_RECALL_DEFAULTS.pruneBelowScore,
  );
  const quarantined = known.filter(({ memory }) => memory.isQuarantined);
  const findings: HealthFinding[] = [
    ...problems.map((problem) => finding(kindOf(problem), [problem.path], problem.detail)),
    ...known.flatMap(findUnwanted),
    ...alike,
    ...worthless.map(({ memory: { path } }) => finding("worthless", [path])),
    ...quarantined.map(({ memory: { path, source } }) => {
      const by = source === "web" ? "the web" : `a ${source}`;
      const detail = `Only ${by} said so, and no model is shown it. Confirm it, or forget it.`;
      return finding("quarantined", [path], detail);
    }),
    ...findLost(known),
    ...findIndexFaults(input, active),
  ];
  return {
    counts: {
      memories: known.length,
      active: active.length,
      superseded: known.filter(({ memory }) => memory.supersededBy !== undefined).length,
      quarantined: quarantined.length,
      repeated: alike.filter(({ kind }) => kind === "repeated").length,
      worthless: worthless.length,
      neverRecalled: active.filter(({ memory }) => !recalled.has(memory.path)).length,
      unconfirmed: active.filter(({ memory }) => !memory.isConfirmed).length,
    },
    findings,
  };
}

function kindOf({ isRead, isOverLimit }: HealthProblem): HealthKind {
  if (isRead === true) return "odd-frontmatter";
  return isOverLimit === true ? "too-many" : "unreadable";
}

/** Finds content that people or other programs wrote into a file and this library would not write. */
function findUnwanted({
  memory: { path, isConfirmed, source },
  text,
}: KnownMemory): readonly HealthFinding[] {
  const isInstruction = !isConfirmed && source !== "user" && readsLikeInstructions(text);
  const families = [...redactBroken(text).found.keys()];
  const key = `It holds a key (${families.join(", ")}). Take it out, and revoke it.`;
  // A BOM and CRLF line endings are not hidden characters.
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  return [
    ...(isInstruction ? [finding("instructions", [path])] : []),
    ...(families.length > 0 ? [finding("secret", [path], key)] : []),
    ...(showHidden(plain) === plain ? [] : [finding("hidden-characters", [path])]),
  ];
}

/** Finds pairs of memories that say the same, or of which one corrects the other. */
function findAlike(active: readonly KnownMemory[]): readonly HealthFinding[] {
  const search = createMemorySearch();
  const bodies = new Map<string, string>();
  const found: HealthFinding[] = [];
  if (active.length > COMPARED_MEMORIES_COUNT) {
    const detail = `${active.length - COMPARED_MEMORIES_COUNT} of ${active.length} memories were not compared with the others: an audit compares ${COMPARED_MEMORIES_COUNT}. A dream compares all.`;
    found.push(finding("too-many", [INDEX_NAME], detail));
  }
  for (const { memory } of active.slice(0, COMPARED_MEMORIES_COUNT)) {
    const { path, name, body } = memory;
    const hits = search
      .search(`${name}\n${body}`, { limit: MEMORY_WRITE_DEFAULTS.comparedCount })
      .filter(({ id }) => !areApart(path, id));
    const judged = hits.map(({ id }) => ({ id, relation: compareFacts(body, bodies.get(id)!) }));
    const same = judged.find(({ relation }) => relation === "repeats");
    const other = judged.find(({ relation }) => relation === "corrects");
    if (same !== undefined) found.push(finding("repeated", [same.id, path]));
    else if (other !== undefined) found.push(finding("contradicting", [other.id, path]));
    search.set(path, memory);
    bodies.set(path, body);
  }
  return found;
}

/** Finds memories whose successor no longer exists. */
function findLost(known: readonly KnownMemory[]): readonly HealthFinding[] {
  const paths = new Set(known.map(({ memory }) => memory.path));
  return known.flatMap(({ memory: { path, supersededBy } }) =>
    supersededBy === undefined || paths.has(supersededBy)
      ? []
      : [finding("lost-successor", [path], `${supersededBy} took its place and no longer exists.`)],
  );
}

function findIndexFaults(
  { indexes, known }: HealthInput,
  active: readonly KnownMemory[],
): readonly HealthFinding[] {
  const paths = new Set(known.map(({ memory }) => memory.path));
  const listed = new Set<string>();
  const found: HealthFinding[] = [];
  for (const { folder, text } of indexes) {
    const index = `${folder}${INDEX_NAME}`;
    for (const { file } of parseIndex(text).entries) {
      listed.add(folder + file);
      const detail = `Its line for ${file} leads to no memory. Take it out.`;
      if (!paths.has(folder + file)) found.push(finding("index-leads-nowhere", [index], detail));
    }
    const { warning } = showIndex(text);
    if (warning !== undefined) found.push(finding("index-too-large", [index], warning));
  }
  const unlisted = active.filter(({ memory: { path } }) => !listed.has(path));
  return [...found, ...unlisted.map(({ memory: { path } }) => finding("not-in-index", [path]))];
}

function finding(kind: HealthKind, paths: readonly string[], detail = DETAILS[kind] ?? ""): HealthFinding {
  return { kind, paths, detail };
}
