/**
 * Recorded sessions as the estimator is judged by them: which messages were added between two model
 * calls, and what the provider billed for both.
 *
 * This reader is small on purpose and knows nothing of `packages/palimpsest/src/importers`, so that a mistake of an
 * importer cannot make the estimator look right. Traps it minds: Claude Code writes one line per
 * content block and repeats the usage on each; early versions log a placeholder instead of the
 * final output count; rewound branches and side chains are not part of the conversation.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Reads every recorded session of the folders that carry usage. */
export function loadRecordedSessions(corpusFolder) {
  const sessions = [];
  for (const [folder, read] of [
    ["claude-code", readClaudeCode],
    ["pi", readPi],
  ]) {
    const path = join(corpusFolder, "trajectories", folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path).sort()) {
      const records = readRecords(join(path, name));
      const calls = read(records);
      if (calls.length > 0)
        sessions.push({ name: basename(name).replace(/\..*$/, ""), format: folder, calls });
    }
  }
  return sessions;
}

function readRecords(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const records = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    try {
      records.push(JSON.parse(line));
    } catch {
      // A torn line says nothing about tokens.
    }
  }
  return records;
}

/** Collects calls; everything that happens between two of them is noted on the later one. */
class CallCollector {
  calls = [];
  added = [];
  gaps = new Set();

  gap(kind) {
    this.gaps.add(kind);
  }

  add(message) {
    if (message.content.length > 0) this.added.push(message);
    if (message.content.some(holdsMedia)) this.gaps.add("media");
  }

  call({ model, usage, isOutputFinal }) {
    const call = { model, usage, isOutputFinal, reply: { role: "assistant", content: [] } };
    call.added = this.added;
    call.gaps = [...this.gaps];
    this.added = [];
    this.gaps = new Set();
    this.calls.push(call);
    return call;
  }
}

const holdsMedia = (block) =>
  block.type === "image" ||
  block.type === "document" ||
  (block.type === "tool_result" && Array.isArray(block.content) && block.content.some(holdsMedia));

function readClaudeCode(records) {
  const live = liveRecords(records);
  const collector = new CallCollector();
  const byResponse = new Map();
  for (const record of records) {
    if (record.isSidechain) continue;
    if (record.type === "attachment") collector.gap("attachment");
    if (record.type === "system" && /compact_boundary$/.test(record.subtype ?? "")) collector.gap("boundary");
    if (record.type !== "user" && record.type !== "assistant") continue;
    if (!live.has(record)) {
      collector.gap("branch");
      continue;
    }
    const content = blocksOf(record.message?.content);
    if (record.type === "user") {
      if (record.isCompactSummary) collector.gap("boundary");
      collector.add({ role: "user", content });
    } else if (record.isApiErrorMessage || record.message?.model === "<synthetic>") {
      collector.gap("error");
    } else {
      const usage = claudeUsage(record.message?.usage);
      if (usage === undefined) continue;
      let call = byResponse.get(record.message.id);
      if (call === undefined) {
        call = collector.call({ model: record.message.model, usage, isOutputFinal: false });
        byResponse.set(record.message.id, call);
      }
      call.usage = { ...call.usage, outputTokens: Math.max(call.usage.outputTokens, usage.outputTokens) };
      call.isOutputFinal ||= record.message.stop_reason != null;
      call.reply.content.push(...content);
    }
  }
  return collector.calls;
}

/** The records on the line that ends with the last message; a rewind leaves the others behind. */
function liveRecords(records) {
  const byId = new Map(records.filter((record) => record.uuid).map((record) => [record.uuid, record]));
  const position = new Map(records.map((record, index) => [record, index]));
  const isConversation = (record) =>
    (record.type === "user" || record.type === "assistant") && record.isSidechain !== true;
  const live = new Set();
  let at = records.findLastIndex(isConversation);
  while (at >= 0 && !live.has(records[at])) {
    const record = records[at];
    live.add(record);
    const parent = byId.get(record.parentUuid ?? record.logicalParentUuid);
    const parentAt = parent === undefined ? -1 : position.get(parent);
    at =
      parentAt >= 0 && parentAt < at
        ? parentAt
        : records.findLastIndex((one, index) => index < at && isConversation(one));
  }
  // Parallel calls fork the chain: the other blocks of a live reply and the answers to its calls are live, too.
  const responses = new Set();
  const callIds = new Set();
  for (const record of live) if (record.type === "assistant") responses.add(record.message?.id);
  for (const record of records) {
    if (record.type !== "assistant" || record.isSidechain || !responses.has(record.message?.id)) continue;
    live.add(record);
    for (const block of blocksOf(record.message.content))
      if (block.type === "tool_use") callIds.add(block.id);
  }
  for (const record of records) {
    if (record.type !== "user" || record.isSidechain) continue;
    if (blocksOf(record.message?.content).some((block) => callIds.has(block.tool_use_id))) live.add(record);
  }
  return live;
}

function blocksOf(content) {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

function claudeUsage(usage) {
  if (usage === undefined || usage === null) return undefined;
  const found = {
    inputTokens: usage.input_tokens ?? 0,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    outputTokens: usage.output_tokens ?? 0,
  };
  return found.inputTokens + found.cacheReadTokens + found.cacheWriteTokens > 0 ? found : undefined;
}

function readPi(records) {
  const collector = new CallCollector();
  for (const record of records) {
    if (record.type === "compaction") collector.gap("boundary");
    if (record.type !== "message") continue;
    const { role, content, usage, stopReason, model } = record.message;
    if (role === "user") collector.add({ role, content: piBlocks(content) });
    if (role === "toolResult") {
      const result = {
        type: "tool_result",
        tool_use_id: record.message.toolCallId,
        content: piBlocks(content),
      };
      collector.add({ role: "user", content: [result] });
    }
    if (role === "bashExecution") collector.gap("attachment");
    if (role !== "assistant") continue;
    const billed = { inputTokens: usage?.input ?? 0, cacheReadTokens: usage?.cacheRead ?? 0 };
    const prompt = billed.inputTokens + billed.cacheReadTokens + (usage?.cacheWrite ?? 0);
    if (stopReason === "aborted" || stopReason === "error" || prompt === 0) {
      collector.gap("error");
      continue;
    }
    const call = collector.call({
      model,
      usage: { ...billed, cacheWriteTokens: usage.cacheWrite ?? 0, outputTokens: usage.output ?? 0 },
      isOutputFinal: true,
    });
    call.reply.content.push(...piBlocks(content));
  }
  return collector.calls;
}

function piBlocks(content) {
  return blocksOf(content).map((block) =>
    block.type === "toolCall"
      ? { type: "tool_use", id: block.id, name: block.name, input: block.arguments }
      : block.type === "image"
        ? { type: "image", source: { data: block.data, media_type: block.mimeType } }
        : block,
  );
}
