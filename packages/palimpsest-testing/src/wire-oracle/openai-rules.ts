/**
 * The names of the OpenAI rules, and how that API words its complaints about fields.
 */
import { type BodyKind, type FieldComplaints, Judge } from "./violation.ts";

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

const WORDS: FieldComplaints = {
  missing: (path) => `Missing required parameter: '${path}'.`,
  type: (path, kind) => `Invalid type for '${path}': expected a ${kind}.`,
  extra: (path) => `Unknown parameter: '${path}'.`,
};

/** Collects what an OpenAI API would complain about. @internal */
export class OpenAIJudge extends Judge<OpenAIRule> {
  constructor() {
    super(WORDS);
  }

  emptyList(path: string): void {
    const words = "empty array. Expected an array with minimum length 1, but got an empty array instead";
    this.report("empty-list", path, `Invalid '${path}': ${words}.`);
  }

  tooLong(rule: OpenAIRule, path: string, { length, limit }: { length: number; limit: number }): void {
    const words = `Expected a string with maximum length ${limit}, but got a string with length ${length} instead`;
    this.report(rule, path, `Invalid '${path}': string too long. ${words}.`);
  }

  mismatch(path: string, pattern: string): void {
    const words = `Expected a string that matches the pattern '${pattern}'`;
    this.report("name", path, `Invalid '${path}': string does not match pattern. ${words}.`);
  }

  /** `known` are the values that the API names. */
  unsupported(rule: OpenAIRule, path: string, { value, known }: { value: string; known: string }): void {
    this.report(rule, path, `Invalid value: ${value}. Supported values are: ${known}.`);
  }
}
