/**
 * Blocks that lie outside the log and are shown whole, media above all: put back into their entry
 * before it is folded. A block whose blob is gone keeps the form that the log holds.
 */
import { isObject, parseJson } from "../../base/json/json.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { BlobBlock, Entry, MessageEntry, StoredBlock } from "../../transcript/entries.ts";
import { findBlockMisfit } from "../../transcript/entry-shape.ts";

/** The entry as the projection wants it. The same object where nothing lies outside. */
export async function hydrate(entry: Entry, log: Pick<SessionLog, "getBlob">): Promise<Entry> {
  if (!needsHydrating(entry)) return entry;
  const content = await Promise.all(
    entry.content.map((block) => (isShownWhole(block) ? readWhole(block, log) : block)),
  );
  return { ...entry, content };
}

/** True if the entry has a part in a blob that is shown whole. */
export function needsHydrating(entry: Entry): entry is MessageEntry {
  return entry.type === "message" && entry.content.some(isShownWhole);
}

/** The whole block behind a reference, or `undefined` where its blob is gone or holds no block. */
export async function readBlock(
  block: BlobBlock,
  log: Pick<SessionLog, "getBlob">,
): Promise<ContentBlock | undefined> {
  const text = await log.getBlob(block.blob.hash);
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.ok === true && isObject(parsed.value) && findBlockMisfit(parsed.value) === undefined
    ? (parsed.value as unknown as ContentBlock)
    : undefined;
}

/** The block as the log shows it. */
export function shownOf(block: StoredBlock): ContentBlock {
  return block.type === "blob" ? block.shown : block;
}

async function readWhole(block: BlobBlock, log: Pick<SessionLog, "getBlob">): Promise<StoredBlock> {
  try {
    return (await readBlock(block, log)) ?? block;
  } catch {
    // A damaged blob is reported where someone asks for it; the window shows the form in the log.
    return block;
  }
}

function isShownWhole(block: StoredBlock): block is BlobBlock {
  return block.type === "blob" && block.view === "whole";
}
