/**
 * A digest in other forms: as text that is stored and read back, and as plain lists of facts.
 *
 * The stored text spares the first compaction of a very long session that was opened again from reading all
 * of it. Only the strings most likely to be needed are written: the others would make it ten times as
 * large, and are found again when they are said again. A damaged text yields no digest.
 */
import { isObject, parseJson } from "../../base/json/json.ts";
import { finish, type Steps } from "../../base/steps.ts";
import { rankLiterals } from "../literals/literal-ledger.ts";
import { isLiteralKind, type LiteralRecord, type LiteralTable } from "../literals/literal-table.ts";
import type { LogWords } from "../literals/log-words.ts";
import { readTextLayers, textLayersInSteps } from "../literals/saved-words.ts";
import { type CommandRecord, createDigest, type Digest, type FileRecord } from "./digest.ts";
import { type DigestFinding, FINDING_WEIGHT } from "./digest-findings.ts";
import { doneTodos, openTodos, type TodoItem } from "./todo-state.ts";

/** Literals of a digest that are stored with it. Our choice: several times what a string appendix holds, in about 1 MB. */
export const SAVED_DIGEST_LITERAL_COUNT = 6_000;
/** Messages of the user that are stored with a digest: the first and the newest. Our choice: far more than a summary quotes. */
const SAVED_DIGEST_USER_WORDS_COUNT = 2_000;
/** Increased whenever the content of a digest changes: a text of an older version is ignored and the log is read again. */
const VERSION = 8;

/** The type of each field of a record; `?` marks an optional one. */
type FieldKind = "string" | "number" | "boolean" | "strings" | "numbers" | "string?";
type Shape = Readonly<Record<string, FieldKind>>;

const WORDS: Shape = { seq: "number", pointer: "string", text: "string", characters: "number" };
const CALL: Shape = { seq: "number", pointer: "string", call: "string", outcome: "string?" };
const FINDING: Shape = { seq: "number", pointer: "string", text: "string", weight: "number" };
const SHAPES = {
  userWords: WORDS,
  assistantWords: WORDS,
  requests: {
    seq: "number",
    pointer: "string",
    text: "string",
    changesCount: "number",
    lastChanged: "string?",
    failure: "string?",
    answer: "string?",
    answerPointer: "string?",
  },
  files: {
    path: "string",
    reads: "number",
    edits: "number",
    lastHow: "string",
    lastSeq: "number",
    lastPointer: "string",
    trail: "numbers",
    snippet: "string?",
  },
  commands: {
    command: "string",
    runs: "number",
    failures: "number",
    hasFailed: "boolean",
    line: "string",
    lastSeq: "number",
    lastPointer: "string",
  },
  errors: {
    seq: "number",
    pointer: "string",
    call: "string",
    line: "string",
    followed: "strings",
    resolvedPointer: "string?",
  },
  actions: CALL,
  findings: FINDING,
  thoughts: FINDING,
  todos: { text: "string", status: "string", seq: "number" },
  literals: {
    kind: "string",
    messageCount: "number",
    lastSeq: "number",
    lastAssistantSeq: "number",
    assistantCount: "number",
    userCount: "number",
    lastUserSeq: "number",
    isDefined: "boolean",
  },
} as const satisfies Readonly<Record<string, Shape>>;

const LISTS = [
  "userWords",
  "assistantWords",
  "requests",
  "errors",
  "actions",
  "findings",
  "thoughts",
] as const;
const COUNTS = ["messageCount", "userCharacters", "nextShortened"] as const;

/** The largest sizes that a stored digest keeps. */
interface SavedDigestLimits {
  readonly literalCount: number;
  readonly userWordsCount: number;
}

const LIMITS: SavedDigestLimits = {
  literalCount: SAVED_DIGEST_LITERAL_COUNT,
  userWordsCount: SAVED_DIGEST_USER_WORDS_COUNT,
};

/** The digest as lines of JSON, with its best strings, and of the user's words the first and the newest. */
export function writeDigest(digest: Digest, limits: SavedDigestLimits = LIMITS): string {
  return finish(writeWholeInSteps(digest, limits));
}

function* writeWholeInSteps(digest: Digest, limits: SavedDigestLimits): Steps<string> {
  const best = yield* rankLiterals(digest.literals, limits.literalCount);
  yield;
  return yield* writeFactsInSteps(digest, limits, {
    literals: best.map(({ text, record }) => [text, record]),
    words: yield* textLayersInSteps(digest.words),
  });
}

/**
 * The same in steps of some milliseconds, without the strings and the words unless they are given. The digest must not
 * change between them.
 */
