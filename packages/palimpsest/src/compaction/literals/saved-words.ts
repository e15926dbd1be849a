/** The words of a log as they are stored and read back, a layer at a time: as text, or as parts of bytes. */
import { isObject, parseJson } from "../../base/json/json.ts";
import type { Steps } from "../../base/steps.ts";
import { LogWords, type StoredLayer } from "./log-words.ts";
import { fromBase64, toBase64 } from "./saved-bits.ts";

/** The layers of some words in a text: the bits in base64. */
export function* textLayersInSteps(words: LogWords): Steps<readonly (readonly [string, number])[]> {
  const layers: [string, number][] = [];
  for (const { bits, count } of words.layers()) {
    layers.push([toBase64(bits!), count]);
    yield;
  }
  return layers;
}

/** Reads them into empty words; false if they are damaged. */
export function* readTextLayers(words: LogWords, value: unknown): Steps<boolean> {
  if (!Array.isArray(value)) return false;
  const layers: StoredLayer[] = [];
  for (const layer of value as readonly unknown[]) {
    const [text, count] = Array.isArray(layer) ? (layer as readonly unknown[]) : [];
    const bits = typeof text === "string" ? fromBase64(text) : undefined;
    if (bits === undefined || typeof count !== "number") return false;
    layers.push({ bits, count });
    yield;
  }
  return yield* words.loadInSteps(layers);
}

/** The first part of words in bytes: of each layer the count, and if a part has its bits. */
interface PartsHead {
  readonly counts: readonly number[];
  readonly hasBits: readonly boolean[];
}

/** The words as parts; with `base`, as what differs from them. */
export function* wordsPartsInSteps(words: LogWords, base?: LogWords): Steps<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  const head: { counts: number[]; hasBits: boolean[] } = { counts: [], hasBits: [] };
  for (const { bits, count } of words.layers(base)) {
    head.counts.push(count);
    head.hasBits.push(bits !== undefined);
    if (bits !== undefined) parts.push(bits);
    yield;
  }
  return [new TextEncoder().encode(JSON.stringify(head)), ...parts];
}

/** The words of such parts; `undefined` where they are damaged. Without a base they share the bits of the parts. */
export function* readWordsParts(
  [first, ...parts]: readonly Uint8Array[],
  base?: LogWords,
): Steps<LogWords | undefined> {
  const parsed = parseJson(new TextDecoder().decode(first));
  if (!parsed.ok || !isPartsHead(parsed.value)) return undefined;
  const { counts, hasBits } = parsed.value;
  let next = 0;
  const layers = counts.map((count, index) => ({ count, bits: hasBits[index] ? parts[next++] : undefined }));
  const words = new LogWords();
  return next === parts.length && (yield* words.loadInSteps(layers, base)) ? words : undefined;
}

function isPartsHead(value: unknown): value is PartsHead {
  if (!isObject(value)) return false;
  const { counts, hasBits } = value;
  if (!Array.isArray(counts) || !Array.isArray(hasBits) || counts.length !== hasBits.length) return false;
  return counts.every(Number.isSafeInteger) && hasBits.every((one) => typeof one === "boolean");
}
