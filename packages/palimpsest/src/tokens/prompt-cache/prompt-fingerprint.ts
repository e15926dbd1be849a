/**
 * Fingerprints of the parts of a request that the prompt cache depends on, and the first part in which two requests differ.
 *
 * Parts are compared in the order of a prompt: tools, system prompt, messages. A change invalidates the cache for
 * everything after it.
 *
 * A difference has its place and the kind of text there, never the text itself: system prompts have content that must not
 * appear in a log of events.
 */
import { fingerprint } from "../../base/fingerprint.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json/json.ts";
import { shorten } from "../../base/text/text.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { BlockChain, type BlockView, countSameBlocks, placeOfBlock } from "./block-chain.ts";

/** A request, as far as it is known. Fields that a host leaves out are taken as unchanged. */
export interface Prompt {
  readonly model: string;
  readonly parameters?: JsonObject | undefined;
  readonly betas?: readonly string[] | undefined;
  readonly system?: string | undefined;
  /** The tool definitions, as JSON text. */
  readonly toolsText?: string | undefined;
  readonly messages: readonly RequestMessage[];
}

/** The remembered part of a request. */
export interface PromptFingerprint {
  readonly model: string;
  /** Fingerprints, by name, of the parameters that the cache depends on. */
  readonly parameters: ReadonlyMap<string, number>;
  readonly system: string | undefined;
  readonly toolsText: string | undefined;
  readonly blocks: BlockView;
}

/** The first part that differs. It has names and places, never texts. */
export type PromptChange =
  | { readonly part: "tool-order" }
  | { readonly part: "tool"; readonly name: string; readonly change: "added" | "removed" | "changed" }
  | { readonly part: "system"; readonly at: number; readonly kind: DifferenceKind }
  | { readonly part: "parameter"; readonly name: string }
  | { readonly part: "message"; readonly message: number; readonly block: number };

/**
 * Parameters that no provider's cache depends on. All others are taken to matter: thinking, effort and
 * tool choice do. Source: Anthropic docs, "Prompt caching", what invalidates the cache.
 */
const HARMLESS_PARAMETERS: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_output_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "stop_sequences",
  "stream",
  "stream_options",
  "metadata",
  "user",
  "seed",
]);

/** Longest name of a tool or parameter that is reported. */
const NAME_CHARS = 80;

/** Takes the fingerprints of requests that follow one another; each costs what is new in it. */
export class PromptFingerprinter {
  readonly #chain = new BlockChain();

  take({ model, parameters, betas, system, toolsText, messages }: Prompt): PromptFingerprint {
    return {
      model,
      parameters: parameterFingerprints(parameters, betas),
      system,
      toolsText,
      blocks: this.#chain.view(messages),
    };
  }
}

function parameterFingerprints(
  parameters: JsonObject | undefined,
  betas: readonly string[] | undefined,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [name, value] of Object.entries({ ...parameters, betas })) {
    if (value === undefined || HARMLESS_PARAMETERS.has(name)) continue;
    found.set(name, fingerprint(JSON.stringify(value)));
  }
  return found;
}

/**
 * The first part of a prompt in which `after` differs from `before`; additions
 * at the end do not count. The model is not compared.
 */
export function findPromptChange(
  before: PromptFingerprint,
  after: PromptFingerprint,
): PromptChange | undefined {
  return (
    findToolChange(before.toolsText, after.toolsText) ??
    findSystemChange(before.system, after.system) ??
    findParameterChange(before.parameters, after.parameters) ??
    findMessageChange(before.blocks, after.blocks)
  );
}

function findSystemChange(before = "", after = ""): PromptChange | undefined {
  const difference = findDifference(before, after);
  return difference === undefined ? undefined : { part: "system", ...difference };
}

function findParameterChange(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): PromptChange | undefined {
  const names = [...after.keys(), ...before.keys()];
  const changed = names.find((name) => before.get(name) !== after.get(name));
  return changed === undefined ? undefined : { part: "parameter", name: shorten(changed, NAME_CHARS) };
}

