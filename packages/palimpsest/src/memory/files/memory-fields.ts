/**
 * Maps each fact about a memory to its place in the frontmatter, in both shapes: flat, as we and older versions of
 * Claude Code write it, and below `metadata`, as newer versions do.
 */
import { type FrontmatterEdit, placeOf } from "./edit-frontmatter.ts";
import { type Frontmatter, type FrontmatterField, findField, NESTED_KEY } from "./frontmatter.ts";
import type { FrontmatterValue } from "./frontmatter-value.ts";
import { MEMORY_SOURCES, MEMORY_TYPES, type Memory } from "./memory.ts";

/** The facts in a memory's frontmatter: everything but its path and its text. */
type MemoryFacts = Omit<Memory, "path" | "body">;
type MemoryFactName = keyof MemoryFacts;

interface Fact<Value> {
  /** Its keys, the one that we write first. */
  readonly keys: readonly string[];
  /** The key that is written below `metadata`, where it is another one. */
  readonly nestedKey?: string;
  /** The meaning of an absent field; a name has none, since the file's name replaces it. */
  readonly absentValue: Value;
  /** `undefined`: it cannot be understood. */
  readonly read: (field: FrontmatterField) => { readonly value: Value } | undefined;
  /** The meaning of an unreadable value, if it differs from an absent one. */
  readonly misread?: Value;
  /** `undefined`: there is no need to say it. */
  readonly write: (value: Value) => FrontmatterValue | undefined;
}

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "no", "off"].map((word) => [word, false] as const),
]);

/** White space with a line end in it becomes one blank, so that text for one line stays on it. */
export function toOneLine(text: string): string {
  return text
    .replace(/[\r\n\v\f\x85\u2028\u2029]+/g, "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}

const line = (text: string) => ({ value: toOneLine(text) });
const known = <Word extends string>(words: readonly Word[], text: string) => {
  const word = words.find((each) => each === text.trim().toLowerCase());
  return word === undefined ? undefined : { value: word };
};

/** A time under one of some keys. */
const timeFact = (...keys: readonly string[]): Fact<number | undefined> => ({
  keys,
  absentValue: undefined,
  read: ({ text }) => {
    const value = parseTime(text);
    return value === undefined ? undefined : { value };
  },
  write: (timeMs) => (timeMs === undefined ? undefined : formatTime(timeMs)),
});

/** An id or a path: one line, and nothing is said by saying nothing. */
const referenceFact = (...keys: readonly string[]): Fact<string | undefined> => ({
  keys,
  absentValue: undefined,
  read: ({ text }) => (/^(?:null|~)?$/.test(text) ? { value: undefined } : line(text)),
  write: (id) => id,
});

const pathsFact = (key: string): Fact<readonly string[]> => ({
  keys: [key],
  absentValue: [],
  read: ({ text, items }) => ({ value: (items ?? [text]).map(toOneLine).filter((path) => path !== "") }),
  write: (paths) => (paths.length === 0 ? undefined : paths),
});

/** True or false; the usual value is not written. */
const flagFact = (key: string, usual: boolean): Fact<boolean> => ({
  keys: [key],
  absentValue: usual,
  read: ({ text }) => {
    const value = TRUTHS.get(text.toLowerCase());
    return value === undefined ? undefined : { value };
  },
  write: (value) => (value === usual ? undefined : value),
});

const FACTS: { readonly [Name in MemoryFactName]: Fact<MemoryFacts[Name]> } = {
  name: { keys: ["name"], absentValue: "", read: ({ text }) => line(text), write: toOneLine },
  description: {
    keys: ["description"],
    absentValue: "",
    read: ({ text }) => line(text),
    write: (text) => (text === "" ? undefined : toOneLine(text)),
  },
  type: {
    keys: ["type"],
    absentValue: undefined,
    read: ({ text }) => known(MEMORY_TYPES, text),
    write: (type) => type,
  },
  createdAtMs: timeFact("createdAt", "created", "created_at"),
  updatedAtMs: {
    ...timeFact("updatedAt", "modified", "updated", "updated_at"),
    nestedKey: "modified",
  },
  keptAtMs: timeFact("keptAt"),
  relevance: {
    keys: ["relevance"],
    absentValue: 1,
    read: ({ text }) => (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? { value: Number(text) } : undefined),
    write: (relevance) =>
      relevance === 1 || !(relevance >= 0 && relevance < 1e9) ? undefined : Number(relevance.toFixed(6)),
  },
  decays: flagFact("decay", true),
  source: {
    keys: ["source"],
    absentValue: "unknown",
    read: ({ text }) => known(MEMORY_SOURCES, text),
    write: (source) => (source === "unknown" ? undefined : source),
  },
  isConfirmed: flagFact("confirmed", false),
  // An unreadable value does not mean that a model may see the memory.
  isQuarantined: { ...flagFact("quarantined", false), misread: true },
  sessionId: { ...referenceFact("sessionId", "originSessionId"), nestedKey: "originSessionId" },
  messageId: referenceFact("messageId"),
  follows: referenceFact("follows"),
  supersedes: pathsFact("supersedes"),
  revises: pathsFact("revises"),
  supersededBy: referenceFact("supersededBy"),
};

/** In the order in which a new file tells them. */
export const FACT_NAMES = Object.keys(FACTS) as readonly MemoryFactName[];

const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(FACTS).flatMap(({ keys }) => keys),
  // Says of every file that it is a memory.
  "node_type",
]);

