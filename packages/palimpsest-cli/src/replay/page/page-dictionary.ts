/**
 * The pieces of a page: every block once in each form in which a request held it.
 */
import type { ContentBlock } from "palimpsest";
import {
  asString,
  cutHead,
  cutTail,
  findLayer,
  isMedia,
  isObject,
  isServerToolResult,
  isThinking,
  redactBroken,
  shorten,
  type VisibleBlock,
  withoutSecrets,
} from "palimpsest/internal";
import { estimateBlock } from "palimpsest/tokens";
import { blockText, type LayerName, type Origin, type VisibleMessage } from "palimpsest/transcript";
import {
  PAGE_CATEGORIES,
  PAGE_NAME_CHARACTERS,
  type PageCategory,
  type PageForm,
  type PagePiece,
  type PageSource,
  type PageText,
} from "./page-data.ts";

/** Characters of one block's text that the page keeps: two screens; a session of 770K tokens makes a few megabytes. */
const TEXT_CHARACTERS = 4_000;
/** The same for a text that the library inserted: a whole summary, which readers of the page look for. */
const INSERTED_CHARACTERS = 60_000;
/** Characters of these that come from the text's end: errors and results are there. */
const TAIL_CHARACTERS = 800;

/** Forms that one block has had; more than one or two are rare. */
interface KnownForm {
  readonly block: ContentBlock;
  readonly piece: number;
}

export class PageDictionary {
  readonly sources: PageSource[] = [];
  readonly pieces: PagePiece[] = [];
  /** Size of each piece, in reference tokens, not rounded. */
  readonly tokens: number[] = [];
  readonly #sourceIndexes = new Map<string, number>();
  readonly #forms = new Map<string, KnownForm[]>();
  readonly #tools = new Map<string, string>();
  /** The layer that gave a block its form last. */
  readonly #layers = new Map<string, LayerName>();

  /** An edit of `layer` shows this block otherwise from now on. */
  reshaped(
    block: { readonly seq: number; readonly insertedBy?: number; readonly block: number },
    layer: LayerName,
  ) {
    this.#layers.set(placeKey(block, block.block), layer);
  }

  /** The piece that a block of the window is, new or known. */
  pieceOf(message: VisibleMessage, visible: VisibleBlock): number {
    const { block, index } = visible;
    const key = placeKey(message, index);
    const forms = this.#forms.get(key) ?? [];
    this.#forms.set(key, forms);
    const known =
      forms.find((form) => form.block === block) ?? forms.find((form) => isSame(form.block, block));
    if (known !== undefined) return known.piece;
    const piece = this.pieces.length;
    forms.push({ block, piece });
    this.tokens.push(estimateBlock(block));
    this.pieces.push({
      source: this.#sourceOf(message),
      block: index,
      category: PAGE_CATEGORIES.indexOf(categoryOf(block, message)),
      form: this.#formOf(message, visible, key),
      tokens: Math.round(estimateBlock(block)),
      ...this.#wordsOf(block, message.insertedBy !== undefined),
    });
    return piece;
  }

  #sourceOf({ seq, role, origin, insertedBy }: VisibleMessage): number {
    const key = `${seq}:${insertedBy ?? ""}`;
    const known = this.#sourceIndexes.get(key);
    if (known !== undefined) return known;
    this.sources.push({ seq, role, origin, insertedBy });
    this.#sourceIndexes.set(key, this.sources.length - 1);
    return this.sources.length - 1;
  }

  #formOf(message: VisibleMessage, { form }: VisibleBlock, key: string): PageForm {
    if (form === "edited") {
      const layer = this.#layers.get(key);
      return layer !== undefined && findLayer(layer)?.leavesPreview === true ? "preview" : "cleared";
    }
    if (message.insertedBy !== undefined) return message.origin === "summary" ? "summary" : "inserted";
    return form;
  }

  #wordsOf(shown: ContentBlock, isInserted: boolean): Pick<PagePiece, "text" | "type" | "tool" | "isError"> {
    // Before it is cut: a part of a key is not recognised as one.
    const block = withoutSecrets(shown);
    if (isCall(block)) {
      this.#tools.set(block.id, block.name);
      return { text: pageText(JSON.stringify(block.input) ?? ""), tool: nameOf(block.name) };
    }
    const answered = "tool_use_id" in block ? this.#tools.get(block.tool_use_id) : undefined;
    const characters = isInserted ? INSERTED_CHARACTERS : TEXT_CHARACTERS;
    const isPlain = block.type === "text" || block.type === "thinking" || block.type === "tool_result";
    return {
      text: isCipheredThinking(block) ? "" : pageText(blockText(block), characters),
      ...(isPlain ? {} : { type: nameOf(typeName(block)) }),
      ...(answered === undefined ? {} : { tool: nameOf(answered) }),
      ...("is_error" in block && block.is_error === true ? { isError: true } : {}),
    };
  }
}

function typeName(block: ContentBlock): string {
  if (block.type !== "opaque") return block.type;
  return (isObject(block.value) ? asString(block.value["type"]) : undefined) ?? block.type;
}

const nameOf = (name: string): string => shorten(String(name), PAGE_NAME_CHARACTERS);

function placeKey(message: { readonly seq: number; readonly insertedBy?: number }, block: number): string {
  return `${message.seq}:${message.insertedBy ?? ""}:${block}`;
}

/** Folding a window again may repair a block into another object with the same content. */
function isSame(one: ContentBlock, other: ContentBlock): boolean {
  return one.type === other.type && JSON.stringify(one) === JSON.stringify(other);
}

/** A text as the page keeps it, without secrets. */
export function pageText(full: string, characters = TEXT_CHARACTERS): PageText {
  const text = redactBroken(full).text;
  if (text.length <= characters) return text;
  return {
    head: cutHead(text, characters - TAIL_CHARACTERS),
    tail: cutTail(text, TAIL_CHARACTERS),
    characters: text.length,
  };
}

/** Origins of the library's own texts: summaries, briefs of the state, results that a repair adds. */
const OURS: ReadonlySet<Origin> = new Set(["engine", "restored", "recalled", "summary"]);

function categoryOf(
  block: ContentBlock,
  { role, origin, insertedBy }: Pick<VisibleMessage, "role" | "origin" | "insertedBy">,
): PageCategory {
  if (insertedBy !== undefined || OURS.has(origin) || block.type === "compaction") return "inserted";
  if (isMedia(block)) return "attachments";
  if (isThinking(block) || isCipheredThinking(block)) return "thinking";
  if (isCall(block)) return "calls";
  if (block.type === "tool_result" || isServerToolResult(block)) return "results";
  if (role === "assistant") return "assistant";
  return role === "user" && origin === "user" ? "user" : "attachments";
}

export function isCall(block: ContentBlock): block is Extract<ContentBlock, { readonly name: string }> {
  return block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use";
}

/** Encrypted reasoning, which only its provider can read; it is sent back unchanged. */
function isCipheredThinking(block: ContentBlock): boolean {
  return block.type === "opaque" && isObject(block.value) && block.value["type"] === "reasoning";
}