export function* writeFactsInSteps(
  digest: Digest,
  { literalCount, userWordsCount }: SavedDigestLimits = LIMITS,
  beside: Readonly<Record<string, unknown>> = {},
): Steps<string> {
  const { literals, todos, plan } = digest;
  const left = Math.max(0, digest.userWords.length - userWordsCount);
  const userWords = digest.userWords.filter((_, index) => index === 0 || index > left);
  return yield* jsonInSteps({
    version: VERSION,
    ...Object.fromEntries(LISTS.map((name) => [name, digest[name]])),
    ...Object.fromEntries(COUNTS.map((name) => [name, digest[name]])),
    userWords,
    userCharacters: userWords.reduce((sum, { text }) => sum + text.length, 0),
    nextShortened: Math.max(1, digest.nextShortened - left),
    files: [...digest.files],
    commands: [...digest.commands],
    toolCounts: [...digest.toolCounts],
    openCalls: [...digest.openCalls].map(([id, { action, ...call }]) => [id, { ...call, ...action }]),
    listed: [...todos.listed],
    checked: [...todos.checked],
    ...(plan === undefined ? {} : { plan }),
    ...beside,
    newestSeq: literals.newestSeq,
    forgottenCount: literals.forgottenCount + Math.max(0, literals.records.size - literalCount),
  });
}

/** Members of a list that are written as JSON in one step; a layer of words is as long as hundreds of others. */
const WRITTEN_AT_ONCE = 512;

/** Each field as JSON in a line, a piece of a list at a time, so that it can also be read line by line. */
function* jsonInSteps(fields: Readonly<Record<string, unknown>>): Steps<string> {
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    pieces.push(pieces.length === 0 ? "{" : "\n{", JSON.stringify(name), ":");
    if (!Array.isArray(value) || value.length === 0) {
      pieces.push(JSON.stringify(value), "}");
      continue;
    }
    const atOnce = name === "words" ? 1 : WRITTEN_AT_ONCE;
    for (let from = 0; from < value.length; from += atOnce) {
      pieces.push(from === 0 ? "[" : ",", JSON.stringify(value.slice(from, from + atOnce)).slice(1, -1));
      yield;
    }
    pieces.push("]}");
  }
  return pieces.join("");
}

/** The digest that was written; `undefined` where the text is not one of this version. */
export function readDigest(text: string): Digest | undefined {
  return finish(readDigestInSteps(text.split("\n")));
}

/** The strings and the words of a digest, where they are not in its text. */
interface BesideFacts {
  readonly literals: LiteralTable;
  readonly words: LogWords;
}

/** The same in steps of some milliseconds, from its lines. */
export function* readDigestInSteps(lines: Iterable<string>, beside?: BesideFacts): Steps<Digest | undefined> {
  const fields: Record<string, unknown> = {};
  for (const line of lines) {
    const parsed = parseJson(line);
    if (!parsed.ok || !isObject(parsed.value)) return undefined;
    Object.assign(fields, parsed.value);
    if (fields["version"] !== VERSION) return undefined;
    yield;
  }
  return yield* readFields(fields, beside);
}

function* readFields(
  fields: Readonly<Record<string, unknown>>,
  beside: BesideFacts | undefined,
): Steps<Digest | undefined> {
  const empty = createDigest();
  const digest = beside === undefined ? empty : { ...empty, words: beside.words };
  for (const name of LISTS)
    if (!fillList(digest[name] as unknown[], fields[name], SHAPES[name])) return undefined;
  yield;
  for (const name of COUNTS) {
    if (!isCount(fields[name])) return undefined;
    digest[name] = fields[name];
  }
  const { newestSeq, forgottenCount, plan } = fields as Readonly<Record<string, unknown>>;
  if (!isCount(newestSeq) || !isCount(forgottenCount)) return undefined;
  digest.literals.newestSeq = newestSeq;
  digest.literals.forgottenCount = forgottenCount;
  if (plan !== undefined) {
    if (!shapeCheck(WORDS)(plan)) return undefined;
    digest.plan = plan as unknown as NonNullable<Digest["plan"]>;
  }
  if (beside !== undefined) digest.literals.records = beside.literals;
  else if (!(yield* readTextLayers(digest.words, fields["words"]))) return undefined;
  const fills = [
    () => fillMap(digest.files, fields["files"], SHAPES.files),
    () => fillMap(digest.commands, fields["commands"], SHAPES.commands),
    () => fillMap(digest.todos.listed, fields["listed"], SHAPES.todos),
    () => fillMap(digest.todos.checked, fields["checked"], SHAPES.todos),
    () => beside !== undefined || fillLiterals(digest, fields["literals"]),
    () => fillToolCounts(digest, fields["toolCounts"]) && fillOpenCalls(digest, fields["openCalls"]),
  ];
  for (const fill of fills) {
    if (!fill()) return undefined;
    yield;
  }
  return digest;
}

