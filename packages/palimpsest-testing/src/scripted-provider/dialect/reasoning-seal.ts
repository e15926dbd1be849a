/**
 * The contents of the signature of its thinking, or into its encrypted reasoning: which model
 * made it, after what. An HMAC keeps anybody else from writing one.
 *
 * The seal is carried by the client like the vendor's own, and nothing of it is remembered here: a provider
 * that is started again with the same key reads the seals of the old one.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { asString, parseJson } from "palimpsest/internal";

/** Digests of the content before the reasoning. */
export interface SealedPrefix {
  readonly model: string;
  readonly tools: string;
  readonly system: string;
  readonly messages: string;
  /** Blocks of messages that stood before it. */
  readonly blockCount: number;
  /** The reasoning that the model had read last when it made this; empty if none. */
  readonly previous: string;
  /** The text of the reasoning itself. */
  readonly content: string;
}

/** Writes a seal, beginning with `prefix` as those of the vendor do. */
export function sealReasoning(sealed: SealedPrefix, key: string, prefix: string): string {
  const payload = Buffer.from(
    JSON.stringify([
      sealed.model,
      sealed.tools,
      sealed.system,
      sealed.messages,
      sealed.blockCount,
      sealed.previous,
      sealed.content,
    ]),
  ).toString("base64url");
  return `${prefix}${payload}.${macOf(payload, key)}`;
}

/** Reads a seal; `undefined` if it is damaged, or another provider's. */
export function openSeal(text: string, key: string, prefix: string): SealedPrefix | undefined {
  const dot = text.indexOf(".");
  if (dot === -1 || !text.startsWith(prefix)) return undefined;
  const payload = text.slice(prefix.length, dot);
  const mac = Buffer.from(text.slice(dot + 1));
  const expected = Buffer.from(macOf(payload, key));
  if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return undefined;
  const parsed = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  if (!parsed.ok || !Array.isArray(parsed.value)) return undefined;
  const fields = parsed.value as readonly unknown[];
  const textAt = (index: number): string => asString(fields[index]) ?? "";
  return {
    model: textAt(0),
    tools: textAt(1),
    system: textAt(2),
    messages: textAt(3),
    blockCount: typeof fields[4] === "number" ? fields[4] : 0,
    previous: textAt(5),
    content: textAt(6),
  };
}

function macOf(payload: string, key: string): string {
  return createHmac("sha256", key).update(payload).digest("base64url");
}

/** Seals a text that only this provider reads. */
export function sealText(text: string, key: string, prefix: string): string {
  const payload = Buffer.from(text).toString("base64url");
  return `${prefix}${payload}.${macOf(payload, key)}`;
}

/** Opens what {@link sealText} made; `undefined` if it is damaged, or another provider's. */
export function openText(sealed: string, key: string, prefix: string): string | undefined {
  const dot = sealed.lastIndexOf(".");
  if (dot === -1 || !sealed.startsWith(prefix)) return undefined;
  const text = Buffer.from(sealed.slice(prefix.length, dot), "base64url").toString("utf8");
  return sealText(text, key, prefix) === sealed ? text : undefined;
}
