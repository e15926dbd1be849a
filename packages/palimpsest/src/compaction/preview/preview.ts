/**
 * A preview: head and tail of a text within a token budget, and between them one literal line that says how
 * much is missing and how to read it.
 *
 * Both ends are the text's own characters except for secrets; nothing is paraphrased. The cut falls on the
 * end of a line if one is near, else between characters, so that one giant line works like any other text.
 */
import { findAround } from "../../base/redaction/broken-secrets.ts";
import { type SecretSpan, takeOutWithin } from "../../base/redaction/secret-patterns.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { type Measure, measureText } from "../shared/measure.ts";
import { formatOriginal, type HistoryAccess } from "../shared/pointer.ts";

interface PreviewOptions extends HistoryAccess {
  readonly budgetTokens: number;
  readonly pointer: string;
  /** Start of `text` in the block's text, in characters; absent if `text` is not a literal part of it. */
  readonly baseOffset?: number;
  /** The secrets of a text where they are known, so that it is not searched again. */
  readonly secretsOf?: (text: string) => readonly SecretSpan[] | undefined;
}

/** The head's share of the budget's characters: the beginning shows which file or command it is. */
const HEAD_SHARE = 0.6;
/** A line end within this share of a piece's inner end is where the piece is cut. */
const LINE_SEARCH_SHARE = 0.4;
/** Times that a piece which measured too large is cut again before it is given up. */
const FITTING_ROUNDS = 6;

/** The preview, or `undefined` where it would not be smaller than the text. */
export function previewText(text: string, options: PreviewOptions, measure: Measure): string | undefined {
  const totalTokens = measureText(text, measure);
  if (totalTokens <= options.budgetTokens || text.length === 0) return undefined;

  const tokensPerCharacter = totalTokens / text.length;
  const marker = (head: string, tail: string) => formatMarker(text, head, tail, options, tokensPerCharacter);
  // Room for the longest the marker can get: everything missing, and the largest offset.
  const line = options.pathOf === undefined ? "" : `, this from line ${text.length}`;
  const markerTokens = measureText(`${marker("", "")}, offset: ${text.length}${line}\n\n`, measure);
  const availableTokens = Math.max(0, options.budgetTokens - markerTokens);

  const headTokens = availableTokens * HEAD_SHARE;
  const head = fitPiece(text, "head", { ...options, budgetTokens: headTokens, tokensPerCharacter }, measure);
  const tail = fitPiece(
    text,
    "tail",
    { ...options, budgetTokens: availableTokens - headTokens, tokensPerCharacter },
    measure,
  );
  const preview = joinPieces(head.shown, marker(head.text, tail.text), tail.shown);
  return preview.length < text.length && measureText(preview, measure) < totalTokens ? preview : undefined;
}

/** A piece of a text: as it is, and as it is shown, without secrets. */
interface Piece {
  readonly text: string;
  readonly shown: string;
}

/** The largest piece of one end that is shown within `budgetTokens`; empty where none is. */
function fitPiece(
  text: string,
  end: "head" | "tail",
  {
    budgetTokens,
    tokensPerCharacter,
    secretsOf,
  }: Pick<PreviewOptions, "budgetTokens" | "secretsOf"> & { readonly tokensPerCharacter: number },
  measure: Measure,
): Piece {
  let characters = Math.min(Math.floor(budgetTokens / tokensPerCharacter), Math.floor(text.length / 2));
  const stretch = (length: number) =>
    end === "head" ? { from: 0, to: length } : { from: text.length - length, to: text.length };
  const secrets = secretsOf?.(text) ?? findAround(text, stretch(characters));
  for (let round = 0; round < FITTING_ROUNDS && characters > 0; round++) {
    const piece = cutAtLine(text, end, characters);
    const shown = secrets.length === 0 ? piece : takeOutWithin(text, secrets, stretch(piece.length));
    const tokens = measureText(shown, measure);
    if (tokens <= budgetTokens) return { text: piece, shown };
    characters = Math.floor(piece.length * Math.min(0.9, (budgetTokens / tokens) * 0.97));
  }
  return { text: "", shown: "" };
}

function cutAtLine(text: string, end: "head" | "tail", characters: number): string {
  const search = Math.floor(characters * LINE_SEARCH_SHARE);
  if (end === "head") {
    const piece = cutHead(text, characters);
    const lineEnd = piece.lastIndexOf("\n");
    return lineEnd >= piece.length - search && lineEnd > 0 ? piece.slice(0, lineEnd + 1) : piece;
  }
  const piece = cutTail(text, characters);
  const lineEnd = piece.indexOf("\n");
  return lineEnd !== -1 && lineEnd < search ? piece.slice(lineEnd + 1) : piece;
}

function formatMarker(
  text: string,
  head: string,
  tail: string,
  options: PreviewOptions,
  tokensPerCharacter: number,
): string {
  const { pointer, baseOffset } = options;
  const missing = text.length - head.length - tail.length;
  const lines = countLines(text, head.length, text.length - tail.length);
  const size = [
    lines > 1 ? `${formatThousands(lines)} lines` : undefined,
    `${formatThousands(missing)} characters`,
    `about ${formatThousands(Math.round(missing * tokensPerCharacter))} tokens`,
  ].filter((part) => part !== undefined);
  const offset = baseOffset === undefined ? undefined : baseOffset + head.length;
  const line = baseOffset === 0 ? countLines(text, 0, head.length + 1) : undefined;
  const original = formatOriginal(pointer, options, { lead: "read them with ", offset, line });
  return `[… ${size.join(", ")} left out here; ${original} …]`;
}

function joinPieces(head: string, marker: string, tail: string): string {
  const before = head === "" || head.endsWith("\n") ? head : `${head}\n`;
  return tail === "" ? `${before}${marker}` : `${before}${marker}\n${tail}`;
}

/** Lines that the stretch touches. */
function countLines(text: string, from: number, to: number): number {
  let count = 1;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to - 1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** `12345` as `12,345`, whatever the locale. */
export function formatThousands(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}
