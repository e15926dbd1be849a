/**
 * The two tools by which an agent reaches what is no longer in its window, as data, and the texts
 * of their answers. They need neither a shell nor a file system: pointers are enough.
 */
import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { cutHead } from "../../base/text/text.ts";
import { formatThousands } from "../../compaction/preview/preview.ts";
import { formatPointer, formatReadCall, parsePointer } from "../../compaction/shared/pointer.ts";
import type { HistoryHit } from "./search/history-search.ts";

/** Most hits of one search. Our choice. */
const SEARCH_HITS_MAX = 30;

/** A tool in the vocabulary that every provider's format is made from. */
export interface HistoryTool {
  readonly name: "history_search" | "history_read";
  readonly description: string;
  readonly inputSchema: JsonObject;
}

const { searchHits, pageCharacters, pageCharactersMax } = COMPACTION_DEFAULTS;

/**
 * Definitions of `history_search` and `history_read`: a name, a description for the model, and a JSON
 * Schema of the input. Rename `inputSchema` to what your provider calls it and declare them with your
 * agent's other tools; `session.history.runTool` answers the calls.
 */
export const HISTORY_TOOLS: readonly HistoryTool[] = [
  {
    name: "history_search",
    description:
      "Search everything said or seen in this session, including what is no longer in the conversation above. " +
      "Finds words, identifiers, paths and exact strings (put those in quotes). Answers with pointers for history_read.",
    inputSchema: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: 'What to look for, such as: retry limit "MAX_RETRIES" src/client.ts',
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: SEARCH_HITS_MAX,
          description: `Number of hits, ${searchHits} if left out.`,
        },
      },
      required: ["query"],
    },
  },
  {
    name: "history_read",
    description:
      "Read an original from this session's history by its pointer (such as m12.0), page by page. " +
      "Use it where the conversation shows a preview, a cleared result or a summary with a pointer.",
    inputSchema: {
      type: "object",
      properties: {
        pointer: { type: "string", description: "The pointer, such as m12.0." },
        offset: { type: "integer", minimum: 0, description: "Character to start at, 0 if left out." },
        limit: {
          type: "integer",
          minimum: 2,
          maximum: pageCharactersMax,
          description: `Characters of a page, ${pageCharacters} if left out.`,
        },
      },
      required: ["pointer"],
    },
  },
];

interface SearchInput {
  readonly query: string;
  readonly limit: number;
}

interface ReadInput {
  readonly pointer: string;
  readonly seq: number;
  readonly block: number;
  readonly offset: number;
  readonly limit: number;
}

/** A model's request, or its error in words for the model. */
export type ParsedInput<Input> =
  | { readonly ok: true; readonly input: Input }
  | { readonly ok: false; readonly problem: string };

export function parseSearchInput(value: unknown): ParsedInput<SearchInput> {
  const query = isObject(value) ? asString(value["query"]) : asString(value);
  if (query === undefined || query.trim() === "")
    return { ok: false, problem: 'history_search needs a query: history_search({ query: "…" }).' };
  const limit = clampWhole(isObject(value) ? value["limit"] : undefined, {
    least: 1,
    most: SEARCH_HITS_MAX,
    usual: searchHits,
  });
  return { ok: true, input: { query, limit } };
}

export function parseReadInput(value: unknown): ParsedInput<ReadInput> {
  const written = isObject(value) ? asString(value["pointer"]) : asString(value);
  const pointer = written === undefined ? undefined : parsePointer(written);
  if (pointer === undefined)
    return { ok: false, problem: 'history_read needs a pointer: history_read({ pointer: "m12.0" }).' };
  const member = (name: string) => (isObject(value) ? value[name] : undefined);
  const offset = clampWhole(member("offset"), { least: 0, most: Number.MAX_SAFE_INTEGER, usual: 0 });
  const limit = clampWhole(member("limit"), { least: 2, most: pageCharactersMax, usual: pageCharacters });
  return { ok: true, input: { pointer: formatPointer(pointer), ...pointer, offset, limit } };
}

/** A whole number from a model, which may write it as a string. */
function clampWhole(
  value: unknown,
  { least, most, usual }: { readonly least: number; readonly most: number; readonly usual: number },
): number {
  const number = asNumber(typeof value === "string" && value.trim() !== "" ? Number(value) : value);
  return number === undefined ? usual : Math.min(most, Math.max(least, Math.floor(number)));
}

/** One page of an original block. Offsets and lengths count UTF-16 units, as JavaScript strings do; no page ends inside a character. */
export interface HistoryPage {
  readonly text: string;
  /** The start of the page: one earlier where it would split a character. */
  readonly offset: number;
  /** The start of the next page; absent on the last one. */
  readonly nextOffset?: number;
  readonly totalCharacters: number;
}

/** One page of a block's text. Pages read by `nextOffset` concatenate to the whole text. */
export function readPage(text: string, { offset, limit }: Pick<ReadInput, "offset" | "limit">): HistoryPage {
  const isInside = offset > 0 && offset < text.length && isPair(text, offset - 1);
  const start = Math.min(text.length, isInside ? offset - 1 : offset);
  // A page holds at least one whole character, or reading would never come to an end.
  const page = cutHead(text.slice(start, start + Math.max(2, limit) + 1), Math.max(2, limit));
  const end = start + page.length;
  return {
    text: page,
    offset: start,
    ...(end < text.length ? { nextOffset: end } : {}),
    totalCharacters: text.length,
  };
}

function isPair(text: string, index: number): boolean {
  const high = text.charCodeAt(index);
  const low = text.charCodeAt(index + 1);
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

/** The answer of `history_read`: one line about the page, then the page as it is. */
export function formatReadAnswer(pointer: string, page: HistoryPage): string {
  const end = page.offset + page.text.length;
  const next =
    page.nextOffset === undefined ? "the end" : `go on with ${formatReadCall(pointer, page.nextOffset)}`;
  const range = `characters ${formatThousands(page.offset)} to ${formatThousands(end)} of ${formatThousands(page.totalCharacters)}`;
  return `[${pointer}: ${range}; ${next}]\n${page.text}`;
}

/** The answer of `history_search`: one hit a line, each with its pointer. */
export function formatSearchAnswer(query: string, hits: readonly HistoryHit[]): string {
  if (hits.length === 0)
    return `Nothing in this session's history matches ${JSON.stringify(query)}. Try fewer or other words, or part of the string.`;
  const lines = hits.map(
    ({ pointer, role, tool, snippet }) =>
      `- ${pointer} (${tool === undefined ? role : `${role}, ${tool}`}): ${snippet}`,
  );
  return [
    `${hits.length} hits, best first; open one with ${formatReadCall(hits[0]!.pointer)}:`,
    ...lines,
  ].join("\n");
}

/** Said with an answer where meanings could not be compared. */
export function formatFallback(reason: string): string {
  return `Searched by words alone, without their meaning: ${reason}`;
}

/** Said with an answer where a part of the stored history is damaged, so that nothing found does not mean nothing said. */
export function formatLoss(count: number): string {
  const where = count === 1 ? "A part" : `${formatThousands(count)} parts`;
  const be = count === 1 ? "is" : "are";
  return `${where} of this session's stored history ${be} damaged and cannot be read: what was said there is not found.`;
}

/** The answer where a pointer leads nowhere. */
export function formatUnknownPointer(pointer: string): string {
  return `There is no ${pointer} in this session's history. Find the right pointer with history_search({ query: "…" }).`;
}
