/**
 * Collects one OpenHands conversation from its events, whichever generation of OpenHands wrote them.
 *
 * An answer with several calls is several action events that share the id of the response; all its
 * calls are in one message here, and each result follows in the order of the events. What a
 * sub-agent did between the call of `delegate` and its answer is kept apart.
 */
import { asString, type JsonValue } from "../../base/json/json.ts";
import type { ContentBlock, Message } from "../../transcript/blocks.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { ImportedBoundary, RecordedSession } from "../shared/imported-session.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { ContextIds } from "./context-ids.ts";

/** Messages that a boundary names one by one as staying; a longer list is left away. Our choice; OpenHands condenses at 240 events and keeps half of them. */
const LISTED_PRESERVED_IDS = 256;

/** One event as it was recorded. @internal */
export interface OpenhandsEvent {
  readonly raw: Fields;
  readonly line?: number;
  readonly id?: string;
  readonly at?: number;
}

/** @internal */
export class OpenhandsSession {
  readonly repairs: RepairLog;
  readonly #builder: ConversationBuilder;
  /** Contents of the tool's own context, for the boundaries that name the parts they keep. */
  readonly #context = new ContextIds();
  readonly #knownIds = new Set<string>();
  readonly #responses = new Set<string>();
  readonly #called = new Set<string>();
  /** Model of the answers whose event names none. */
  readonly #model: string | undefined;
  #system: string | undefined;
  #tools: readonly JsonValue[] | undefined;
  #workingCopy: string | undefined;
  #delegations = 0;

  constructor({ repairs, model }: { readonly repairs: RepairLog; readonly model?: string | undefined }) {
    this.repairs = repairs;
    this.#model = model;
    this.#builder = new ConversationBuilder(repairs);
  }

  /** Adds what an event says. A further part of a response that has begun goes to its message. */
  say(
    event: OpenhandsEvent,
    spoken: {
      readonly message: Omit<Message, "content" | "hostId" | "at">;
      readonly content: readonly ContentBlock[];
    } & Pick<ParsedMessage, "isAttachment" | "usage" | "stopReason">,
  ): void {
    const { message, content, isAttachment, usage, stopReason } = spoken;
    for (const block of content) if (block.type === "tool_use") this.#called.add(block.id);
    const isSide = this.#delegations > 0;
    const hostId = this.#ownId(event);
    if (hostId !== undefined && !isSide) this.#context.add(hostId);
    this.#builder.addMessage(
      {
        message: {
          ...message,
          model: message.model ?? (message.role === "assistant" ? this.#model : undefined),
          hostId,
          at: event.at,
        },
        content: [...content],
        usage,
        stopReason,
        isAttachment,
        line: event.line,
        ...(isSide ? { isSidechain: true } : {}),
      },
      isSide ? "side-chain" : undefined,
    );
  }

  /** True if a response was not read before: each of its actions repeats all of it. */
  isNewResponse(id: string | undefined): boolean {
    if (id === undefined) return true;
    if (this.#responses.has(id)) return false;
    this.#responses.add(id);
    return true;
  }

  /** True if a call of this id was made before. */
  isCalled(id: string | undefined): boolean {
    return id !== undefined && this.#called.has(id);
  }

  /** The tool replaced what `forget` takes out of its context by a summary, or by nothing. */
  condensed(
    event: OpenhandsEvent,
    { forget, summary }: { readonly forget: (context: ContextIds) => void; readonly summary: unknown },
  ): void {
    if (this.#delegations > 0) return;
    const before = this.#context.size;
    forget(this.#context);
    const { size } = this.#context;
    if (size > 0 && size === before) {
      this.skip("condensation of nothing");
      return;
    }
    // A list as long as the conversation at every boundary would make a file larger than it is.
    const isListed = size > 0 && size <= LISTED_PRESERVED_IDS;
    const boundary: ImportedBoundary = {
      type: "boundary",
      trigger: "auto",
      summary: asString(summary) || undefined,
      ...(isListed ? { preserved: this.#context.list() } : {}),
      hostId: event.id,
      at: event.at,
      line: event.line,
    };
    this.#builder.addItem(boundary);
  }

  delegated(): void {
    this.#delegations++;
  }

  returned(): void {
    this.#delegations = Math.max(0, this.#delegations - 1);
  }

  /** A command of the agent ran in this folder. */
  workedIn(folder: unknown): void {
    if (folder !== "") this.#workingCopy ??= asString(folder);
  }

  /** The prompt of the conversation; those of sub-agents are not kept. */
  instructed({ system, tools }: { readonly system: unknown; readonly tools: unknown }): void {
    if (this.#delegations > 0) return;
    this.#system ??= asString(system);
    if (Array.isArray(tools) && tools.length > 0) this.#tools ??= tools as readonly JsonValue[];
  }

  /** Counts an event that says nothing to the model. */
  skip(kind: string): void {
    this.#builder.skip(kind);
  }

  finish(): Omit<RecordedSession, "recordCount"> {
    return {
      ...this.#builder.finish(),
      system: this.#system,
      tools: this.#tools,
      workingCopy: this.#workingCopy,
    };
  }

  #ownId({ id, line }: OpenhandsEvent): string | undefined {
    if (id === undefined || !this.#knownIds.has(id)) {
      if (id !== undefined) this.#knownIds.add(id);
      return id;
    }
    this.repairs.add("duplicate-id", `the id ${id} was used before; both are kept`, line);
    return undefined;
  }
}
