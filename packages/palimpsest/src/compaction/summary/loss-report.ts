/**
 * The loss report: what can no longer be read in the window after an edit, by kind, and how to get
 * it back. Nothing of it is lost from the log; the report says what the model has to ask for.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { blockText, type ContentBlock, isMedia } from "../../transcript/blocks.ts";
import type { LayerEdit, LossReport } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { secretsInSteps, visibleWithoutSecrets } from "../../transcript/without-secrets.ts";
import { SAVED_DIGEST_LITERAL_COUNT } from "../digest/saved-digest.ts";
import { touchedFiles } from "../digest/touched-files.ts";
import { forgetLiterals, isName, literalsInSteps } from "../literals/block-literals.ts";
import { byRank, findBestLiterals, type LiteralLedger } from "../literals/literal-ledger.ts";
import { type LiteralKind, literalsOfText } from "../literals/literals.ts";
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
  /** The literals of the log, where they are known: then the texts of the hidden messages are not searched for them. */
  readonly ledger?: LiteralLedger | undefined;
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
  const { shown, kept, verbatimSeqs, ledger } = input;
  // The ledger has no secrets: only calls are read again, for their files and commands.
  const hidden = yield* redacted(input.hidden, ({ type }) => ledger === undefined || type === "tool_use");
  const visibleLiterals = yield* literalsOfWindow(kept, shown);
  const visibleText = [...shown, ...textsOf(kept)].join("\n");
  yield;
  return {
    messages: input.hidden.length,
    blocks: input.hidden.reduce((sum, message) => sum + message.blocks.length, 0),
    files: yield* lostFiles(hidden, visibleText),
    commands: yield* lostCommands(hidden, visibleText),
    strings: yield* firstMissing(
      ledger === undefined
        ? yield* hiddenNames(hidden, visibleLiterals)
        : yield* namesOfLedger(ledger, input.hidden, visibleLiterals),
      visibleText,
      STRINGS_LISTED,
    ),
    userMessages: input.hidden.filter((message) => isLostUserMessage(message, verbatimSeqs)).length,
    recovery: recoveryWith(input),
  };
}

/** The messages with those of their blocks that are needed, without secrets. */
function* redacted(
  messages: readonly VisibleMessage[],
  isNeeded: (block: ContentBlock) => boolean,
): Steps<readonly VisibleMessage[]> {
  const found: VisibleMessage[] = [];
  for (const message of messages) {
    const blocks = message.blocks.filter(({ block }) => isNeeded(block));
    if (blocks.length === 0) continue;
    for (const { block } of blocks) yield* secretsInSteps(block);
    found.push(visibleWithoutSecrets({ ...message, blocks }));
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

/** The first of the texts that cannot be read in another, not even inside a longer string. */
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

/** The names in the hidden messages that are not shown, those most likely to be needed first. */
function* namesOfLedger(
  ledger: LiteralLedger,
  hidden: readonly VisibleMessage[],
  visibleLiterals: ReadonlySet<string>,
): Steps<readonly string[]> {
  const seqs = new Set(hidden.filter(({ insertedBy }) => insertedBy === undefined).map(({ seq }) => seq));
  for (const { blocks } of hidden) for (const { block } of blocks) forgetLiterals(block);
  yield;
  // As many as a saved digest has, so that it reports the same.
  const best = yield* findBestLiterals(ledger, SAVED_DIGEST_LITERAL_COUNT, (lastSeq) => seqs.has(lastSeq));
  yield;
  return best
    .filter(({ text, record: { kind } }) => isNameOf(text, kind))
    .filter(({ text }) => !visibleLiterals.has(text))
    .sort(byRank)
    .slice(0, STRINGS_COMPARED)
    .map(({ text }) => text);
}

/** True for names, of which some come first between quotation marks. */
const isNameOf = (text: string, kind: LiteralKind): boolean =>
  isName(kind) || (kind === "quoted" && !/\s/.test(text));

/** The same, found in the messages: those used most often first. */
function* hiddenNames(
  hidden: readonly VisibleMessage[],
  visibleLiterals: ReadonlySet<string>,
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
  return mostOften(counts, STRINGS_COMPARED);
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
