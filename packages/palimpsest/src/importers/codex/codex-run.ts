/**
 * The output of `codex exec --json`: events of a run, one a line. It has no prompt, and bills a turn as a whole.
 *
 * DESIGN. Each item is written when it starts, and again when it is completed; a call and its result are one item. A
 * call whose item was never completed has no result. Ids count from 0 in every turn, so later turns are part of them.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import {
  ASSISTANT,
  type Fields,
  fieldsOf,
  listOf,
  TOOL,
  toolResult,
  unsignedThinking,
} from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { SessionReader } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";

/** Events without a part in the conversation. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["turn.completed", "turn.failed", "error"]);
const ITEM_EVENT = /^item\.(?:started|updated|completed)$/;

/** True for an event of a run. @internal */
export function isRunEvent(value: Fields): boolean {
  const { type, thread_id: thread, item } = value;
  if (type === "thread.started") return typeof thread === "string";
  return (
    typeof type === "string" && ITEM_EVENT.test(type) && isObject(item) && typeof item["type"] === "string"
  );
}

/** Reads the runs of a file: one session for each thread. @internal */
export function beginRun(repairs: RepairLog): SessionReader {
  const runs: RunReader[] = [];
  return {
    take: (record) => {
      const thread =
        record.value["type"] === "thread.started" ? asString(record.value["thread_id"]) : undefined;
      if (runs.length === 0 || (thread !== undefined && runs.at(-1)!.isOther(thread)))
        runs.push(new RunReader(repairs));
      runs.at(-1)!.read(record);
    },
    finish: () => runs.map((run) => run.finish()),
  };
}

/** A call as it is sent, and its result if the item has one. */
interface RunCall {
  readonly name: string;
  readonly input: JsonValue;
  readonly output: unknown;
  readonly hasFailed: boolean;
}

class RunReader {
  readonly #repairs: RepairLog;
  readonly #builder: ConversationBuilder;
  /** Items that were started and are not completed yet. */
  readonly #open = new Map<string, SourceRecord>();
  #answer: { readonly content: ContentBlock[]; readonly line: number | undefined } | undefined;
  #threadId: string | undefined;
  #turnsCount = 0;
  #plansCount = 0;
  #recordCount = 0;

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
    this.#builder = new ConversationBuilder(repairs);
  }

  /** True if the run is of another thread. */
  isOther(threadId: string): boolean {
    return this.#threadId !== undefined && this.#threadId !== threadId;
  }

  read(record: SourceRecord): void {
    const { value, line } = record;
    const type = asString(value["type"]) ?? "(no type)";
    this.#recordCount++;
    if (type === "thread.started") this.#threadId ??= asString(value["thread_id"]);
    else if (type === "turn.started") this.#startTurn();
    else if (WITHOUT_EFFECT.has(type)) this.#builder.skip(type);
    else if (ITEM_EVENT.test(type) && isObject(value["item"])) this.#readItem(type, value["item"], record);
    else this.#builder.unknown(type, line);
  }

  finish(): RecordedSession {
    this.#endTurn();
    return { sessionId: this.#threadId, ...this.#builder.finish(), recordCount: this.#recordCount };
  }

  #startTurn(): void {
    this.#endTurn();
    this.#turnsCount++;
  }

  #endTurn(): void {
    for (const { value, line } of this.#open.values()) this.#addCall(fieldsOf(value["item"]), line, false);
    this.#open.clear();
    this.#endAnswer();
  }

  #readItem(event: string, item: Fields, record: SourceRecord): void {
    const { line } = record;
    const kind = asString(item["type"]) ?? "(no type)";
    if (kind === "todo_list") this.#readPlan(event, item, line);
    else if (event === "item.started" || event === "item.updated") {
      this.#open.set(String(item["id"]), record);
      this.#builder.skip(`${event}/${kind}`);
    } else {
      this.#open.delete(String(item["id"]));
      this.#readCompleted(kind, item, line);
    }
  }

  #readCompleted(kind: string, item: Fields, line: number | undefined): void {
    if (kind === "agent_message") this.#add(textOf(item["text"]), line);
    else if (kind === "reasoning") this.#add(unsignedThinking(item["text"]), line);
    else if (kind === "error") this.#builder.skip(`item.completed/${kind}`);
    else if (!this.#addCall(item, line, true)) this.#builder.unknown(`item.completed/${kind}`, line);
  }

  /** Returns false for an item that is not a call. */
  #addCall(item: Fields, line: number | undefined, isCompleted: boolean): boolean {
    const call = callOf(item);
    if (call === undefined) return false;
    this.#call(`${this.#prefix()}${asString(item["id"]) ?? "item"}`, call, { line, isCompleted });
    return true;
  }

  /** A list of steps is written again whenever one of them changes; it is one call each time. */
  #readPlan(event: string, item: Fields, line: number | undefined): void {
    if (event === "item.completed") {
      this.#builder.skip("item.completed/todo_list");
      return;
    }
    const plan = listOf(item["items"]).map((step) => ({
      step: asString(fieldsOf(step)["text"]) ?? "",
      status: fieldsOf(step)["completed"] === true ? "completed" : "pending",
    }));
    const call = { name: "update_plan", input: { plan }, output: undefined, hasFailed: false };
    this.#call(`plan_${++this.#plansCount}`, call, { line, isCompleted: true });
  }

  #call(
    id: string,
    { name, input, output, hasFailed }: RunCall,
    { line, isCompleted }: { readonly line: number | undefined; readonly isCompleted: boolean },
  ): void {
    const onDamage = this.#repairs.blockDamage(line);
    const place = { role: "assistant", onDamage, original: input } as const;
    this.#add([wellFormedBlock({ type: "tool_use", id, name, input }, place)], line);
    if (!isCompleted) return;
    this.#endAnswer();
    const content = typeof output === "string" || output === undefined ? output : JSON.stringify(output);
    const result = toolResult(id, content, hasFailed);
    const block = wellFormedBlock(result, { role: "user", onDamage, original: result });
    this.#builder.addMessage({ message: TOOL, content: [block], line });
  }

  #add(content: readonly ContentBlock[], line: number | undefined): void {
    if (content.length === 0) return;
    this.#answer ??= { content: [], line };
    addAll(this.#answer.content, content);
  }

  #endAnswer(): void {
    if (this.#answer === undefined) return;
    this.#builder.addMessage({ message: ASSISTANT, ...this.#answer });
    this.#answer = undefined;
  }

  #prefix(): string {
    return this.#turnsCount > 1 ? `turn_${this.#turnsCount}_` : "";
  }
}

