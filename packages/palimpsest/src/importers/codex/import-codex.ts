/**
 * Codex rollouts (`~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`), all versions.
 *
 * DESIGN. Three things are written side by side. `response_item` records are the conversation, item
 * by item as it went to the OpenAI Responses API. `event_msg` records are what the screen showed:
 * most of them say the same again and are only counted, but token counts, aborted turns and
 * rollbacks are recorded nowhere else. The other records describe the session. After a compaction the
 * file goes on with what is new; what stayed in the window is listed in the record of the compaction
 * (`codex-replacement.ts`).
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { ConversationBuilder } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { Importer, SessionReader } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import type { RepairLog } from "../shared/repair-log.ts";
import { CodexConversation } from "./codex-conversation.ts";
import { codexItem, findable } from "./codex-item.ts";
import { CodexMetadata } from "./codex-metadata.ts";
import { type CodexRecord, codexRecord, codexTokenCount, codexUsage, isBareHeader } from "./codex-record.ts";
import { codexReplacement, isEncryptedSummary } from "./codex-replacement.ts";
import { beginRun, isRunEvent } from "./codex-run.ts";

/** @internal */
export const codex = {
  format: "codex",
  recognises: (sample) => sample.some((value) => isCodexRecord(value) || isRunEvent(value)),
  begin,
} as const satisfies Importer;

/** Record types that only Codex writes. */
const CODEX_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
  "world_state",
  "token_usage_record",
]);

function isCodexRecord(value: Fields): boolean {
  const isRecord = CODEX_TYPES.has(value["type"]) && isObject(value["payload"]);
  return isRecord || value["record_type"] === "state" || isBareHeader(value);
}

/** Imports what the first record that tells is of: a rollout, or the output of a run. */
function begin(repairs: RepairLog): SessionReader {
  const first: SourceRecord[] = [];
  let reader: SessionReader | undefined;
  const choose = (isRun: boolean): SessionReader => {
    const chosen = (isRun ? beginRun : beginRollout)(repairs);
    for (const record of first) chosen.take(record);
    return chosen;
  };
  return {
    take: (record) => {
      if (reader !== undefined) {
        reader.take(record);
        return;
      }
      first.push(record);
      if (isRunEvent(record.value)) reader = choose(true);
      else if (isCodexRecord(record.value)) reader = choose(false);
    },
    finish: () => (reader ?? choose(false)).finish(),
  };
}

/** Imports one rollout. */
function beginRollout(repairs: RepairLog): SessionReader {
  const reader = new CodexReader(repairs);
  let recordCount = 0;
  return {
    take: (record) => reader.read(codexRecord(record, recordCount++)),
    finish: () => [{ ...reader.finish(), recordCount }],
  };
}

/** Record types that are known and say nothing in the conversation. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "world_state",
  "inter_agent_communication_metadata",
  "security_risk_score",
  "state",
]);

/** Items that are known and are never shown to the model. */
const ITEMS_NOT_SHOWN: ReadonlySet<string> = new Set(["ghost_snapshot", "compaction_trigger"]);

