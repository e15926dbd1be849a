/**
 * The members of a `Session` that a session with a model has as they are.
 */
import type { JsonObject, JsonValue } from "../base/json/json.ts";
import type { SessionHistory } from "../session/history/session-history.ts";
import type { CallTokens } from "../session/options/prepared-call.ts";
import type { Session } from "../session/session.ts";
import type { ContextUse } from "../session/window/context-use.ts";
import type { SeqPin } from "../transcript/projection.ts";
import type { RequestMessage, VisibleMessage } from "../transcript/window.ts";

/** The members of a session with a model that are those of the session inside. */
export abstract class SessionMembers {
  /** The session itself: its log, its window, its history. */
  readonly session: Session;

  /** @internal */
  constructor(session: Session) {
    this.session = session;
  }

  /** The session's id in its store. */
  get id(): string {
    return this.session.id;
  }

  /** The messages that the model would see now, each with its origin and its entry's number, `seq`. */
  get visible(): readonly VisibleMessage[] {
    return this.session.visible;
  }

  /** Everything ever said here: search it, read it back. */
  get history(): SessionHistory {
    return this.session.history;
  }

  /** The use of the window by category, the free space, where compaction starts, and why it was compacted last. */
  context(): ContextUse {
    return this.session.context();
  }

  /** The size of the next request as it is now, without preparing it. */
  get tokens(): CallTokens {
    return this.session.tokens;
  }

  /**
   * Takes an edit of the window back, such as a compaction (`edits[0].seq` of its result, `seq` of the event `layer`):
   * what it hid is shown again. To take messages back, use {@link rewind}.
   * @throws `SessionError` `UNDO_REFUSED` if the window would not fit, or if a model that binds its thinking has
   * answered since.
   */
  undo(editSeq: number): Promise<void> {
    return this.session.undo(editSeq);
  }

  /**
   * Goes back to an entry, by the number that `visible` has (1 is the start): the conversation goes on from there. What
   * came after stays in the log, and a rewind can be rewound. Files and other effects of tools stay as they are.
   * @throws `SessionError` `REWIND_REFUSED` if there is no such entry.
   */
  rewind(toSeq: number): Promise<void> {
    return this.session.rewind(toSeq);
  }

  /** The messages of an earlier call, built again from the stored log. @throws `ENTRY_NOT_FOUND`. */
  windowAt(callSeq: number): Promise<readonly RequestMessage[]> {
    return this.session.windowAt(callSeq);
  }

  /** The pins: messages, or single blocks of them, in the order of the log. */
  get pins(): readonly SeqPin[] {
    return this.session.pins;
  }

  /**
   * Keeps a message, or one block of it, in the model's view for good: a compaction that hides it says it again to the
   * letter. @throws `PIN_REFUSED` with the figures if pins take too much space, `ENTRY_NOT_FOUND`.
   */
  pin(place: SeqPin): Promise<SeqPin> {
    return this.session.pin(place);
  }

  /** Appends a fact as a separate message and pins it. @throws `PIN_REFUSED` with the figures if pins take too much space. */
  pinFact(text: string): Promise<SeqPin> {
    return this.session.pinFact(text);
  }

  /** Lets go of a pin, given as `pins` has it. Resolves with false if there is no such pin. */
  unpin(place: SeqPin): Promise<boolean> {
    return this.session.unpin(place);
  }

  /** Title, tags and whatever else was set: the last value of each key. */
  get metadata(): JsonObject {
    return this.session.metadata;
  }

  /** Writes a short fact about the session, such as its title (`title`). The last value of a key counts. */
  setMetadata(key: string, value: JsonValue): Promise<void> {
    return this.session.setMetadata(key, value);
  }

  /**
   * Answers a model's call of `history_search`, `history_read` or `history_pin`, for your own loop. Resolves with
   * `undefined` for any other name.
   */
  runTool(name: string, input: unknown): Promise<string | undefined> {
    return this.session.runTool(name, input);
  }
}