function fillList<Item>(list: Item[], value: unknown, shape: Shape): boolean {
  if (!Array.isArray(value) || !value.every(shapeCheck(shape))) return false;
  for (const item of value) list.push(item as Item);
  return true;
}

function fillMap<Item>(map: Map<string, Item>, value: unknown, shape: Shape): boolean {
  const fits = shapeCheck(shape);
  if (!isPairs(value)) return false;
  for (let index = 0; index < value.length; index++) {
    if (!fits(value[index]![1])) return false;
    map.set(value[index]![0], value[index]![1] as Item);
  }
  return true;
}

function fillLiterals({ literals: { records } }: Digest, value: unknown): boolean {
  const fits = shapeCheck(SHAPES.literals);
  if (!isPairs(value)) return false;
  for (const [text, record] of value) {
    if (!fits(record) || !isLiteralKind((record as LiteralRecord).kind)) return false;
    records.set(text, record as LiteralRecord);
  }
  return true;
}

function fillToolCounts({ toolCounts }: Digest, value: unknown): boolean {
  if (!isPairs(value) || !value.every(([, count]) => isCount(count))) return false;
  for (const [name, count] of value) toolCounts.set(name, count as number);
  return true;
}

const OPEN_CALL: Shape = { ...CALL, name: "string", kind: "string?", command: "string?", paths: "strings" };

type OpenCall = Digest["openCalls"] extends Map<string, infer Call> ? Call : never;
type SavedCall = Omit<OpenCall, "action"> & OpenCall["action"];

/** An open call is also one of the actions, so both get its outcome. */
function fillOpenCalls(digest: Digest, value: unknown): boolean {
  const fits = shapeCheck(OPEN_CALL);
  if (!isPairs(value) || !value.every(([, call]) => fits(call))) return false;
  const actions = new Map(digest.actions.map((action) => [action.pointer, action]));
  for (const [id, call] of value) {
    const { name, kind, command, paths, ...action } = call as unknown as SavedCall;
    const known = actions.get(action.pointer) ?? action;
    digest.openCalls.set(id, { action: known, name, kind, command, paths });
  }
  return true;
}

function isPairs(value: unknown): value is readonly (readonly [string, unknown])[] {
  return (
    Array.isArray(value) &&
    value.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")
  );
}

/** Returns a check if a value is a record of this shape: there are thousands of one shape. */
function shapeCheck(shape: Shape): (value: unknown) => boolean {
  const fields = Object.entries(shape);
  return (value) => {
    if (!isObject(value)) return false;
    for (let index = 0; index < fields.length; index++)
      if (!isOf(value[fields[index]![0]], fields[index]![1])) return false;
    return true;
  };
}

function isOf(value: unknown, kind: FieldKind): boolean {
  if (kind === "string") return typeof value === kind;
  if (kind === "number") return typeof value === kind && Number.isFinite(value);
  if (kind === "strings") return Array.isArray(value) && value.every((one) => typeof one === "string");
  if (kind === "numbers") return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));
  if (kind === "string?") return value === undefined || typeof value === "string";
  return typeof value === kind;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Facts of a session, each list from the oldest to the newest; open tasks come before those that are done. */
interface DigestFacts extends Pick<Digest, "userWords" | "errors" | "actions"> {
  readonly files: readonly FileRecord[];
  readonly commands: readonly CommandRecord[];
  readonly todos: readonly TodoItem[];
  readonly decisions: readonly DigestFinding[];
  /** The last words of turns. */
  readonly results: Digest["assistantWords"];
}

export function factsOfDigest(digest: Digest): DigestFacts {
  return {
    userWords: digest.userWords,
    files: byLastUse(digest.files),
    commands: byLastUse(digest.commands),
    errors: digest.errors,
    todos: [...openTodos(digest.todos), ...doneTodos(digest.todos)],
    decisions: digest.findings.filter(({ weight }) => weight >= FINDING_WEIGHT),
    results: digest.assistantWords,
    actions: digest.actions,
  };
}

function byLastUse<Fact extends { readonly lastSeq: number }>(
  facts: ReadonlyMap<string, Fact>,
): readonly Fact[] {
  return [...facts.values()].sort((one, other) => one.lastSeq - other.lastSeq);
}
