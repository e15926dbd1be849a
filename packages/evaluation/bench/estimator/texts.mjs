/**
 * Pieces of text for fitting the estimator: what agents really read and write, from recorded
 * sessions; and what they meet too rarely there to be learned from, made up with a fixed seed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const PIECE_CHARACTERS = 2_000;
const LANGUAGE_PIECE_CHARACTERS = 600;
/** Shorter strings are mostly names of fields and ids. */
const SHORTEST_STRING = 200;
const LONGEST_STRING = 400_000;
const SHORTEST_PIECE = 300;
/** Deeper members are left out: nothing a model reads is nested like that. */
const DEEPEST_MEMBER = 12;
/** Sealed or encoded for the provider: no tokenizer of ours ever sees them. */
const SEALED = new Set(["signature", "data", "encrypted_content"]);

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Distinct pieces of every recorded session, at most `count` of them, chosen at random. */
export function recordedPieces(corpus, { count, random }) {
  const byStart = new Map();
  const root = join(corpus, "trajectories");
  for (const folder of readdirSync(root).sort())
    for (const name of readdirSync(join(root, folder)).sort())
      for (const piece of piecesOf(join(root, folder, name))) byStart.set(piece.slice(0, 80), piece);
  const pieces = [...byStart.values()];
  for (let at = pieces.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [pieces[at], pieces[other]] = [pieces[other], pieces[at]];
  }
  return pieces.slice(0, count);
}

function piecesOf(path) {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const documents = path.includes(".jsonl") ? text.split("\n") : [text];
  return documents.flatMap((document) => {
    try {
      return stringsOf(JSON.parse(document)).flatMap((string) => cut(string, PIECE_CHARACTERS));
    } catch {
      // A torn line has no text to learn from.
      return [];
    }
  });
}

function stringsOf(value, depth = 0) {
  if (typeof value === "string")
    return value.length > SHORTEST_STRING && value.length < LONGEST_STRING ? [value] : [];
  if (value === null || typeof value !== "object" || depth >= DEEPEST_MEMBER) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    SEALED.has(key) ? [] : stringsOf(member, depth + 1),
  );
}

function cut(text, length) {
  const pieces = [];
  for (let start = 0; start < text.length; start += length) pieces.push(text.slice(start, start + length));
  return pieces.filter((piece) => piece.length >= SHORTEST_PIECE);
}

/** One text per language, a file each: the names of the files are the names of the languages. */
export function languagePieces(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .flatMap((name) => cut(readFileSync(join(folder, name), "utf8"), LANGUAGE_PIECE_CHARACTERS));
}

/** Hashes, base64, UUIDs, numbers, emoji, box drawings and indentation. */
export function generatedPieces(random) {
  const pick = (alphabet) => alphabet[Math.floor(random() * alphabet.length)];
  const repeat = (count, make) => Array.from({ length: count }, make).join("");
  const hex = (length) => repeat(length, () => pick("0123456789abcdef"));
  const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const runLength = () => (random() < 0.3 ? 1 + Math.floor(random() * 40) : 1);
  const makers = [
    () => hex(1_200),
    () => repeat(1_200, () => pick(base64)),
    () => repeat(30, () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}\n`),
    () => repeat(150, () => `${repeat(1 + Math.floor(random() * 12), () => pick("0123456789"))} `),
    () =>
      repeat(
        200,
        () => `${String.fromCodePoint(0x1f300 + Math.floor(random() * 0x2ff))}${random() < 0.3 ? " " : ""}`,
      ),
    () => repeat(60, () => `${pick("─│┌┐└┘├┤→✓•●").repeat(runLength())}${random() < 0.4 ? " " : ""}`),
    () => repeat(100, () => `${" ".repeat(Math.floor(random() * 60))}${pick("x\n")}`),
  ];
  return makers.flatMap((make) => Array.from({ length: 50 }, make));
}
