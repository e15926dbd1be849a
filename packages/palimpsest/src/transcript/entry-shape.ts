/**
 * Checks if a value read from a log has the shape of an entry, before other code trusts its types. People and other
 * programs may have changed the file.
 *
 * The shapes are tables with one row for each field that code relies on. Other fields are kept unchecked. If a block does
 * not fit its type, the message is kept: the block becomes an opaque block of the provider `unknown`, which is never sent.
 */
import { isObject, type JsonValue } from "../base/json/json.ts";
import { type ContentBlock, SERVER_TOOL_RESULT_TYPES } from "./blocks.ts";

/** Largest sequence number that is accepted. No log has as many entries, so a larger number is damage. */
const LARGEST_SEQ = 2 ** 48;

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isAmount: Check = (value) => isNumber(value) && (value as number) >= 0;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** True for a sequence number. The limit leaves room to count on, even from a wrong number. */
export const isSeq: Check = (value) => isCount(value) && value !== 0 && (value as number) <= LARGEST_SEQ;
const isFlag: Check = (value) => typeof value === "boolean";
const isGiven: Check = (value) => value !== undefined;
const isHash: Check = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf = (...values: readonly unknown[]): Check => {
  const known = new Set(values);
  return (value) => known.has(value);
};
const objectOf = (shape: Shape): Check => {
  const fields = Object.entries(shape);
  return (value) => isObject(value) && fields.every(([field, check]) => check(value[field]));
};

const isBlobRef = objectOf({ hash: isHash, bytes: isCount });
const isRole = oneOf("user", "assistant", "system");
const isRange = objectOf({ from: isCount, to: isCount });

const isTextPart = objectOf({ text: isText });
const isResultPart: Check = (value) =>
  isObject(value) && isText(value["type"]) && (value["type"] !== "text" || isTextPart(value));
const isResultContent: Check = (value) => isText(value) || listOf(isResultPart)(value);
const SOURCED: Shape = { source: isObject };
const USE: Shape = { id: isText, name: isText, input: isGiven };

const BLOCK_FIELDS: ReadonlyMap<unknown, readonly (readonly [string, Check])[]> = new Map(
  Object.entries<Shape>({
    text: { text: isText },
    image: SOURCED,
    document: SOURCED,
    thinking: { thinking: isText, signature: optional(isText) },
    redacted_thinking: { data: isText },
    tool_use: USE,
    tool_result: {
      tool_use_id: isText,
      content: optional(isResultContent),
      is_error: optional(isFlag),
    },
    server_tool_use: USE,
    mcp_tool_use: USE,
    ...Object.fromEntries(SERVER_TOOL_RESULT_TYPES.map((type) => [type, { tool_use_id: isText }])),
    compaction: { content: (value: unknown) => value === null || isText(value) },
    opaque: { provider: isText, value: isGiven },
  }).map(([type, shape]: readonly [string, Shape]) => [type, Object.entries(shape)] as const),
);

/** True if this module knows the shape of blocks of this type. Blocks of other types are carried as opaque ones. */
export function isKnownBlockType(type: unknown): boolean {
  return BLOCK_FIELDS.has(type);
}

/** Returns the first field of a block that is missing or wrong for its type; `undefined` if all fit. */
export function findBlockMisfit(value: Readonly<Record<string, unknown>>): string | undefined {
  const fields = BLOCK_FIELDS.get(value["type"]);
  if (fields === undefined) return "type";
  for (const [field, check] of fields) if (!check(value[field])) return field;
  return undefined;
}

const isContentBlock: Check = (value) => isObject(value) && findBlockMisfit(value) === undefined;
const isBlobBlock = objectOf({
  type: oneOf("blob"),
  blob: isBlobRef,
  view: oneOf("preview", "whole"),
  shown: isContentBlock,
});
const isStoredBlock: Check = (value) => isContentBlock(value) || isBlobBlock(value);

const isInsertedMessage = objectOf({
  role: isRole,
  content: listOf(isContentBlock),
  origin: optional(isText),
});
const isEffect = objectOf({
  hide: optional(listOf(isRange)),
  forms: optional(
    listOf(
      objectOf({
        seq: isCount,
        block: isCount,
        shown: optional(isContentBlock),
        blob: optional(isBlobRef),
      }),
    ),
  ),
  insert: optional(listOf(objectOf({ afterSeq: isCount, messages: listOf(isInsertedMessage) }))),
});
const isLoss = objectOf({
  messages: isCount,
  blocks: isCount,
  files: listOf(isText),
  commands: listOf(isText),
  strings: listOf(isText),
  userMessages: isCount,
  recovery: isText,
});
const isPin = objectOf({ seq: isCount, block: optional(isCount) });

/** Edits that carry no effect on messages as data. */
const PLAIN_EDIT_SHAPES: ReadonlyMap<unknown, Check> = new Map<unknown, Check>([
  [
    "provider-clear",
    objectOf({
      freedTokens: isNumber,
      reason: isText,
      effect: optional(isEffect),
      loss: optional(isLoss),
      cleared: optional(
        objectOf({ throughSeq: isCount, keptTools: listOf(isText), thinkingThroughSeq: optional(isCount) }),
      ),
    }),
  ],
  ["pin", isPin],
  ["unpin", isPin],
  ["undo", objectOf({ editSeq: isCount })],
  ["rewind", objectOf({ toSeq: isCount })],
]);
/** Any edit that carries its effect as data can be folded, whatever layer made it. */
const isEffectEdit = objectOf({
  kind: isText,
  effect: isEffect,
  reason: isText,
  freedTokens: optional(isNumber),
  loss: optional(isLoss),
  isBoundary: optional(isFlag),
});
const isEdit: Check = (value) =>
  isObject(value) && (PLAIN_EDIT_SHAPES.get(value["kind"])?.(value) ?? isEffectEdit(value));

