/**
 * Writes a long recording: the recorded sessions of a tool one after the other, again and again with other ids, as one
 * session; without recorded ones, made-up sessions of the same form.
 */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Fields of Claude Code's records that name another record or a call. */
const ID_FIELDS = new Set([
  ...["uuid", "parentUuid", "logicalParentUuid", "leafUuid", "id", "tool_use_id"],
  ...["sourceToolAssistantUUID", "toolUseID", "parentToolUseID"],
]);

/** Writes at least `bytes` to `path`; `corpus` is a folder of recorded sessions, or empty. */
export function writeRecording({ tool, corpus, path, bytes }) {
  const sources = corpus === "" ? [madeUp(tool)] : recordedOf(join(corpus, "trajectories", tool));
  const output = openSync(path, "w");
  const state = { last: undefined, isBegun: false };
  let written = 0;
  for (let round = 0; written < bytes; round++) {
    for (const [index, lines] of sources.entries()) {
      for (const line of lines) {
        const text =
          tool === "codex" ? ofCodex(line, round, state) : ofClaude(line, `-${round}-${index}`, state);
        if (text !== undefined) written += writeSync(output, `${text}\n`);
        if (written >= bytes) break;
      }
      if (written >= bytes) break;
    }
  }
  closeSync(output);
  return written;
}

function recordedOf(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl.gz"))
    .map((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== ""),
    );
}

function ofClaude(line, tag, state) {
  let record;
  try {
    record = withIds(JSON.parse(line), tag);
  } catch {
    return undefined;
  }
  const isRoot = typeof record.uuid === "string" && record.parentUuid === null;
  if (isRoot && record.logicalParentUuid === undefined) record.parentUuid = state.last ?? null;
  if ((record.type === "user" || record.type === "assistant") && record.isSidechain !== true)
    state.last = record.uuid ?? state.last;
  return JSON.stringify(record);
}

function withIds(value, tag) {
  if (Array.isArray(value)) return value.map((item) => withIds(item, tag));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      ID_FIELDS.has(key) && typeof item === "string" ? item + tag : withIds(item, tag),
    ]),
  );
}

function ofCodex(line, round, state) {
  if (state.isBegun && line.includes('"session_meta"')) return undefined;
  state.isBegun = true;
  return line.replace(/"(call_(?!id")[A-Za-z0-9]+)"/g, (_, id) => `"${id}-${round}"`);
}

/** A hundred tool calls with results of some kilobytes, written a second time for the screen, as the tools do. */
function madeUp(tool) {
  const lines = [];
  let parentUuid = null;
  const claude = (type, content, more = {}) => {
    const uuid = `made-up-${lines.length}`;
    const message = { role: type, ...(type === "assistant" ? { id: `msg-${lines.length}` } : {}), content };
    lines.push(
      JSON.stringify({ type, uuid, parentUuid, sessionId: "made-up", cwd: "/harbour", message, ...more }),
    );
    parentUuid = uuid;
  };
  const codex = (type, payload) =>
    lines.push(JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload }));
  if (tool === "codex") codex("session_meta", { id: "made-up", cwd: "/harbour" });
  for (let call = 0; call < 100; call++) {
    const result = `src/harbour/quay-${call}.ts: the tide was in at ${call * 7} o'clock\n`.repeat(
      1 + (call % 97),
    );
    if (tool === "codex") {
      const call_id = `call_${call}`;
      codex("response_item", { type: "function_call", name: "shell", call_id, arguments: `{"n":${call}}` });
      codex("response_item", { type: "function_call_output", call_id, output: result });
      codex("event_msg", { type: "exec_command_end", call_id, stdout: result });
    } else {
      claude("assistant", [{ type: "tool_use", id: `call-${call}`, name: "Bash", input: { n: call } }]);
      claude("user", [{ type: "tool_result", tool_use_id: `call-${call}`, content: result }], {
        toolUseResult: { stdout: result },
      });
    }
  }
  return lines;
}
