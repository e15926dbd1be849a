/**
 * Notices which of the memories that a session was shown its answers make use of.
 *
 * An answer is compared once, when it is whole: when the turn has ended, or with the user's next message where the
 * host has a loop of its own. The window says what was shown, so nothing has to be remembered across a restart; what
 * a compaction has hidden by then is not noticed. Nobody waits for it, and what goes wrong is told to the observer.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../../base/defaults/memory/recall.ts";
import { errorMessage } from "../../../base/errors.ts";
import { readShownPaths } from "../../../memory/recall/index-delta.ts";
import { notify } from "../../../session/events/events.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import { blockText } from "../../../transcript/blocks.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import type { PersistentMemory } from "../persistent-memory.ts";

export class AgentUses {
  readonly #session: Session;
  readonly #memory: PersistentMemory;
  #comparedSeq: number;
  #noting: Promise<void> = Promise.resolve();

  constructor(session: Session, memory: PersistentMemory) {
    this.#session = session;
    this.#memory = memory;
    // What was answered before it was opened was looked at then.
    this.#comparedSeq = internalsOf(session).parts.writer.nextSeq - 1;
  }

  /** An answer is whole. Waits for nothing. */
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
      const reason = errorMessage(error);
      notify(internalsOf(this.#session).parts.observer, { type: "memory-failed", reason });
    }
  }
}

/** What it said and passed to tools. What it only thought repeats what it was shown, of use or not. */
function answerText({ blocks }: VisibleMessage): string {
  const blocksWithText = blocks.filter(({ block }) => block.type === "text" || block.type === "tool_use");
  return blocksWithText.map(({ block }) => blockText(block)).join("\n");
}

/** As much as is compared, from the end. */
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