const BASE_FIELDS: readonly (readonly [string, Check])[] = Object.entries({
  type: isText,
  seq: isSeq,
  id: isText,
  parentId: optional(isText),
  v: (value: unknown) => isCount(value) && (value as number) >= 1,
  at: isNumber,
});

const ENTRY_FIELDS: ReadonlyMap<unknown, readonly (readonly [string, Check])[]> = new Map(
  Object.entries<Shape>({
    header: {
      sessionId: isText,
      createdBy: isText,
      scope: optional(objectOf({ tenant: optional(isText), project: optional(isText) })),
      workingCopy: optional(isText),
      parent: optional(objectOf({ sessionId: isText, entryId: isText })),
      purpose: optional(isText),
      source: optional(
        objectOf({
          format: isText,
          sessionId: optional(isText),
          firstAt: optional(isNumber),
          lastAt: optional(isNumber),
        }),
      ),
    },
    message: {
      role: isRole,
      content: listOf(isStoredBlock),
      origin: isText,
      responseId: optional(isText),
      model: optional(isText),
      hostId: optional(isText),
      interrupted: optional(isFlag),
      answerTo: optional(isCount),
      saidAt: optional(isNumber),
    },
    call: {
      model: isText,
      throughSeq: isCount,
      parameters: optional(isObject),
      betas: optional(listOf(isText)),
      system: optional(isBlobRef),
      tools: optional(isBlobRef),
      fixedAs: optional(isCount),
      breakpoints: optional(listOf(isCount)),
      estimatedTokens: isNumber,
      fixedTokens: optional(isNumber),
      windowTokens: optional(isNumber),
    },
    answer: {
      callSeq: isCount,
      usage: optional(
        objectOf({
          inputTokens: isAmount,
          cacheReadTokens: isAmount,
          cacheWriteTokens: isAmount,
          outputTokens: isAmount,
        }),
      ),
      stopReason: optional(isText),
      error: optional(objectOf({ code: isText, message: isText })),
    },
    edit: { edit: isEdit },
    metadata: { key: isText, value: isGiven },
    checkpoint: {
      runs: listOf(objectOf({ from: isCount, to: isCount, position: isCount })),
      line: listOf(isRange),
      undone: listOf(isCount),
      pins: listOf(isPin),
      visibleCount: optional(isCount),
      carried: optional(isObject),
    },
  }).map(([type, shape]: readonly [string, Shape]) => [type, Object.entries(shape)] as const),
);

/** True if entries of this type are known to this version. */
export function isKnownEntryType(type: unknown): boolean {
  return ENTRY_FIELDS.has(type);
}

/** True if the value is an edit of an unknown kind without an effect, which this version cannot fold. */
export function isForeignEdit(edit: unknown): boolean {
  return (
    isObject(edit) && isText(edit["kind"]) && !PLAIN_EDIT_SHAPES.has(edit["kind"]) && !("effect" in edit)
  );
}

/** Returns the first missing or wrong field among those that every entry has; `undefined` if all fit. */
export function findBaseMisfit(value: Readonly<Record<string, unknown>>): string | undefined {
  return BASE_FIELDS.find(([field, check]) => !check(value[field]))?.[0];
}

/** Returns the first field that is missing or wrong for the entry's type; `undefined` if all fit. */
export function findEntryMisfit(value: Readonly<Record<string, unknown>>): string | undefined {
  const base = findBaseMisfit(value);
  if (base !== undefined) return base;
  const fields = ENTRY_FIELDS.get(value["type"]);
  return fields === undefined ? "type" : fields.find(([field, check]) => !check(value[field]))?.[0];
}

/** Returns the block itself if it fits its type, else an opaque block around it that is sent to no provider. */
function repairBlock(value: unknown, fits: Check): ContentBlock {
  if (fits(value)) return value as ContentBlock;
  return { type: "opaque", provider: "unknown", value: (value ?? null) as JsonValue };
}

const repairList = (value: unknown, repair: (item: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(repair) : value;

function repairInsertion(insertion: unknown): unknown {
  if (!isObject(insertion)) return insertion;
  const messages = repairList(insertion["messages"], (message) =>
    isObject(message)
      ? { ...message, content: repairList(message["content"], (block) => repairBlock(block, isContentBlock)) }
      : message,
  );
  return { ...insertion, messages };
}

function repairEdit(edit: unknown): unknown {
  const effect = isObject(edit) ? edit["effect"] : undefined;
  if (!isObject(edit) || !isObject(effect)) return edit;
  const forms = repairList(effect["forms"], (form) =>
    isObject(form) && form["shown"] !== undefined
      ? { ...form, shown: repairBlock(form["shown"], isContentBlock) }
      : form,
  );
  const insert = repairList(effect["insert"], repairInsertion);
  const repaired = {
    ...effect,
    ...(forms !== undefined && { forms }),
    ...(insert !== undefined && { insert }),
  };
  return { ...edit, effect: repaired };
}

/** Returns a copy of the entry in which every block that does not fit its type is wrapped in an opaque one. */
export function repairBlocks(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (value["type"] === "edit") return { ...value, edit: repairEdit(value["edit"]) };
  if (value["type"] !== "message") return { ...value };
  return { ...value, content: repairList(value["content"], (block) => repairBlock(block, isStoredBlock)) };
}
