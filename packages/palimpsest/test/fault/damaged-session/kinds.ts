/** All kinds of damage, chapter by chapter. */
import { BLOB_KINDS } from "./blob-kinds.ts";
import { BLOCK_KINDS } from "./block-kinds.ts";
import { BYTE_KINDS } from "./byte-kinds.ts";
import { CONTENT_KINDS } from "./content-kinds.ts";
import { EDIT_AND_CHECKPOINT_KINDS } from "./edit-kinds.ts";
import { ENTRY_KINDS } from "./entry-kinds.ts";
import type { Kind } from "./kind.ts";
import { LINE_KINDS } from "./line-kinds.ts";
import { PAIR_AND_ORDER_KINDS } from "./pair-kinds.ts";
import { TEXT_AND_THINKING_KINDS } from "./text-kinds.ts";

export const KINDS: readonly Kind[] = [
  ...BYTE_KINDS,
  ...LINE_KINDS,
  ...ENTRY_KINDS,
  ...BLOCK_KINDS,
  ...EDIT_AND_CHECKPOINT_KINDS,
  ...BLOB_KINDS,
  ...PAIR_AND_ORDER_KINDS,
  ...TEXT_AND_THINKING_KINDS,
  ...CONTENT_KINDS,
];
