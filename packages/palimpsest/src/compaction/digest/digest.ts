/**
 * The digest: the content of a session, folded from its messages one at a time without a model.
 *
 * It reads the original messages of the log, never the window, so that messages an earlier compaction left
 * out are still in it. Adding a message costs time in proportion to the message. Every list is bounded; the
 * oldest or least valuable fact goes first. The digest can be rebuilt from the log at any time, so the log
 * never stores it.
 */
import { KnownSecrets } from "../../base/redaction/known-secrets.ts";
import { cutHead, headAndTail } from "../../base/text/text.ts";
import {
  type ContentBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  toolResultText,
} from "../../transcript/blocks.ts";
import { secretsInSteps, withoutKnownSecrets } from "../../transcript/without-secrets.ts";
import { createLedger, type LiteralLedger, type Speaker } from "../literals/literal-ledger.ts";
import { LogWords } from "../literals/log-words.ts";
import { formatPointer } from "../shared/pointer.ts";
import {
  asksUser,
  commandOf,
  mainArgument,
  oneLine,
  type ToolKind,
  toolKey,
  toolKind,
} from "../shared/tool-kinds.ts";
import { outcomeOf } from "../shared/tool-results.ts";
import { scriptedCalls } from "../shared/tool-script.ts";
import { userWordsOf } from "../shared/user-words.ts";
import { type DigestFinding, recordFinding } from "./digest-findings.ts";
import { addBlockWords, addWords } from "./digest-words.ts";
import {
  beginRequest,
  continueRequest,
  endRequest,
  type RequestRecord,
  recordOutcome,
} from "./request-outcomes.ts";
import { createTodoState, readCheckBoxes, readTodoCall, type TodoState } from "./todo-state.ts";
import { type FileTouch, touchedFiles } from "./touched-files.ts";

/** Literals that a digest remembers; the least valuable are forgotten. Our choice: some ten megabytes. */
const DIGEST_LITERAL_COUNT = 40_000;
/** Files, commands and other facts that a digest remembers, of each kind. Our choice. */
const DIGEST_FACT_COUNT = 2_000;
/** Characters of user words that a digest keeps whole; longer messages keep head and tail. Our choice, above `userWords`. */
const DIGEST_USER_CHARACTERS = 24_000;
/** Characters that a digest keeps of all user messages together. Our choice: ten times the budget of `userWords`. */
const DIGEST_USER_TOTAL_CHARACTERS = 400_000;

/** Words of the user or the assistant; long ones keep head and tail. */
export interface Words {
  readonly seq: number;
  readonly pointer: string;
  readonly text: string;
  /** Characters of the whole. */
  readonly characters: number;
}

export interface FileRecord {
  readonly path: string;
  reads: number;
  edits: number;
  lastHow: FileTouch["how"];
  lastSeq: number;
  lastPointer: string;
  /** Entries of its newest calls and their results, oldest first. */
  trail: readonly number[];
  snippet?: string;
}

export interface CommandRecord {
  readonly command: string;
  runs: number;
  failures: number;
  hasFailed: boolean;
  line: string;
  lastSeq: number;
  lastPointer: string;
}

/** A failed call and what was done after it. */
export interface ErrorRecord {
  readonly seq: number;
  readonly pointer: string;
  readonly call: string;
  readonly line: string;
  readonly followed: string[];
  resolvedPointer?: string;
}

interface ActionRecord {
  readonly seq: number;
  readonly pointer: string;
  readonly call: string;
  outcome?: "ok" | "failed";
}

interface OpenCall {
  readonly action: ActionRecord;
  readonly name: string;
  readonly kind: ToolKind | undefined;
  readonly command?: string;
  /** Files that it reads or changes. */
  readonly paths: readonly string[];
}

/**
 * The content of a session so far: words of the user, files, commands, errors, decisions and literals. Make
 * one with {@link createDigest}, feed it with {@link addToDigest} (which changes it), and hand it to
 * `planExtractiveCompact`. Its size is bounded however long the session is.
 */
export interface Digest {
  readonly userWords: Words[];
  readonly assistantWords: Words[];
  readonly requests: RequestRecord[];
  readonly files: Map<string, FileRecord>;
  readonly commands: Map<string, CommandRecord>;
  readonly errors: ErrorRecord[];
  readonly actions: ActionRecord[];
  readonly findings: DigestFinding[];
  /** The same of its readable thinking, which nothing else retells. */
  readonly thoughts: DigestFinding[];
  readonly todos: TodoState;
  readonly toolCounts: Map<string, number>;
  readonly literals: LiteralLedger;
  /** All words, for the check of summaries: the ledger forgets. @internal */
  readonly words: LogWords;
  readonly openCalls: Map<string, OpenCall>;
  /** The secrets of the session so far, none of which is in any other field. They are never stored. @internal */
  readonly secrets: KnownSecrets;
  /** The last plan that was put before the user. */
  plan?: Words;
  messageCount: number;
  userCharacters: number;
  /** Index of the next user words that may be shortened for want of room. */
  nextShortened: number;
}

