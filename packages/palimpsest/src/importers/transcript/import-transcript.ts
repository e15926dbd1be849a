/**
 * Transcripts that are plain lists of what was said and called, without links between their records: `transcript.jsonl`
 * of Entire, `~/.claude/transcripts/ses_*.jsonl`, and the output of `gemini --output-format stream-json`.
 *
 * DESIGN. Words and calls of the agent are one message until a result or the user comes. Entire puts a result into its
 * call. Results without an id answer the oldest open call of the same tool.
 */
import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import {
  ASSISTANT,
  contentParts,
  type Fields,
  fieldsOf,
  parseTimestamp,
  TOOL,
  toolResult,
  USER,
} from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { Importer } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const transcript = {
  format: "transcript",
  recognises: (sample) => sample.some(isTranscriptRecord),
  begin: (repairs) => {
    const reader = new TranscriptReader(repairs);
    return { take: (record) => reader.read(record), finish: () => [reader.finish()] };
  },
} as const satisfies Importer;

function isTranscriptRecord(value: Fields): boolean {
  const { type, v: version, agent, tool_name: tool, content } = value;
  if (type === "tool_use" || type === "tool_result")
    return typeof tool === "string" || typeof value["tool_id"] === "string";
  if (type === "init") return typeof value["session_id"] === "string";
  const isSpeech = type === "user" || type === "assistant";
  if (isSpeech && version === 1 && typeof agent === "string") return Array.isArray(content);
  const hasOtherNames = ["message", "role", "uuid", "sessionId", "session_id"].some((name) =>
    Object.hasOwn(value, name),
  );
  return isSpeech && typeof content === "string" && typeof value["timestamp"] === "string" && !hasOtherNames;
}

/** Records that are known and say nothing in the conversation. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["result", "error"]);

interface OpenCall {
  readonly id: string;
  readonly name: string;
}

class TranscriptReader {
  readonly #repairs: RepairLog;
  readonly #builder: ConversationBuilder;
  #answer: { readonly content: ContentBlock[]; readonly record: SourceRecord } | undefined;
  #isInPieces = false;
  #open: OpenCall[] = [];
  #sessionId: string | undefined;
  #callsCount = 0;
  #recordCount = 0;

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
    this.#builder = new ConversationBuilder(repairs);
  }

  read(record: SourceRecord): void {
    const { value, line } = record;
    const type = asString(value["type"]) ?? "(no type)";
    const speaker = type === "message" ? value["role"] : type === "text" ? "assistant" : type;
    this.#recordCount++;
    if (speaker === "user") this.#readUser(record);
    else if (speaker === "assistant") this.#readAssistant(record);
    else if (type === "tool_use") this.#readCall(value["tool_id"], value, record);
    else if (type === "tool_result") this.#readResult(record);
    else if (type === "init") this.#readStart(value, line);
    else if (WITHOUT_EFFECT.has(type)) this.#builder.skip(type);
    else this.#builder.unknown(type, line);
  }

  finish(): RecordedSession {
    this.#endAnswer();
    return { sessionId: this.#sessionId, ...this.#builder.finish(), recordCount: this.#recordCount };
  }

  #readStart(value: Fields, line: number | undefined): void {
    this.#sessionId ??= asString(value["session_id"]);
    this.#builder.setMetadata("model", asString(value["model"]), line);
  }

  #readUser(record: SourceRecord): void {
    this.#endAnswer();
    const content = contentParts(record.value["content"]).flatMap((part) => this.#part(part, "user", record));
    if (content.length > 0)
      this.#builder.addMessage({ message: { ...USER, at: timeOf(record) }, content, line: record.line });
  }

  #readAssistant(record: SourceRecord): void {
    const { value } = record;
    const results: ContentBlock[] = [];
    const isPiece = value["delta"] === true;
    for (const part of contentParts(value["content"])) {
      if (isObject(part) && part["type"] === "tool_use") addAll(results, this.#readCallPart(part, record));
      else if (isPiece && this.#isInPieces) this.#extend(asString(part) ?? "");
      else this.#add(this.#part(part, "assistant", record), record);
    }
    this.#isInPieces = isPiece;
    if (results.length > 0) this.#addResults(results, record);
  }

  /** A call that holds its result. */
  #readCallPart(part: Fields, record: SourceRecord): readonly ContentBlock[] {
    const { id, name, input, result } = part;
    this.#add([this.#block({ type: "tool_use", id, name, input: input ?? {} }, "assistant", record)], record);
    if (!isObject(result)) return [];
    return [
      this.#block(toolResult(id, textOf(result["output"]), result["status"] === "error"), "user", record),
    ];
  }

  #readCall(
    givenId: unknown,
    { tool_name: name, tool_input, parameters }: Fields,
    record: SourceRecord,
  ): void {
    const id = asString(givenId) ?? `call_${++this.#callsCount}`;
    const input = tool_input ?? parameters ?? {};
    this.#isInPieces = false;
    this.#open.push({ id, name: asString(name) ?? "" });
    this.#add([this.#block({ type: "tool_use", id, name, input }, "assistant", record)], record);
  }

  #readResult(record: SourceRecord): void {
    const { tool_id: givenId, tool_name: name, tool_output, output, error, status } = record.value;
    const id = asString(givenId) ?? this.#open.find((call) => call.name === name)?.id;
    this.#open = this.#open.filter((call) => call.id !== id);
    const text = textOf(tool_output ?? output ?? error);
    this.#addResults([this.#block(toolResult(id, text, status === "error"), "user", record)], record);
  }

  #addResults(content: ContentBlock[], record: SourceRecord): void {
    this.#endAnswer();
    this.#builder.addMessage({ message: { ...TOOL, at: timeOf(record) }, content, line: record.line });
  }

  #part(part: unknown, role: "user" | "assistant", record: SourceRecord): readonly ContentBlock[] {
    if (typeof part === "string") return [{ type: "text", text: part }];
    const { type, text, source } = fieldsOf(part);
    if (text === "") return [];
    if (typeof text === "string") return [{ type: "text", text }];
    return [this.#block(type === "image" ? { type, source } : part, role, record)];
  }

  #block(value: unknown, role: "user" | "assistant", { line }: SourceRecord): ContentBlock {
    return wellFormedBlock(value, { role, onDamage: this.#repairs.blockDamage(line), original: value });
  }

  #add(content: readonly ContentBlock[], record: SourceRecord): void {
    if (content.length === 0) return;
    this.#answer ??= { content: [], record };
    addAll(this.#answer.content, content);
  }

  /** Adds to the last text, which comes in pieces. */
  #extend(text: string): void {
    const content = this.#answer?.content;
    const last = content?.at(-1);
    if (content !== undefined && last?.type === "text")
      content[content.length - 1] = { type: "text", text: last.text + text };
  }

  #endAnswer(): void {
    this.#isInPieces = false;
    if (this.#answer === undefined) return;
    const { content, record } = this.#answer;
    this.#builder.addMessage({ message: { ...ASSISTANT, at: timeOf(record) }, content, line: record.line });
    this.#answer = undefined;
  }
}

const timeOf = ({ value }: SourceRecord): number | undefined =>
  parseTimestamp(value["timestamp"] ?? value["ts"]);

/** The text of an output; of an object its text, where it has one, else all of it. */
function textOf(output: unknown): string | undefined {
  if (output === undefined || output === null) return undefined;
  if (typeof output === "string") return output;
  const { output: text, message } = fieldsOf(output);
  return asString(text) ?? asString(message) ?? JSON.stringify(output as JsonValue);
}
