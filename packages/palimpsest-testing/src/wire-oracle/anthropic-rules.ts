/**
 * The names of the Anthropic rules, and how that API words its complaints about fields.
 */
import { type FieldComplaints, Judge } from "./violation.ts";

/** A rule of the Anthropic Messages API. */
export type AnthropicRule =
  | "body-shape"
  | "field-missing"
  | "field-type"
  | "extra-field"
  | "message-count"
  | "role"
  | "first-message"
  | "empty-content"
  | "empty-text"
  | "block-type"
  | "block-role"
  | "call-id"
  | "call-name"
  | "call-input"
  | "duplicate-call-id"
  | "unanswered-call"
  | "orphan-result"
  | "duplicate-result"
  | "late-result"
  | "result-content"
  | "unanswered-server-call"
  | "orphan-server-result"
  | "thinking-signature"
  | "thinking-last"
  | "thinking-first"
  | "media-source"
  | "system-place"
  | "system-in-tool-exchange"
  | "compaction-place"
  | "final-whitespace"
  | "prefill"
  | "cache-marks"
  | "tool-definition"
  | "lone-surrogate";

const WORDS: FieldComplaints = {
  missing: (path) => `${path}: Field required`,
  type: (path, kind) => `${path}: Input should be a valid ${kind}`,
  extra: (path) => `${path}: Extra inputs are not permitted`,
};

/** Collects what the Anthropic Messages API would complain about. @internal */
export class AnthropicJudge extends Judge<AnthropicRule> {
  constructor() {
    super(WORDS);
  }
}