const CALL_CHARACTERS = 160;
const COMMAND_CHARACTERS = 240;
const ASSISTANT_WORDS_KEPT = 24;
const ASSISTANT_WORDS_CHARACTERS = 6_000;
const ACTIONS_KEPT = 60;
const FOLLOWED_KEPT = 4;
/** Entries that are remembered of a file: of about a dozen calls, from which its content is rebuilt. */
const TRAIL_KEPT = 24;
/** Failed calls that later calls are still matched with. */
const OPEN_ERRORS = 6;

/** An empty digest. One belongs to one session: add its original messages from the first one on. */
export function createDigest(literalCount: number = DIGEST_LITERAL_COUNT): Digest {
  return {
    userWords: [],
    assistantWords: [],
    requests: [],
    files: new Map(),
    commands: new Map(),
    errors: [],
    actions: [],
    findings: [],
    thoughts: [],
    todos: createTodoState(),
    toolCounts: new Map(),
    literals: createLedger(literalCount),
    words: new LogWords(),
    openCalls: new Map(),
    secrets: new KnownSecrets(),
    messageCount: 0,
    userCharacters: 0,
    nextShortened: 1,
  };
}

/** Adds one original message of the log; `seq` grows from call to call. Changes the digest. */
export function addToDigest(digest: Digest, seq: number, message: Message): void {
  const steps = addToDigestInSteps(digest, seq, message);
  while (steps.next().done !== true);
}

/** The same in steps of a millisecond or two; between them the digest holds a part of the message. */
export function* addToDigestInSteps(digest: Digest, seq: number, addedMessage: Message): Generator<void> {
  // First of all: what is cut into lines and strings below can no longer be recognised as part of a key.
  const content: ContentBlock[] = [];
  for (const block of addedMessage.content) {
    yield* secretsInSteps(block);
    content.push(withoutKnownSecrets(block, digest.secrets));
  }
  const message = { ...addedMessage, content };
  digest.messageCount++;
  const isSummary = message.origin === "summary";
  const words = userWordsOf(message);
  for (const { block, text } of words) {
    const pointer = formatPointer({ seq, block });
    addUserWords(digest, seq, pointer, text);
    // A command that the host wrapped into tags, as the user typed it.
    addWords(digest, text);
    beginRequest(digest.requests, { seq, pointer, text });
  }
  for (const [index, block] of content.entries()) {
    yield;
    const pointer = formatPointer({ seq, block: index });
    yield* addBlockWords(digest, seq, speakerOf(message, block, words.length > 0), block);
    if (block.type === "tool_use") addCall(digest, seq, pointer, block);
    else if (block.type === "tool_result") addResult(digest, seq, pointer, block);
    else if (block.type === "text" && message.role === "assistant" && !isSummary)
      addAssistantWords(digest, seq, pointer, block.text);
    else if (block.type === "thinking")
      recordFinding(digest.thoughts, { seq, pointer, text: block.thinking });
  }
}

function speakerOf(message: Message, block: ContentBlock, hasUserWords: boolean): Speaker {
  if (block.type === "tool_use") return "call";
  if (block.type !== "text") return "tool";
  if (message.role === "assistant") return "assistant";
  return hasUserWords ? "user" : "tool";
}

function addUserWords(digest: Digest, seq: number, pointer: string, text: string): void {
  const kept = headAndTail(text, DIGEST_USER_CHARACTERS);
  digest.userWords.push({ seq, pointer, text: kept, characters: text.length });
  digest.userCharacters += kept.length;
  // The first message is the task and stays; of the others the oldest give way to newer ones.
  while (
    digest.userCharacters > DIGEST_USER_TOTAL_CHARACTERS &&
    digest.nextShortened < digest.userWords.length - 1
  ) {
    const old = digest.userWords[digest.nextShortened]!;
    const shorter = cutHead(old.text, 200);
    digest.userWords[digest.nextShortened++] = { ...old, text: shorter };
    digest.userCharacters -= old.text.length - shorter.length;
  }
}

function addAssistantWords(digest: Digest, seq: number, pointer: string, text: string): void {
  if (text.trim() === "") return;
  const kept = headAndTail(text.trim(), ASSISTANT_WORDS_CHARACTERS);
  pushBounded(
    digest.assistantWords,
    { seq, pointer, text: kept, characters: text.length },
    ASSISTANT_WORDS_KEPT,
  );
  readCheckBoxes(digest.todos, seq, kept);
  recordFinding(digest.findings, { seq, pointer, text });
  endRequest(digest.requests, pointer, text.trim());
}

