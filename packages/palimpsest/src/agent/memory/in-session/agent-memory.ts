/**
 * Long-term memory in a session with a model: the index at its start, later changes, and the recalled memories for
 * each message of the user.
 *
 * DESIGN. Everything is appended as messages; the system prompt and the tools belong to the host and stay unchanged.
 * Content that the window already shows is left out; it is found by reading the window. A compaction hides that content
 * and shows the index again. Nothing here fails a turn: errors go to the observer, and the turn goes on.
 */

import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { NOTES_DEFAULTS } from "../../../base/defaults/notes.ts";
import { addAll } from "../../../base/lists.ts";
import { cutHead, cutTail } from "../../../base/text/text.ts";
import {
  composeIndex,
  composeIndexDelta,
  readShownIndex,
  readShownPaths,
} from "../../../memory/recall/index-delta.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askWithin } from "../../../session/model/ask-within.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import { blockText, defaultOrigin, type Message, type ToolUseBlock } from "../../../transcript/blocks.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import type { AgentOptions, AgentWorld } from "../../options/agent-options.ts";
import type { PersistentMemory } from "../persistent-memory.ts";
import { AgentExtraction } from "./agent-extraction.ts";
import { ExtractionShare } from "./extraction-share.ts";
import { MemoryMark, memoryFailed } from "./memory-mark.ts";

/** Characters of a message that a memory is searched by. Our choice: what a question says at its beginning and its end. */
const QUERY_CHARACTERS = 8_000;
/** Messages back in which a tool counts as one in use. Our choice: the last few rounds. */
const RECENT_MESSAGES_COUNT = 20;

export class AgentMemory {
  readonly #session: Session;
  readonly #memory: PersistentMemory;
  readonly #extraction: AgentExtraction | undefined;
  readonly #uses: AgentUses | undefined;
  readonly #lightModel: ModelClient | undefined;
  readonly #isReadOnly: boolean;
  /** The mark of a session that had extraction before and has none now: to be removed from the log. */
  #oldMark: MemoryMark | undefined;
  /** The user's text since the last call. */
  #unanswered: string[] = [];

  constructor(
    session: Session,
    memory: PersistentMemory,
    extraction: AgentExtraction | undefined,
    /** Chooses which memories to recall; without one the memory's own, or the ranking. */
    lightModel: ModelClient | undefined,
    /** True if the memory stays as it is: no recall and no use is recorded. */
    isReadOnly: boolean,
  ) {
    this.#session = session;
    this.#memory = memory;
    this.#extraction = extraction;
    this.#lightModel = lightModel;
    this.#isReadOnly = isReadOnly;
    this.#oldMark = extraction === undefined ? new MemoryMark(session) : undefined;
    this.#uses = isReadOnly ? undefined : new AgentUses(session, memory);
  }