/** True if a key has a meaning here. */
export function isKnownKey(key: string): boolean {
  return KNOWN_KEYS.has(key);
}

/** Reads one fact from the frontmatter, with the problem if it is unreadable. */
export function readFact<Name extends MemoryFactName>(
  frontmatter: Pick<Frontmatter, "fields">,
  name: Name,
): { readonly value: MemoryFacts[Name]; readonly isSet: boolean; readonly problem?: string } {
  const fact: Fact<MemoryFacts[Name]> = FACTS[name];
  const field = firstFieldOf(frontmatter, fact);
  if (field === undefined || (field.text === "" && field.items === undefined))
    return { value: fact.absentValue, isSet: false };
  const found = fact.read(field);
  if (found !== undefined) return { value: found.value, isSet: true };
  return {
    value: fact.misread ?? fact.absentValue,
    isSet: false,
    problem: `\`${field.key}\` has a value that is not known here`,
  };
}

/** The value for a new file; `undefined` for a default. */
export function writtenFact<Name extends MemoryFactName>(
  name: Name,
  value: MemoryFacts[Name] | undefined,
): { readonly key: string; readonly value: FrontmatterValue } | undefined {
  const fact: Fact<MemoryFacts[Name]> = FACTS[name];
  const written = value === undefined ? undefined : fact.write(value);
  return written === undefined ? undefined : { key: fact.keys[0]!, value: written };
}

/** The edits that make the frontmatter say so; none where it does already. */
export function editsOf<Name extends MemoryFactName>(
  frontmatter: Frontmatter,
  name: Name,
  value: MemoryFacts[Name] | undefined,
): readonly FrontmatterEdit[] {
  const fact: Fact<MemoryFacts[Name]> = FACTS[name];
  const written = value === undefined ? undefined : fact.write(value);
  const fields = fieldsOf(frontmatter, fact);
  if (fields[0] === undefined) {
    if (written === undefined) return [];
    const isNested = name !== "name" && name !== "description" && isNestedShape(frontmatter);
    return isNested
      ? [{ key: fact.nestedKey ?? fact.keys[0]!, parent: NESTED_KEY, value: written }]
      : [{ key: fact.keys[0]!, value: written }];
  }
  // An unreadable value may belong to another program: it stays until a new value replaces it.
  const isSame = JSON.stringify(written) === JSON.stringify(fact.write(readFact(frontmatter, name).value));
  if (isSame) return [];
  // Taken out wherever it stands: the next place would count then.
  if (written === undefined) return fields.map(placeOf);
  return [{ ...placeOf(fields[0]), value: written }];
}

const PARENTS = [undefined, NESTED_KEY];

/** The field that counts, of those that tell a fact. */
function firstFieldOf(
  frontmatter: Pick<Frontmatter, "fields">,
  { keys }: { readonly keys: readonly string[] },
): FrontmatterField | undefined {
  for (const parent of PARENTS)
    for (const key of keys) {
      const field = findField(frontmatter, key, parent);
      if (field !== undefined) return field;
    }
  return undefined;
}

/** The fields that tell a fact, the one that counts first: in the frontmatter itself, then below `metadata`. */
function fieldsOf(
  frontmatter: Pick<Frontmatter, "fields">,
  { keys }: { readonly keys: readonly string[] },
): readonly FrontmatterField[] {
  return PARENTS.flatMap((parent) => keys.flatMap((key) => findField(frontmatter, key, parent) ?? []));
}

/** True if the facts are below `metadata`. */
function isNestedShape(frontmatter: Frontmatter): boolean {
  const map = findField(frontmatter, NESTED_KEY);
  return (
    map !== undefined &&
    map.text === "" &&
    map.items === undefined &&
    findField(frontmatter, "type") === undefined
  );
}

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$/;
const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** Milliseconds since the epoch; `undefined` for what is no such time, as the 31st of February. */
export function parseTime(text: string): number | undefined {
  const found = TIME.exec(text.trim());
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const fraction = Number((found[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const utcMs = Date.UTC(year!, month! - 1, day, hour, minute, second, fraction);
  const isDay = new Date(utcMs).getUTCDate() === day && month! >= 1 && month! <= 12;
  // Date.UTC takes the years 0 to 99 for those of the last century.
  if (!isDay || hour! > 23 || minute! > 59 || second! > 59 || year! < 100) return undefined;
  return utcMs - offsetMinutes(found[8]) * MINUTE_MS;
}

/** The time as a file shows it; `undefined` where no calendar has it. */
export function formatTime(timeMs: number): string | undefined {
  const time = new Date(timeMs);
  const isPrecise =
    Number.isFinite(time.getTime()) && time.getUTCFullYear() >= 100 && time.getUTCFullYear() <= 9999;
  return isPrecise ? time.toISOString() : undefined;
}

function offsetMinutes(zone: string | undefined): number {
  if (zone === undefined || !/^[+-]/.test(zone)) return 0;
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  const minutes = Number(digits.slice(0, 2)) * HOUR_MINUTES + Number(digits.slice(2));
  return zone.startsWith("-") ? -minutes : minutes;
}
