/**
 * The description of a session in a Codex rollout: folder, model, instructions.
 */

import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ConversationBuilder } from "../shared/conversation-builder.ts";
import { type Fields, fieldsOf, listOf } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { CodexRecord } from "./codex-record.ts";

type Description = Pick<
  RecordedSession,
  "isSidechain" | "sessionId" | "title" | "workingCopy" | "system" | "tools"
>;

/** Fields of a turn that are kept, by our key; each turn says them again and the last one counts. */
const TURN_FIELDS: Readonly<Record<string, string>> = {
  model: "model",
  effort: "reasoning-effort",
  approval_policy: "approval-policy",
  sandbox_policy: "sandbox-policy",
};

/** Gathers it while records are read. @internal */
export class CodexMetadata {
  readonly #builder: ConversationBuilder;
  readonly #threads = new Set<string>();
  #session: Fields | undefined;
  #turn: Fields = {};
  readonly #tools: unknown[] = [];

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  /** The model of the turn that is going on. */
  get model(): string | undefined {
    return asString(this.#turn["model"]);
  }

  /** Takes a record in; `false` where its type describes nothing. */
  take(record: CodexRecord): boolean {
    if (record.type === "session_meta") this.#takeSession(record);
    else if (record.type === "turn_context") this.#takeTurn(record);
    else return false;
    return true;
  }

  /** Tool definitions that were added later stand among the items. */
  takeTools({ type, tools }: Fields): boolean {
    if (type !== "additional_tools") return false;
    addAll(this.#tools, listOf(tools));
    return true;
  }

  /** True if a bill belongs to this conversation, or may belong to it. */
  isOwnThread(threadId: unknown): boolean {
    return typeof threadId !== "string" || this.#threads.size === 0 || this.#threads.has(threadId);
  }

  finish(): Description {
    const session = this.#session ?? {};
    return {
      ...(fieldsOf(session["source"])["subagent"] === undefined ? {} : { isSidechain: true }),
      sessionId: asString(session["id"]),
      title: this.#builder.metadataText("title"),
      workingCopy: asString(this.#turn["cwd"]) ?? asString(session["cwd"]),
      system: instructions(session["base_instructions"]) ?? instructions(this.#turn["base_instructions"]),
      tools: this.#tools.length === 0 ? undefined : (this.#tools as readonly JsonValue[]),
    };
  }

  /** The first one is the file's own; a fork repeats those of the sessions it came from. */
  #takeSession({ payload, line }: CodexRecord): void {
    const id = asString(payload["id"]);
    if (id !== undefined) this.#threads.add(id);
    if (this.#session !== undefined) return;
    this.#session = payload;
    const { git, history_base: base, dynamic_tools: tools } = payload;
    this.#builder.setMetadata("git-branch", asString(fieldsOf(git)["branch"]), line);
    addAll(this.#tools, listOf(tools));
    if (isObject(base)) {
      const thread = asString(base["thread_id"]) ?? "unknown";
      const words = `the conversation goes on from one in another file (${thread})`;
      this.#builder.repairs.add("missing-parent", words, line);
    }
  }

  #takeTurn({ payload, line }: CodexRecord): void {
    this.#turn = { ...this.#turn, ...payload };
    for (const [field, key] of Object.entries(TURN_FIELDS))
      this.#builder.setMetadata(key, payload[field], line);
  }
}

/** Instructions as a text or as an object with one. */
function instructions(value: unknown): string | undefined {
  const text = isObject(value) ? asString(value["text"]) : asString(value);
  return text === "" ? undefined : text;
}
