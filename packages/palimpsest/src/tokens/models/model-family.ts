/**
 * How dense a model's tokenizer is, before anything was reported: a prior per family.
 *
 * The estimator counts in tokens of one tokenizer. The same text takes a third more of them with
 * newer Claude models and a sixth fewer with OpenAI's, so a session begins with its family's ratio;
 * `calibration.ts` takes over from there.
 */
import { TOKENIZER_RATIOS } from "../../base/defaults/tokens/tokens.ts";
import { findClaudeVersion, parseModelId } from "./model-id.ts";

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