function textOf(text: unknown): readonly ContentBlock[] {
  return typeof text === "string" && text !== "" ? [{ type: "text", text }] : [];
}

/** The call of an item, in the names of the tools in a rollout; `undefined` for an item that is not a call. */
function callOf(item: Fields): RunCall | undefined {
  const hasFailed = item["status"] === "failed" || item["status"] === "declined";
  switch (item["type"]) {
    case "command_execution":
      return {
        name: "shell",
        input: { command: commandLine(asString(item["command"]) ?? "") },
        output: commandOutput(item),
        hasFailed,
      };
    case "mcp_tool_call": {
      const name = `mcp__${String(item["server"])}__${String(item["tool"])}`;
      return { name, input: argumentsOf(item["arguments"]), output: mcpOutput(item), hasFailed };
    }
    case "file_change":
      return {
        name: "file_change",
        input: { changes: item["changes"] as JsonValue },
        output: item["status"],
        hasFailed,
      };
    case "web_search":
      return {
        name: "web_search",
        input: { query: asString(item["query"]) ?? "", action: (item["action"] ?? {}) as JsonObject },
        output: undefined,
        hasFailed: false,
      };
    default:
      return undefined;
  }
}

const argumentsOf = (sent: unknown): JsonValue =>
  sent === undefined || sent === null ? {} : (sent as JsonValue);

const WRAPPED = /^(\S*sh) (-l?c) (["'])([\s\S]*)\3$/;

/** The command as Codex gives it to its shell: `bash -lc 'ls'` in its parts, if what is quoted has no such quotes itself. */
function commandLine(command: string): JsonValue {
  const [, shell, option, quote, line] = WRAPPED.exec(command) ?? [];
  if (shell === undefined || line!.includes(quote!) || line!.includes("\\")) return command;
  return [shell, option!, line!];
}

function commandOutput(item: Fields): string {
  const output = asString(item["aggregated_output"]) ?? "";
  const code = item["exit_code"];
  return typeof code === "number" && code !== 0 ? `Exit code: ${code}\n${output}` : output;
}

/** The texts of an answer; of one that failed without an answer, its error. */
function mcpOutput({ result, error }: Fields): string | undefined {
  const parts = listOf(fieldsOf(result)["content"]);
  const texts = parts.map((part) => asString(fieldsOf(part)["text"]) ?? JSON.stringify(part));
  if (texts.length > 0) return texts.join("\n");
  return asString(fieldsOf(error)["message"]) ?? asString(error);
}
