/**
 * A very long log in the real format, written through the store: conversations with calls, answers and a
 * compaction for each full window, with a checkpoint behind each of them if that is asked for.
 */
import { conversation } from "../prepare-call/conversation.mjs";

/** Entries of one append: an answer and what it waits for. */
const BATCH_ENTRIES = 4;
const WINDOW_BYTES = 600_000;
const SUMMARY_CHARACTERS = 24_000;
const AT = 1_767_225_600_000;
const USAGE = { inputTokens: 2_000, cacheReadTokens: 98_000, cacheWriteTokens: 0, outputTokens: 200 };

export async function writeLongLog({ library, folder, sessionId, bytes, hasCheckpoints = false }) {
  const { FileSessionStore, nodeFileSystem, nodeHasher, randomIds } = await import(library);
  const store = new FileSessionStore({
    root: folder,
    fs: nodeFileSystem,
    hasher: nodeHasher,
    ids: randomIds,
  });
  const log = await store.create(sessionId);
  const entries = new EntryMaker(sessionId);
  let batch = [entries.header()];
  for (const step of conversation(3)) {
    batch.push(...entries.step(step));
    const isBoundary = batch.at(-1).type === "edit";
    if (batch.length < BATCH_ENTRIES && !(hasCheckpoints && isBoundary)) continue;
    const positions = await log.append(batch);
    const lastEdit = batch.findLastIndex(({ type }) => type === "edit");
    batch = [];
    // The window of a checkpoint is the summary alone where it stands right behind it.
    if (hasCheckpoints && lastEdit === positions.length - 1)
      await log.append([entries.checkpoint(positions[lastEdit])]);
    if (log.bytesWritten() >= bytes) break;
  }
  await log.append([entries.compaction()]);
  await log.close();
}

/** Entries in a row, each chained to the one before. */
class EntryMaker {
  #sessionId;
  #seq = 0;
  #windowFrom = 2;
  #windowBytes = 0;
  #summarySeq;

  constructor(sessionId) {
    this.#sessionId = sessionId;
  }

  header() {
    return this.#entry("header", { sessionId: this.#sessionId, createdBy: "palimpsest" });
  }

  step({ answer, arrived }) {
    const made = [];
    if (answer !== undefined) {
      const throughSeq = this.#seq;
      const call = this.#entry("call", { model: "claude-sonnet-4-5", throughSeq, estimatedTokens: 100_000 });
      made.push(call, this.#message(answer, "assistant"));
      made.push(this.#entry("answer", { callSeq: call.seq, usage: USAGE }));
    }
    made.push(...arrived.map((message) => this.#message(message, "user")));
    if (this.#windowBytes >= WINDOW_BYTES) made.push(this.compaction());
    return made;
  }

  /** Everything so far behind a summary. */
  compaction() {
    const to = this.#seq;
    const text = `Earlier: ${"the parser reads src/session/window-index.ts and keeps 4711 tokens; ".repeat(400)}`;
    const summary = { role: "user", content: [{ type: "text", text: text.slice(0, SUMMARY_CHARACTERS) }] };
    const hideInserted = this.#summarySeq === undefined ? [] : [this.#summarySeq];
    const effect = {
      hide: [{ from: this.#windowFrom, to }],
      hideInserted,
      insert: [{ afterSeq: to, messages: [summary] }],
    };
    const made = this.#entry("edit", {
      edit: { kind: "extractive", effect, reason: "usage", freedTokens: 150_000, isBoundary: true },
    });
    this.#summarySeq = made.seq;
    this.#windowFrom = to + 1;
    this.#windowBytes = 0;
    return made;
  }

  checkpoint(position) {
    const seq = this.#seq;
    return this.#entry("checkpoint", {
      runs: [{ from: seq, to: seq, position }],
      line: [{ from: 1, to: seq }],
      undone: [],
      pins: [],
      visibleCount: 1,
    });
  }

  #message({ role, content, responseId }, origin) {
    this.#windowBytes += JSON.stringify(content).length;
    return this.#entry("message", {
      role,
      content,
      origin,
      responseId,
    });
  }

  #entry(type, fields) {
    const seq = ++this.#seq;
    const parent = seq === 1 ? {} : { parentId: `e${seq - 1}` };
    return { type, seq, id: `e${seq}`, ...parent, v: 1, at: AT + seq * 1_000, ...fields };
  }
}