function addCall(digest: Digest, seq: number, pointer: string, block: ToolUseBlock): void {
  const kind = toolKind(block.name, block.input);
  const argument = mainArgument(block.name, block.input, CALL_CHARACTERS);
  const action: ActionRecord = {
    seq,
    pointer,
    call: argument === "" ? block.name : `${block.name}: ${argument}`,
  };
  const command = kind === "shell" ? commandOf(block.input) : undefined;

  const touches = touchedFiles(kind, block.input);
  digest.toolCounts.set(block.name, (digest.toolCounts.get(block.name) ?? 0) + 1);
  pushBounded(digest.actions, action, ACTIONS_KEPT);
  digest.openCalls.set(block.id, {
    action,
    name: block.name,
    kind,
    command,
    paths: touches.map(({ path }) => path),
  });
  forgetOldest(digest.openCalls);
  readTodoCall(digest.todos, seq, block.name, block.input);
  if (typeof block.input === "string")
    for (const { name, input } of scriptedCalls(block.input)) readTodoCall(digest.todos, seq, name, input);
  rememberPlan(digest, seq, pointer, block);
  for (const touch of touches) addFile(digest, seq, pointer, touch);
  continueRequest(
    digest.requests,
    touches.flatMap(({ how, path }) => (how === "read" ? [] : [path])),
  );
  for (const error of digest.errors.slice(-OPEN_ERRORS))
    if (
      error.resolvedPointer === undefined &&
      error.followed.length < FOLLOWED_KEPT &&
      error.call !== action.call
    )
      error.followed.push(action.call);
}

function rememberPlan(digest: Digest, seq: number, pointer: string, { name, input }: ToolUseBlock): void {
  const plan = typeof input === "object" && input !== null && "plan" in input ? input["plan"] : undefined;
  if (toolKey(name) === "exitplanmode" && typeof plan === "string")
    digest.plan = {
      seq,
      pointer,
      text: headAndTail(plan, ASSISTANT_WORDS_CHARACTERS),
      characters: plan.length,
    };
}

function addFile(digest: Digest, seq: number, pointer: string, touch: FileTouch): void {
  const known = digest.files.get(touch.path);
  const file: FileRecord = known ?? {
    path: touch.path,
    reads: 0,
    edits: 0,
    lastHow: touch.how,
    lastSeq: seq,
    lastPointer: pointer,
    trail: [],
  };
  extendTrail(file, seq);
  if (touch.how === "read") file.reads++;
  else {
    file.edits++;
    file.lastHow = touch.how;
    if (touch.snippet !== undefined) file.snippet = touch.snippet;
  }
  file.lastSeq = seq;
  file.lastPointer = pointer;
  // Taken out and put in again, so that the map's order is that of the last use.
  digest.files.delete(touch.path);
  digest.files.set(touch.path, file);
  forgetOldest(digest.files);
}

/** A new list, of just that length: most files have one call and its result, and a list that grows takes room for 17. */
function extendTrail(file: FileRecord, seq: number): void {
  file.trail = file.trail.slice(1 - TRAIL_KEPT).concat(seq);
}

function addResult(digest: Digest, seq: number, pointer: string, block: ToolResultBlock): void {
  const call = digest.openCalls.get(block.tool_use_id);
  digest.openCalls.delete(block.tool_use_id);
  const outcome = outcomeOf(block, call?.kind);
  if (call === undefined) return;
  recordOutcome(digest.requests, outcome);
  call.action.outcome = outcome.hasFailed ? "failed" : "ok";
  for (const path of call.paths) {
    const file = digest.files.get(path);
    if (file !== undefined) extendTrail(file, seq);
  }
  if (asksUser(call.name)) addUserWords(digest, seq, pointer, toolResultText(block));
  if (call.command !== undefined) addCommand(digest, seq, pointer, call.command, outcome);
  if (outcome.hasFailed) {
    const error = { seq, pointer, call: call.action.call, line: outcome.line, followed: [] };
    pushBounded(digest.errors, error, DIGEST_FACT_COUNT / 10);
  } else
    for (const error of digest.errors.slice(-OPEN_ERRORS))
      if (error.call === call.action.call) error.resolvedPointer ??= pointer;
}

function addCommand(
  digest: Digest,
  seq: number,
  pointer: string,
  commandLine: string,
  { hasFailed, line }: { readonly hasFailed: boolean; readonly line: string },
): void {
  const command = oneLine(commandLine, COMMAND_CHARACTERS);
  const known = digest.commands.get(command);
  digest.commands.delete(command);
  digest.commands.set(command, {
    command,
    runs: (known?.runs ?? 0) + 1,
    failures: (known?.failures ?? 0) + (hasFailed ? 1 : 0),
    hasFailed,
    line,
    lastSeq: seq,
    lastPointer: pointer,
  });
  forgetOldest(digest.commands);
}

function pushBounded<Item>(items: Item[], item: Item, limit: number): void {
  items.push(item);
  if (items.length > limit) items.shift();
}

function forgetOldest<Value>(map: Map<string, Value>): void {
  if (map.size > DIGEST_FACT_COUNT) map.delete(map.keys().next().value!);
}
