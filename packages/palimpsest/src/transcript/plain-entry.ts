/**
 * Entries that say one text and nothing else, as most do: what their line has in front of that text.
 *
 * An append is mostly the making of its line. Of these entries all but the text is known beforehand, so they
 * need neither the tables of shapes nor `JSON.stringify`, and take a third of the time. The line is the same
 * to the byte as that of `formatEntry`, which writes whatever is not plain.
 */
import { ENTRY_VERSION, type Entry, type StoredBlock } from "./entries.ts";
import { isSeq } from "./entry-shape.ts";
import { originOf } from "./short-entry.ts";

/** An entry's JSON is `before`, then `text` as JSON writes it, without its quotes, then {@link BEHIND_TEXT}. */
interface PlainEntry {
  readonly before: string;
  readonly text: string;
}

export const BEHIND_TEXT = '"}]}';

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);
/** What a message has beside its `parentId`, which the first entry lacks. The content stands last. */
const MESSAGE_FIELDS = ["type", "seq", "id", "v", "at", "role", "origin", "content"];
const TEXT_FIELDS = ["type", "text"];
const RESULT_FIELDS = ["type", "tool_use_id", "content"];
/** By code, of those below 128, whether a character stands in an id as it is in JSON. */
const IS_PLAIN = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w.-]/.test(String.fromCharCode(code))),
);

/** `undefined` where it says anything more, or anything else. */
export function findPlainEntry(entry: Entry): PlainEntry | undefined {
  if (entry.type !== "message") return undefined;
  const { seq, id, parentId, v, at, role, origin, content } = entry;
  const hasParent = parentId !== undefined;
  const fields = Object.keys(entry);
  const fieldCount = MESSAGE_FIELDS.length + (hasParent ? 1 : 0);
  if (fields.length !== fieldCount || fields[fieldCount - 1] !== "content") return undefined;
  if (!isSeq(seq) || !isPlainId(id) || (hasParent && !isPlainId(parentId))) return undefined;
  if (v !== ENTRY_VERSION || !Number.isFinite(at) || !ROLES.has(role)) return undefined;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const block = findPlainBlock(content[0]);
  if (block === undefined || origin !== originOf(role, content)) return undefined;
  const parent = hasParent ? `"parentId":"${parentId}",` : "";
  const head = `{"type":"message","seq":${seq},"id":"${id}",${parent}"at":${at},"role":"${role}","content":[`;
  return { before: `${head}${block.before}`, text: block.text };
}

/** A text, or a tool's result that is one. Its fields stay in the order in which they came. */
function findPlainBlock(block: StoredBlock): PlainEntry | undefined {
  if (block?.type === "text") {
    const isPlain = hasFields(block, TEXT_FIELDS) && typeof block.text === "string";
    return isPlain ? { before: '{"type":"text","text":"', text: block.text } : undefined;
  }
  if (block?.type !== "tool_result" || !hasFields(block, RESULT_FIELDS)) return undefined;
  const { tool_use_id: id, content: text } = block;
  if (!isPlainId(id) || typeof text !== "string") return undefined;
  return { before: `{"type":"tool_result","tool_use_id":"${id}","content":"`, text };
}

function hasFields(block: StoredBlock, fields: readonly string[]): boolean {
  const own = Object.keys(block);
  return own.length === fields.length && own.every((field, index) => field === fields[index]);
}

/** Letter by letter: half of what a pattern takes of a text that is new each time. */
function isPlainId(id: unknown): boolean {
  if (typeof id !== "string") return false;
  for (let index = 0; index < id.length; index++) if (IS_PLAIN[id.charCodeAt(index)] !== 1) return false;
  return id.length > 0;
}