class CodexReader {
  readonly #repairs: RepairLog;
  readonly #conversation = new CodexConversation();
  readonly #builder: ConversationBuilder;
  readonly #metadata: CodexMetadata;
  #lastTokenCount: string | undefined;

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
    this.#builder = new ConversationBuilder(repairs);
    this.#metadata = new CodexMetadata(this.#builder);
  }

  read(record: CodexRecord): void {
    const { type, kind, line } = record;
    if (type === "response_item") this.#readItem(record, record.payload);
    else if (type === "event_msg") this.#readEvent(record);
    else if (type === "compacted") this.#readCompaction(record);
    else if (type === "token_usage_record") this.#readUsage(record);
    else if (type === "inter_agent_communication")
      this.#readItem(record, { ...record.payload, type: "agent_message" });
    else if (WITHOUT_EFFECT.has(type)) this.#builder.skip(kind);
    else if (!this.#metadata.take(record)) this.#builder.unknown(kind, line);
  }

  finish(): RecordedSession {
    const description = this.#metadata.finish();
    const takenBackCount = this.#conversation.finish(this.#builder, {
      isSidechain: description.isSidechain === true,
    });
    if (takenBackCount > 0) this.#builder.skip("compacted (taken back)", takenBackCount);
    return { ...description, ...this.#builder.finish() };
  }

  #readItem(record: CodexRecord, raw: Fields, hostId?: string): void {
    const { line } = record;
    if (ITEMS_NOT_SHOWN.has(String(raw["type"])) || this.#metadata.takeTools(raw)) {
      this.#builder.skip(record.kind);
      return;
    }
    if (typeof raw["type"] !== "string") {
      this.#repairs.add("bad-record", "an item without a type; left out", line);
      return;
    }
    const item = codexItem(raw, this.#repairs.blockDamage(line));
    if (item === undefined) {
      // An item of reasoning may hold nothing that anybody could read; a message by no one is damage.
      if (raw["type"] === "message") this.#repairs.add("bad-record", "a message by nobody; left out", line);
      else this.#builder.skip(record.kind);
      return;
    }
    const entry = {
      item,
      raw: findable(raw),
      record: { hostId: record.hostId, line, at: record.at },
      model: this.#metadata.model,
      hostId,
    };
    if (hostId === undefined && this.#conversation.isWrittenAgain(entry))
      this.#builder.skip(`${record.kind} (again)`);
    else this.#conversation.add(entry);
  }

  #readEvent(record: CodexRecord): void {
    const { payload, kind, line } = record;
    switch (payload["type"]) {
      case "token_count":
        if (!this.#readTokenCount(record)) this.#builder.skip(kind);
        return;
      case "turn_aborted":
        this.#conversation.abortTurn();
        break;
      case "task_started":
      case "turn_started":
        this.#conversation.startTurn();
        break;
      case "thread_rolled_back":
        this.#conversation.rollBack(Math.max(0, Math.trunc(asNumber(payload["num_turns"]) ?? 0)));
        break;
      case "thread_name_updated":
        this.#builder.setMetadata("title", asString(payload["thread_name"]) || undefined, line);
        break;
      case undefined:
        this.#repairs.add("bad-record", "an event without a type; ignored", line);
        return;
      default:
        break;
    }
    this.#builder.skip(kind);
  }

  /** True if the event told something new; limits that changed make Codex write the last count again. */
  #readTokenCount(record: CodexRecord): boolean {
    const count = codexTokenCount(record);
    if (count === undefined) return false;
    if (count.usage === undefined)
      return count.contextTokens !== undefined && this.#conversation.contextCounted(count.contextTokens);
    if (count.fingerprint === this.#lastTokenCount) return false;
    this.#lastTokenCount = count.fingerprint;
    return this.#conversation.bill(count.usage);
  }

  /** Newer versions write what was billed a second time, with the id of the response. */
  #readUsage(record: CodexRecord): void {
    const { payload, kind } = record;
    const usage = codexUsage(payload["usage"]);
    const isOwn = this.#metadata.isOwnThread(payload["thread_id"]);
    const isTaken =
      usage !== undefined && isOwn && this.#conversation.bill(usage, asString(payload["response_id"]));
    if (!isTaken) this.#builder.skip(kind);
  }

  #readCompaction(record: CodexRecord): void {
    const { payload, hostId, line, at } = record;
    const { preserved, summary, opaqueSummary, restated, unreadableCount } = codexReplacement(
      payload,
      this.#conversation,
    );
    this.#conversation.takeSummaryAnswer(({ entry, content }) => {
      const texts = content.map((block) => (block.type === "text" ? block.text : ""));
      const text = texts.join("\n").trim();
      return isEncryptedSummary(entry.raw) || (text !== "" && summary?.endsWith(text) === true);
    });
    this.#conversation.addBoundary({ type: "boundary", hostId, preserved, summary, opaqueSummary, at, line });
    if (unreadableCount > 0)
      this.#repairs.add(
        "bad-record",
        `${unreadableCount} elements of a new history are no items; left out`,
        line,
      );
    restated.forEach((item, index) => {
      this.#readItem(record, item, `${hostId}.${index + 1}`);
    });
    this.#conversation.closeResponse();
  }
}