function findMessageChange(before: BlockView, after: BlockView): PromptChange | undefined {
  const sameCount = countSameBlocks(before, after);
  if (sameCount >= before.blockCount) return undefined;
  // If the request only became shorter, the difference is after its last message.
  const place =
    sameCount < after.blockCount ? placeOfBlock(after, sameCount) : { message: after.messageCount, block: 0 };
  return { part: "message", ...place };
}

function findToolChange(before = "[]", after = "[]"): PromptChange | undefined {
  if (before === after) return undefined;
  const earlier = toolsOf(before);
  const later = toolsOf(after);
  const changeOf = (name: string, change: "added" | "removed" | "changed"): PromptChange => ({
    part: "tool",
    name: shorten(name, NAME_CHARS),
    change,
  });
  for (const [name, text] of later) {
    const known = earlier.get(name);
    if (known === undefined) return changeOf(name, "added");
    if (known !== text) return changeOf(name, "changed");
  }
  for (const name of earlier.keys()) if (!later.has(name)) return changeOf(name, "removed");
  return { part: "tool-order" };
}

/** JSON text of each tool by its name; tools of one name get numbers. */
function toolsOf(text: string): ReadonlyMap<string, string> {
  const parsed = parseJson(text);
  const list: readonly unknown[] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  const tools = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const tool of list) {
    const name = nameOf(tool);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    tools.set(count === 1 ? name : `${name} (${count})`, JSON.stringify(tool));
  }
  return tools;
}

function nameOf(tool: unknown): string {
  if (!isObject(tool)) return "(unnamed)";
  const inner = isObject(tool["function"]) ? tool["function"] : {};
  const name = tool["name"] ?? inner["name"] ?? tool["type"];
  return typeof name === "string" && name !== "" ? name : "(unnamed)";
}

/** Kind of the first difference. */
type DifferenceKind = "time or date" | "number" | "id" | "path" | "text";

/** The first difference of two texts. */
interface TextDifference {
  /** Index of the first character that differs, in UTF-16 units. */
  readonly at: number;
  readonly kind: DifferenceKind;
}

/** Characters on each side of a difference that are searched for its kind. */
const REACH = 48;

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
/** Tried in order. Every repetition is bounded, because the text may be anything. */
const KINDS: readonly (readonly [DifferenceKind, readonly RegExp[]])[] = [
  [
    "time or date",
    [
      /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?:Z| ?[+-]\d{2}:?\d{2})?/g,
      /\b\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b)?/gi,
      /\b(?:\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2}|\d{1,2}\/\d{1,2}\/\d{2})\b/g,
      new RegExp(`\\b${MONTH}\\.? {1,2}\\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`, "gi"),
      new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}(?:,? \\d{4})?`, "gi"),
      /\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b/gi,
      /\d{1,4} ?[年月日時时分秒]/g,
      /\b1[6-9]\d{8}(?:\d{3})?\b/g,
    ],
  ],
  [
    "id",
    [
      /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
      /\b(?=[a-z]{0,40}\d)[0-9a-f]{7,64}\b/gi,
    ],
  ],
  ["number", [/\d{1,30}(?:[.,]\d{1,30})?/g]],
  ["path", [/(?:~|\.{1,2}|[a-z]:|\b[\w.-]{1,60})?[/\\][\w.@/\\-]{1,96}/gi]],
];

/** The first difference; `undefined` where the texts are the same. */
export function findDifference(before: string, after: string): TextDifference | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at++;
  return { at, kind: kindAt(after, at) ?? kindAt(before, at) ?? "text" };
}

function kindAt(text: string, at: number): DifferenceKind | undefined {
  const start = Math.max(0, at - REACH);
  const around = text.slice(start, at + REACH);
  const place = at - start;
  return KINDS.find(([, patterns]) => patterns.some((pattern) => standsAt(around, place, pattern)))?.[0];
}

/** True if a match covers the place or ends right before it, as when digits were added to a number. */
function standsAt(text: string, place: number, pattern: RegExp): boolean {
  for (const { index, 0: found } of text.matchAll(pattern))
    if (index <= place && place <= index + found.length) return true;
  return false;
}