  /** Call it when messages were appended: the next call recalls memories for the user's text in them. */
  observe(messages: Message | readonly Message[]): void {
    const all = "role" in messages ? [messages] : messages;
    for (const message of all)
      if ((message.origin ?? defaultOrigin(message)) === "user")
        addAll(this.#unanswered, message.content.filter(({ type }) => type === "text").map(blockText));
  }

  /** Reads messages from before the session was opened that were not extracted. Resolves with the number of messages. */
  async resume(): Promise<number> {
    return (await this.#extraction?.resume()) ?? 0;
  }

  /** Call it when a turn has ended: extracts memories and records used ones, in the background. */
  turnEnded(): void {
    this.#extraction?.turnEnded();
    this.#uses?.listen();
  }

  /** Call it when the session ends: waits a limited time for writes under way. */
  async stop(deadline: Deadline): Promise<void> {
    await this.#removeMark();
    this.#extraction?.end();
    this.#uses?.listen();
    const timeoutMs = NOTES_DEFAULTS.drainMs;
    await askWithin(() => this.settled(), { deadline, timeoutMs }).catch(() => undefined);
    this.#extraction?.stop();
  }

  /** Resolves when all writes have ended. */
  async settled(): Promise<void> {
    await Promise.all([this.#extraction?.settled(), this.#uses?.settled()]);
  }

  /** The messages to append before the next call; may be empty. Never rejects. */
  async beforeCall(signal: AbortSignal | undefined): Promise<readonly Message[]> {
    // Now, because a compaction may hide the messages.
    this.#extraction?.listen();
    await this.#removeMark();
    const userText = this.#unanswered.join("\n").trim();
    this.#unanswered = [];
    if (userText !== "") this.#uses?.listen();
    const texts = recalledTexts(this.#session.visible);
    const shownIndex = readShownIndex(texts);
    if (userText === "" && shownIndex !== undefined) return [];
    try {
      const index = await this.#indexText(shownIndex);
      const recalled = userText === "" ? undefined : await this.#recall(userText, texts, signal);
      return [index, recalled].flatMap((text) =>
        text === undefined || text === "" ? [] : [recalledMessage(text)],
      );
    } catch (error) {
      // If it was aborted, the call that follows throws.
      return this.#failed(error);
    }
  }

  /** The index, read again for a window that was compacted. Never rejects. */
  async afterCompaction(kept: readonly VisibleMessage[]): Promise<readonly Message[]> {
    // Extract the messages that the compaction hides.
    this.#extraction?.begin({ isHidden: true });
    try {
      const shownIndex = readShownIndex(recalledTexts(kept));
      const text = await this.#indexText(shownIndex);
      return text === undefined || text === "" ? [] : [recalledMessage(text)];
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Messages of a session without extraction are not extracted later, either. */
  async #removeMark(): Promise<void> {
    const mark = this.#oldMark;
    this.#oldMark = undefined;
    await mark?.remove().catch((error: unknown) => this.#failed(error));
  }

  /** The turn goes on without it. */
  #failed(error: unknown): readonly [] {
    memoryFailed(this.#session, error);
    return [];
  }

  async #indexText(shownIndex: ReadonlySet<string> | undefined): Promise<string | undefined> {
    const { text, warnings } = await this.#memory.index();
    if (shownIndex !== undefined) return composeIndexDelta(shownIndex, text);
    for (const reason of warnings) internalsOf(this.#session).emit({ type: "memory-index-cut", reason });
    return composeIndex(text);
  }

  async #recall(
    userText: string,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const recall = await this.#memory.recall(queryOf(userText), {
      shown: texts.flatMap(readShownPaths),
      recentTools: toolsIn(this.#session.visible),
      onlyClear: true,
      isLogged: !this.#isReadOnly,
      model: this.#lightModel,
      sessionId: this.#session.id,
      signal,
    });
    const { text, tokens, memories, chosenBy, fellBack } = recall;
    if (memories.length > 0 || fellBack !== undefined)
      internalsOf(this.#session).emit({
        type: "memory-recalled",
        paths: memories.map(({ path }) => path),
        tokens,
        chosenBy,
        fellBack,
      });
    return text;
  }
}

/** Shortens a long message to its beginning and end, where people say what they want. */
function queryOf(userText: string): string {
  if (userText.length <= QUERY_CHARACTERS) return userText;
  return `${cutHead(userText, QUERY_CHARACTERS / 2)}\n${cutTail(userText, QUERY_CHARACTERS / 2)}`;
}

function recalledTexts(visible: readonly VisibleMessage[]): readonly string[] {
  const texts: string[] = [];
  // A loop: every call looks at the whole window.
  for (const { origin, blocks } of visible)
    if (origin === "recalled") for (const { block } of blocks) texts.push(blockText(block));
  return texts;
}

function toolsIn(visible: readonly VisibleMessage[]): readonly string[] {
  const names = visible
    .slice(-RECENT_MESSAGES_COUNT)
    .flatMap(({ blocks }) =>
      blocks.flatMap(({ block }) => (block.type === "tool_use" ? [(block as ToolUseBlock).name] : [])),
    );
  return [...new Set(names)];
}

function recalledMessage(text: string): Message {
  return { role: "user", origin: "recalled", content: [{ type: "text", text }] };
}

/** Makes the memory of a session from its options; `undefined` if it has none. */
export function agentMemory(
  session: Session,
  { memory, memoryExtraction = "auto", lightModel, model, fileReader }: AgentOptions,
  { deadline, isMemoryReadOnly = false, workingCopy: files = fileReader }: AgentWorld,
): AgentMemory | undefined {
  if (memory === undefined) return undefined;
  const isOff = memoryExtraction === "off" || isMemoryReadOnly;
  const client = isOff || memoryExtraction === "rules" ? undefined : (lightModel ?? model);
  const share =
    memoryExtraction === "auto" && client !== undefined
      ? new ExtractionShare(session, client.model)
      : undefined;
  const extraction = isOff
    ? undefined
    : new AgentExtraction(session, { memory, client, share, deadline, files });
  return new AgentMemory(session, memory, extraction, lightModel, isMemoryReadOnly);
}

/** Records which shown memories the answers of a session used. */
class AgentUses {
  readonly #session: Session;
  readonly #memory: PersistentMemory;
  #comparedSeq: number;
  #noting: Promise<void> = Promise.resolve();

  constructor(session: Session, memory: PersistentMemory) {
    this.#session = session;
    this.#memory = memory;
    // Answers from before the session was opened were compared at that time.
    this.#comparedSeq = internalsOf(session).writer.nextSeq - 1;
  }

  /** Compares new answers with the shown memories, in the background. */
  listen(): void {
    const { visible } = this.#session;
    const isNew = ({ role, seq, insertedBy }: VisibleMessage): boolean =>
      role === "assistant" && insertedBy === undefined && seq > this.#comparedSeq;
    const answers = visible.filter(isNew);
    const others = visible.filter((message) => !isNew(message));
    this.#comparedSeq = answers.at(-1)?.seq ?? this.#comparedSeq;
    const shown = others
      .filter(({ origin }) => origin === "recalled")
      .flatMap(({ blocks }) => blocks.flatMap(({ block }) => readShownPaths(blockText(block))));
    if (answers.length === 0 || shown.length === 0) return;
    const answer = answers.map(answerText).join("\n");
    const userText = newestText(others.filter(({ origin }) => origin !== "recalled"));
    this.#noting = this.#noting.then(() => this.#note(answer, { shown, userText }));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#noting;
  }

  async #note(answer: string, context: { readonly shown: readonly string[]; readonly userText: string }) {
    try {
      await this.#memory.answered(answer, { ...context, sessionId: this.#session.id });
    } catch (error) {
      memoryFailed(this.#session, error);
    }
  }
}

/** Returns the text and tool inputs of an answer. Thinking is left out: it repeats shown memories, used or not. */
function answerText({ blocks }: VisibleMessage): string {
  const blocksWithText = blocks.filter(({ block }) => block.type === "text" || block.type === "tool_use");
  return blocksWithText.map(({ block }) => blockText(block)).join("\n");
}

/** Joins the newest messages, as many as are compared. */
function newestText(messages: readonly VisibleMessage[]): string {
  const texts: string[] = [];
  let leftCharacters: number = MEMORY_RECALL_DEFAULTS.used.readCharacters;
  for (let at = messages.length - 1; at >= 0 && leftCharacters > 0; at--) {
    const text = messages[at]!.blocks.map(({ block }) => blockText(block)).join("\n");
    texts.unshift(text);
    leftCharacters -= text.length;
  }
  return texts.join("\n");
}
