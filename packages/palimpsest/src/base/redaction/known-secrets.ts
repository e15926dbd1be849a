/**
 * Secrets that were seen whole, recognised where they are cut or have lost their prefix.
 *
 * A piece of eight characters of a known secret is taken out wherever it stands, as far as the text goes on like the
 * secret. A piece that could be a word (without a digit, or of one case) is not evidence by itself. Linear in the text.
 */
import { findBroken } from "./broken-secrets.ts";
import {
  joinSpans,
  type RedactedText,
  type SecretFamily,
  type SecretSpan,
  takeOut,
} from "./secret-patterns.ts";

/** The shortest piece that is recognised. */
const PIECE_CHARACTERS = 8;
/** Enough for every session that is not made of keys; a longer list would only cost memory. */
const MOST_SECRETS = 500;
/** Longer than any key but a private one, of which this much is enough to recognise it. */
const LEARNED_CHARACTERS = 8_192;
/** Secrets that people make up: pieces of them in two cases may be names of a program. */
const MADE_UP: ReadonlySet<SecretFamily> = new Set([
  ...(["password", "variable", "url-credentials", "curl", "netrc"] as const),
  ...(["cookie", "authorization", "npm", "service-account", "docker"] as const),
]);

interface Place {
  readonly family: SecretFamily;
  readonly secret: string;
  readonly at: number;
}

/** The secrets of one session, one import or one export. */
export class KnownSecrets {
  readonly #secrets = new Set<string>();
  readonly #pieces = new Map<string, Place>();
  /** 1 where a piece may end in these four characters. */
  readonly #ends = new Uint8Array(1 << 16);

  /** Remembers the secrets of a text. */
  learn(text: string): void {
    for (const span of findBroken(text)) this.#remember(text, span);
  }

  /** The text without its secrets and without pieces of known ones; remembers the former. */
  redact(text: string): RedactedText {
    const spans = findBroken(text);
    for (const span of spans) this.#remember(text, span);
    const pieces = this.#findPieces(text);
    return takeOut(text, pieces.length === 0 ? spans : joinSpans([...spans, ...pieces]));
  }

  /** The same for a text that is known to hold no secrets by itself. */
  redactPieces(text: string): string {
    return takeOut(text, this.#findPieces(text)).text;
  }

  /** True while none is known. */
  get isEmpty(): boolean {
    return this.#pieces.size === 0;
  }

  #remember(text: string, { family, from, to }: SecretSpan): void {
    const secret = text.slice(from, Math.min(to, from + LEARNED_CHARACTERS));
    if (this.#secrets.has(secret) || this.#secrets.size >= MOST_SECRETS) return;
    this.#secrets.add(secret);
    const isEvidence = MADE_UP.has(family) ? HAS_DIGIT : IS_MIXED;
    for (let at = 0; at + PIECE_CHARACTERS <= secret.length; at++) {
      const piece = secret.slice(at, at + PIECE_CHARACTERS);
      if (!isEvidence.test(piece) || this.#pieces.has(piece)) continue;
      this.#pieces.set(piece, { family, secret, at });
      this.#ends[endKey(piece, PIECE_CHARACTERS - 1)] = 1;
    }
  }

  #findPieces(text: string): readonly SecretSpan[] {
    if (this.isEmpty) return [];
    const found: SecretSpan[] = [];
    let reached = 0;
    for (let end = PIECE_CHARACTERS - 1; end < text.length; end++) {
      if (this.#ends[endKey(text, end)] !== 1) continue;
      const from = end + 1 - PIECE_CHARACTERS;
      if (from < reached) continue;
      const place = this.#pieces.get(text.slice(from, end + 1));
      if (place === undefined) continue;
      const span = extended(text, from, place);
      found.push(span);
      reached = span.to;
      end = Math.max(end, span.to - 1);
    }
    return found;
  }
}

/** As far as text and secret are the same on both sides. */
function extended(text: string, at: number, { family, secret, at: secretAt }: Place): SecretSpan {
  let before = 0;
  while (before < secretAt && before < at && text[at - before - 1] === secret[secretAt - before - 1])
    before++;
  let length = PIECE_CHARACTERS;
  while (secretAt + length < secret.length && text[at + length] === secret[secretAt + length]) length++;
  return { family, from: at - before, to: at + length };
}

const HAS_DIGIT = /^(?=.*\d)(?=.*[A-Za-z])\S+$/;
const IS_MIXED = /^(?=.*\d)(?=.*[A-Za-z])\S+$|^(?=.*[a-z])(?=.*[A-Z]).[A-Za-z]*[a-z][A-Z][A-Za-z]*$/;

/** The four characters up to `end`, in 16 bits. */
function endKey(text: string, end: number): number {
  const low = (text.charCodeAt(end) << 5) ^ text.charCodeAt(end - 1);
  return ((low << 6) ^ (text.charCodeAt(end - 2) << 3) ^ text.charCodeAt(end - 3)) & 0xffff;
}
