/**
 * The names of the OpenAI rules, and how that API words its complaints about fields.
 */
import type { FieldComplaints } from "./field-shapes.ts";
import type { BodyKind } from "./violation.ts";

/** A rule of the OpenAI Chat Completions or Responses API. */
export type OpenAIRule =
  | "body-shape"
  | "field-missing"
  | "field-type"
  | "extra-field"
  | "role"
  | "empty-list"
  | "missing-content"
  | "part-type"
  | "name"
  | "call-id"
  | "duplicate-call-id"
  | "duplicate-item-id"
  | "unanswered-call"
  | "orphan-result"
  | "duplicate-result"
  | "item-type"
  | "item-id"
  | "reasoning-alone"
  | "lone-surrogate";

/** Kinds of bodies. */
export interface OpenAIJudgeOptions {
  /** @defaultValue `request`; `conversation` if the body has nothing but messages or items, and tools */
  readonly kind?: BodyKind;
}

/** @internal */
export const OPENAI_WORDS: FieldComplaints = {
  missing: (path) => `Missing required parameter: '${path}'.`,
  type: (path, kind) => `Invalid type for '${path}': expected a ${kind}.`,
  extra: (path) => `Unknown parameter: '${path}'.`,
};

/** @internal */
export function emptyListWords(path: string): string {
  return `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
}

/** @internal */
export function tooLongWords(path: string, limit: number, length: number): string {
  return `Invalid '${path}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`;
}
