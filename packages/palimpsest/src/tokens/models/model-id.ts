/**
 * Model ids as they occur in the wild, brought to one form.
 *
 * The same model is `claude-opus-4-5-20251101` at its vendor, `us.anthropic.claude-opus-4-5-v1:0` on
 * Bedrock, `anthropic/claude-opus-4.5` at a router, `claude-opus-4-5@20251101` on Vertex and
 * `claude-opus-4-5[1m]` in a client. What a model can do hangs on the name in the middle.
 *
 * The family of a model also says how dense its tokenizer is, before anything was reported. The estimator counts
 * in tokens of one tokenizer; newer Claude models need a third more of them for the same text, OpenAI's a sixth
 * fewer. A session begins with its family's ratio, and `calibration.ts` takes over from there.
 */
import { TOKENIZER_RATIOS } from "../../base/defaults/tokens/tokens.ts";

/** A model id in parts; `name` is what catalogue and families are looked up by. */
interface ModelId {
  /** Lower case, dots as dashes, without vendor, region, date and deployment suffixes. */
  readonly name: string;
  /** The id asks for the window of a million tokens. */
  readonly asksForMillion: boolean;
}

/** Longest id; the rest is not read. */
const LONGEST_ID = 200;

export function parseModelId(id: string): ModelId {
  const text = id.slice(0, LONGEST_ID).trim().toLowerCase();
  const asksForMillion = /\[1m\]$|[-:]1m$/.test(text);
  const name = text
    .replace(/\[1m\]$|[-:]1m$/, "")
    .replace(/^.*\//, "")
    .replace(
      /^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|deepseek|qwen|openai|google|amazon|moonshot|minimax|zai)\./,
      "",
    )
    .replace(/:[a-z0-9.-]+$/, "")
    .replace(/@.*$/, "")
    .replace(/[._]/g, "-")
    .replace(/-v\d$/, "")
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, "")
    .replace(/-latest$/, "");
  return { name, asksForMillion };
}

/**
 * Version of a Claude model, `[4, 6]` for 4.6, from a name such as `claude-opus-4-6` or
 * `claude-3-7-sonnet`; `undefined` for other names.
 */
export function findClaudeVersion(name: string): readonly [number, number] | undefined {
  const found =
    /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?:-|$)/.exec(name) ??
    /^claude-(\d{1,2})(?:-(\d{1,2}))?(?:-|$)/.exec(name);
  if (found === null) return undefined;
  return [Number(found[1]), Number(found[2] ?? 0)];
}

type TokenizerFamily = keyof typeof TOKENIZER_RATIOS;

/** First Claude versions with the newer tokenizer; Opus had it one step earlier. */
const NEW_CLAUDE_TOKENIZER = { opus: [4, 7], other: [5, 0] } as const;

/** Names by family, tried in order. */
const FAMILY_PATTERNS: readonly (readonly [RegExp, TokenizerFamily])[] = [
  [/^(gpt|o[1-9]|chatgpt|codex|davinci|text-|openai)/, "o200k"],
  [/^(gemini|gemma)/, "gemini"],
  [/deepseek/, "deepseek"],
  [/^(qwen|qwq|qvq|glm|kimi|moonshot)/, "qwen"],
  [/llama/, "llama"],
  [/^(mi[sx]tral|codestral|devstral|ministral|magistral|pixtral|open-mi[sx]tral)/, "mistral"],
  [/^grok/, "grok"],
];

/** The family of a model id in any of its spellings; `unknown` rather than a guess. */
export function tokenizerFamily(modelId: string): TokenizerFamily {
  const { name } = parseModelId(modelId);
  if (name.startsWith("claude")) return claudeFamily(name);
  return FAMILY_PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? "unknown";
}

/** Tokens of the model per reference token, as assumed before the first report. */
export function tokenizerRatio(modelId: string): number {
  return TOKENIZER_RATIOS[tokenizerFamily(modelId)];
}

function claudeFamily(name: string): TokenizerFamily {
  const version = findClaudeVersion(name);
  if (version === undefined) return /instant|-v[12]|^claude-?2/.test(name) ? "claude" : "claudeNew";
  const first = name.startsWith("claude-opus") ? NEW_CLAUDE_TOKENIZER.opus : NEW_CLAUDE_TOKENIZER.other;
  const isNew = version[0] > first[0] || (version[0] === first[0] && version[1] >= first[1]);
  return isNew ? "claudeNew" : "claude";
}
