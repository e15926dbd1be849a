/**
 * A reader of the log that uses nothing of the library, written from docs/reference/entries.md, and
 * the proof that it computes the same window, also after edits, an undo and a rewind.
 */
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, crc32 } from "node:zlib";
import { nodeSessions } from "palimpsest";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const HEAD = /^\{"crc":"([0-9a-f]{8})",/;

let packedCount = 0;

/** Five characters for four bytes; fewer at the end. */
function fromBase85(text) {
  const groups = text.match(/.{1,5}/g).map((group) => {
    const value = [...group.padEnd(5, "~")].reduce((sum, digit) => sum * 85 + DIGITS.indexOf(digit), 0);
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes.subarray(0, group.length - 1);
  });
  return Buffer.concat(groups);
}

/** Reads the entries of a log, in order, without damaged and void lines. */
function readEntries(bytes) {
  const entries = [];
  let batch = [];
  for (const line of bytes.toString("latin1").split("\n")) {
    const found = HEAD.exec(line);
    const body = Buffer.from(line.slice(found?.[0].length ?? 0), "latin1");
    if (found === null || crc32(body) !== Number.parseInt(found[1], 16)) continue;
    const { batch: mark, packed, ...plain } = JSON.parse(`{${body.toString("utf8")}`);
    // A line expands to at most 64 times its length.
    const limit = { maxOutputLength: line.length * 64 };
    const entry = packed
      ? { ...plain, ...JSON.parse(brotliDecompressSync(fromBase85(packed), limit).toString()) }
      : plain;
    packedCount += packed ? 1 : 0;
    const [index, count] = (mark ?? "1/1").split("/").map(Number);
    if (index === 1) batch = [];
    batch.push(entry);
    // Entries of one append count together.
    if (index === count) entries.push(...batch);
  }
  return entries;
}

/** Computes the window at the end of the entries: messages with the visible text of each block. */
function foldWindow(entries) {
  const lineAt = new Map([[0, []]]);
  let line = [];
  for (const entry of entries) {
    if (entry.edit?.kind === "rewind") line = lineAt.get(entry.edit.toSeq);
    line = [...line, entry];
    lineAt.set(entry.seq, line);
  }
  let window = line
    .filter(({ type }) => type === "message")
    .map(({ seq, content }) => ({ seq, blocks: content.map(shown) }));
  const edits = line.filter(({ type }) => type === "edit");
  const undone = new Set(edits.map(({ edit }) => edit.editSeq));
  for (const { seq: by, edit } of edits)
    if (edit.effect && !undone.has(by)) window = withEffect(window, edit.effect, by);
  return window;
}

function shown(block) {
  return block.type === "blob" ? block.shown : block;
}

function withEffect(window, { hide = [], hideInserted = [], forms = [], insert = [] }, by) {
  const isHidden = (seq) => hide.some(({ from, to }) => seq >= from && seq <= to);
  let next = window.filter((message) =>
    message.by ? !hideInserted.includes(message.by) : !isHidden(message.seq),
  );
  for (const form of forms)
    next = next.map((message) =>
      message.seq === form.seq && message.by === form.insertedBy
        ? { ...message, blocks: message.blocks.map((block, at) => (at === form.block ? form.shown : block)) }
        : message,
    );
  for (const { afterSeq, messages } of insert) {
    const at = next.findLastIndex(({ seq }) => seq <= afterSeq) + 1;
    next = next.toSpliced(at, 0, ...messages.map(({ content }) => ({ seq: afterSeq, by, blocks: content })));
  }
  return next;
}

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
// This policy acts late and makes edits of every kind.
const window = { windowTokens: 16_000, policy: "faithful" };
const session = await nodeSessions({ folder }).create({ window });
const file = join(folder, `${session.id}.jsonl`);
const check = (what) => {
  const mine = foldWindow(readEntries(readFileSync(file))).map(({ blocks }) => blocks.filter(Boolean));
  const theirs = session.visible.map(({ blocks }) => blocks.map(({ block }) => block));
  assert.deepEqual(mine, theirs, what);
};

const seqs = [];
const kinds = new Set();
const edits = [];
for (let turn = 1; turn <= 120; turn++) {
  const input = { path: `src/${turn}.ts` };
  const content = [{ type: "tool_use", id: `toolu_${turn}`, name: "read_file", input }];
  const text = `export const value_${turn} = ${turn};\n`.repeat(turn % 7 === 0 ? 900 : 60);
  seqs.push(
    ...(await session.append({ role: "user", content: [{ type: "text", text: `Read file ${turn}.` }] })),
  );
  const call = await session.prepare({ model: "claude-opus-4-5" });
  for (const { seq, edit } of call.edits) {
    kinds.add(edit.kind);
    edits.push(seq);
  }
  await session.record({ messages: [{ role: "assistant", responseId: `msg_${turn}`, content }] });
  const result = { type: "tool_result", tool_use_id: `toolu_${turn}`, content: text };
  await session.append({ role: "user", content: [result] });
  check(`after turn ${turn}`);
}
assert.ok(kinds.has("extractive"), `compacted, too: ${[...kinds].join(", ")}`);
assert.ok(packedCount > 0, "summaries lie packed in their lines");

// The hidden messages may no longer fit the window: then undo is refused, with the figures.
let undone;
for (const seq of edits.toReversed()) {
  undone = await session.undo(seq).then(
    () => seq,
    ({ code }) => assert.equal(code, "UNDO_REFUSED"),
  );
  if (undone !== undefined) break;
}
assert.ok(undone, "one of the edits can be taken back");
check("after an undo");
await session.rewind(seqs[20]);
check("after a rewind");
await session.append({ role: "user", content: [{ type: "text", text: "Another way, then." }] });
check("after going on from there");
await session.close();

appendFileSync(file, '{"crc":"00000000","type":"message","seq":9999,"half a line');
check("with half a line at the end");
rmSync(folder, { recursive: true });
console.log(`The same window after ${[...kinds].join(", ")}, undo, rewind and a torn line.`);
