/**
 * The loss report: what can no longer be read in the window after an edit, by kind, and how to get
 * it back. Nothing of it is lost from the log; the report says what the model has to ask for.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { blockText, isMedia } from "../../transcript/blocks.ts";
import type { LayerEdit, LossReport } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { secretsInSteps, visibleWithoutSecrets } from "../../transcript/without-secrets.ts";
import { touchedFiles } from "../digest/touched-files.ts";
import { forgetLiterals, literalsInSteps } from "../literals/block-literals.ts";
import { literalsOfText } from "../literals/literals.ts";
import type { HistoryAccess } from "../shared/pointer.ts";
import { commandOf, oneLine, toolKind } from "../shared/tool-kinds.ts";

interface LossInput extends HistoryAccess {
  /** Messages that are hidden, as they were shown. */
  readonly hidden: readonly VisibleMessage[];
  /** Texts that are shown in their place. */
  readonly shown: readonly string[];
  /** Messages that stay. */
  readonly kept: readonly VisibleMessage[];
  /** Entries whose user words `shown` contains in full. */
  readonly verbatimSeqs: ReadonlySet<number>;
}

const FILES_LISTED = 50;
const COMMANDS_LISTED = 30;
const STRINGS_LISTED = 100;
const COMMAND_CHARACTERS = 160;
/** The most strings that are looked for in all visible text. Our choice: some milliseconds. */
const STRINGS_COMPARED = 1_000;

const RECOVERY =
  "Everything is in the history: find it with history_search, read it with history_read by its pointer, or undo this edit.";
const RECOVERY_BY_HOST =
  "Everything is kept in the session's log, where each block has its pointer; undo this edit to show it again.";

const recoveryWith = ({ hasHistoryTools = true }: HistoryAccess): string =>
  hasHistoryTools ? RECOVERY : RECOVERY_BY_HOST;

/** Reports the content that the edit hides. Linear in the hidden and kept messages. */
export function reportLoss(input: LossInput): LossReport {
  return finish(reportLossInSteps(input));
}

/** The same in steps. @internal */
export function* reportLossInSteps(input: LossInput): Steps<LossReport> {
  const { shown, kept, verbatimSeqs } = input;
  const hidden = yield* redacted(input.hidden);
  const visibleLiterals = yield* literalsOfWindow(kept, shown);
  const visibleText = [...shown, ...textsOf(kept)].join("\n");
  yield;
  return {
    messages: hidden.length,
    blocks: hidden.reduce((sum, message) => sum + message.blocks.length, 0),
    files: yield* lostFiles(hidden, visibleText),
    commands: yield* lostCommands(hidden, visibleText),
    strings: yield* lostStrings(hidden, visibleLiterals, visibleText),
    userMessages: hidden.filter((message) => isLostUserMessage(message, verbatimSeqs)).length,
    recovery: recoveryWith(input),
  };
}

function* redacted(messages: readonly VisibleMessage[]): Steps<readonly VisibleMessage[]> {
  const found: VisibleMessage[] = [];
  for (const message of messages) {
    for (const { block } of message.blocks) yield* secretsInSteps(block);
    found.push(visibleWithoutSecrets(message));
    yield;
  }
  return found;
}

/** All literals of messages, and of texts beside them. @internal */
export function* literalsOfWindow(
  messages: readonly VisibleMessage[],
  texts: readonly string[],
): Steps<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { blocks } of messages)
    for (const { block } of blocks) {
      for (const { text } of (yield* literalsInSteps(block, Number.POSITIVE_INFINITY)).all) found.add(text);
      yield;
    }
  for (const text of texts) for (const literal of yield* literalsOfText(text)) found.add(literal);
  return found;
}

const textsOf = (messages: readonly VisibleMessage[]): readonly string[] =>
  messages.flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block)));

function* lostFiles(hidden: readonly VisibleMessage[], visibleText: string): Steps<readonly string[]> {
  const files = new Set<string>();
  for (const { blocks } of hidden.toReversed())
    for (const { block } of blocks)
      if (block.type === "tool_use")
        for (const { path } of touchedFiles(toolKind(block.name, block.input), block.input)) files.add(path);
  return yield* firstMissing(files, visibleText, FILES_LISTED);
}

function* lostCommands(hidden: readonly VisibleMessage[], visibleText: string): Steps<readonly string[]> {
  const commands = new Set<string>();
  for (const { blocks } of hidden.toReversed())
    for (const { block } of blocks) {
      if (block.type !== "tool_use" || toolKind(block.name, block.input) !== "shell") continue;
      const command = commandOf(block.input);
      if (command !== undefined) commands.add(oneLine(command, COMMAND_CHARACTERS));
    }
  return yield* firstMissing(commands, visibleText, COMMANDS_LISTED);
}

/** Texts that are searched for in one step: each may take as long as reading all that is shown. */
const SEARCHED_AT_ONCE = 8;

/** The first of the texts that stand nowhere in another. */
function* firstMissing(texts: Iterable<string>, visibleText: string, most: number): Steps<readonly string[]> {
  const missing: string[] = [];
  let searched = 0;
  for (const text of texts) {
    if (missing.length === most) break;
    if (!visibleText.includes(text)) missing.push(text);
    if (++searched % SEARCHED_AT_ONCE === 0) yield;
  }
  return missing;
}

/** Most often used first. A string that can be read inside a longer one is not lost. */
function* lostStrings(
  hidden: readonly VisibleMessage[],
  visibleLiterals: ReadonlySet<string>,
  visibleText: string,
): Steps<readonly string[]> {
  const counts = new Map<string, number>();
  for (const { blocks } of hidden)
    for (const { block } of blocks) {
      const { names } = yield* literalsInSteps(block, Number.POSITIVE_INFINITY);
      for (const [text, count] of names)
        if (!visibleLiterals.has(text)) counts.set(text, (counts.get(text) ?? 0) + count);
      forgetLiterals(block);
      yield;
    }
  return yield* firstMissing(mostOften(counts, STRINGS_COMPARED), visibleText, STRINGS_LISTED);
}

/** The strings with the highest counts; of equals those that came first. */
function mostOften(counts: ReadonlyMap<string, number>, most: number): readonly string[] {
  const often = [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]);
  const found = often.slice(0, most).map(([literal]) => literal);
  for (const [literal, count] of counts) {
    if (found.length >= most) break;
    if (count === 1) found.push(literal);
  }
  return found;
}

/** A user message whose words no longer stand anywhere in full, or whose pictures are gone. */
function isLostUserMessage(
  { seq, origin, insertedBy, blocks }: VisibleMessage,
  verbatimSeqs: ReadonlySet<number>,
): boolean {
  if (origin !== "user" || insertedBy !== undefined) return false;
  return !verbatimSeqs.has(seq) || blocks.some(({ block }) => isMedia(block));
}

/** Counts the content that a rewrite of old blocks hides; the names are only listed when messages go. */
export function countLoss({ effect }: LayerEdit, access: HistoryAccess = {}): LossReport {
  const forms = effect.forms ?? [];
  return {
    messages: new Set(forms.map((form) => form.seq)).size,
    blocks: forms.length,
    files: [],
    commands: [],
    strings: [],
    userMessages: 0,
    recovery: recoveryWith(access),
  };
}
