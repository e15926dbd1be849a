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

  /** The messages that the model would see now, each with its origin. */
  get visible(): readonly VisibleMessage[] {
    return this.session.visible;
  }

  /** Everything ever said here: search it, read it back. */
  get history(): SessionHistory {
    return this.session.history;
  }

  /** The use of the window by category; see {@link Session.context}. */
  context(): ContextUse {
    return this.session.context();
  }

  /** The size of the next request as it is now, without preparing it. */
  get tokens(): CallTokens {
    return this.session.tokens;
  }

  /** Takes an edit back; see {@link Session.undo}. */
  undo(editSeq: number): Promise<void> {
    return this.session.undo(editSeq);
  }

  /** Goes back to an entry; see {@link Session.rewind}. */
  rewind(toSeq: number): Promise<void> {
    return this.session.rewind(toSeq);
  }

  /** The messages of an earlier call; see {@link Session.windowAt}. */
  windowAt(callSeq: number): Promise<readonly RequestMessage[]> {
    return this.session.windowAt(callSeq);
  }

  /** The pins: messages, or single blocks of them, in the order of the log. */
  get pins(): readonly SeqPin[] {
    return this.session.pins;
  }

  /** Keeps a message, or one block of it, in the model's view for good; see {@link Session.pin}. */
  pin(place: SeqPin): Promise<SeqPin> {
    return this.session.pin(place);
  }

  /** Appends a fact as a separate message and pins it; see {@link Session.pinFact}. */
  pinFact(text: string): Promise<SeqPin> {
    return this.session.pinFact(text);
  }

  /** Lets go of a pin; see {@link Session.unpin}. */
  unpin(place: SeqPin): Promise<boolean> {
    return this.session.unpin(place);
  }

  /** Title, tags and whatever else was set: the last value of each key. */
  get metadata(): JsonObject {
    return this.session.metadata;
  }

  /** Writes a short fact about the session, such as its title; see {@link Session.setMetadata}. */
  setMetadata(key: string, value: JsonValue): Promise<void> {
    return this.session.setMetadata(key, value);
  }

  /** Answers a model's call of one of the session's own tools; see {@link Session.runTool}. */
  runTool(name: string, input: unknown): Promise<string | undefined> {
    return this.session.runTool(name, input);
  }
}
