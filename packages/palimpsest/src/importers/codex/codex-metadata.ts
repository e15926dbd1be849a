/**
 * The description of a session in a Codex rollout: folder, model, instructions.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { present } from "../shared/fields.ts";
import type { ImportedMetadata, RecordedSession } from "../shared/imported-session.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import type { CodexRecord } from "./codex-record.ts";

type Fields = Readonly<Record<string, unknown>>;
type Description = Pick<RecordedSession, "sessionId" | "title" | "workingCopy" | "system" | "tools">;

/** Fields of a turn that are kept, by our key; each turn says them again and the last one counts. */
const TURN_FIELDS: Readonly<Record<string, string>> = {
  model: "model",
  effort: "reasoning-effort",
  approval_policy: "approval-policy",
  sandbox_policy: "sandbox-policy",
};

/** Gathers it while records are read. @internal */
export class CodexMetadata {
  readonly #items = new Map<string, ImportedMetadata>();
  readonly #threads = new Set<string>();
  #session: Fields | undefined;
  #turn: Fields = {};
  readonly #tools: JsonValue[] = [];

  /** The model of the turn that is going on. */
  get model(): string | undefined {
    return asString(this.#turn["model"]);
  }

  /** Takes a record in; `false` where its type describes nothing. */
  take(record: CodexRecord, repairs: RepairLog): boolean {
    if (record.type === "session_meta") this.#takeSession(record, repairs);
    else if (record.type === "turn_context") this.#takeTurn(record);
    else return false;
    return true;
  }

  /** Tool definitions that were added later stand among the items. */
  takeTools({ type, tools }: Fields): boolean {
    if (type !== "additional_tools") return false;
    if (Array.isArray(tools)) this.#tools.push(...(tools as readonly JsonValue[]));
    return true;
  }

  setTitle(title: unknown, line: number | undefined): void {
    if (typeof title === "string" && title !== "") this.#set("title", title, line);
  }

  /** True if a bill belongs to this conversation, or may belong to it. */
  isOwnThread(threadId: unknown): boolean {
    return typeof threadId !== "string" || this.#threads.size === 0 || this.#threads.has(threadId);
  }

  finish(): {
    readonly isSidechain: boolean;
    readonly description: Description;
    readonly items: readonly ImportedMetadata[];
  } {
    const session = this.#session ?? {};
    const { source } = session;
    return {
      isSidechain: isObject(source) && source["subagent"] !== undefined,
      description: present({
        sessionId: asString(session["id"]),
        title: asString(this.#items.get("title")?.value),
        workingCopy: asString(this.#turn["cwd"]) ?? asString(session["cwd"]),
        system: instructions(session["base_instructions"]) ?? instructions(this.#turn["base_instructions"]),
        tools: this.#tools.length === 0 ? undefined : this.#tools,
      }),
      items: [...this.#items.values()],
    };
  }

  /** The first one is the file's own; a fork repeats those of the sessions it came from. */
  #takeSession({ payload, line }: CodexRecord, repairs: RepairLog): void {
    const id = asString(payload["id"]);
    if (id !== undefined) this.#threads.add(id);
    if (this.#session !== undefined) return;
    this.#session = payload;
    const { git, history_base: base, dynamic_tools: tools } = payload;
    if (isObject(git) && typeof git["branch"] === "string") this.#set("git-branch", git["branch"], line);
    if (Array.isArray(tools)) this.#tools.push(...(tools as readonly JsonValue[]));
    if (isObject(base)) {
      const thread = asString(base["thread_id"]) ?? "unknown";
      repairs.add("missing-parent", `the conversation goes on from one in another file (${thread})`, line);
    }
  }

  #takeTurn({ payload, line }: CodexRecord): void {
    this.#turn = { ...this.#turn, ...payload };
    for (const [field, key] of Object.entries(TURN_FIELDS)) {
      const value = payload[field];
      if (value !== undefined && value !== null) this.#set(key, value as JsonValue, line);
    }
  }

  #set(key: string, value: JsonValue, line: number | undefined): void {
    this.#items.set(key, { type: "metadata", key, value, line });
  }
}

/** Instructions as a text or as an object with one. */
function instructions(value: unknown): string | undefined {
  const text = isObject(value) ? asString((value as JsonObject)["text"]) : asString(value);
  return text === "" ? undefined : text;
}
