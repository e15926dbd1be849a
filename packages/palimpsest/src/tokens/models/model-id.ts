/**
 * Model ids as they occur in the wild, brought to one form.
 *
 * The same model is `claude-opus-4-5-20251101` at its vendor, `us.anthropic.claude-opus-4-5-v1:0` on
 * Bedrock, `anthropic/claude-opus-4.5` at a router, `claude-opus-4-5@20251101` on Vertex and
 * `claude-opus-4-5[1m]` in a client. What a model can do hangs on the name in the middle.
 */

/** A model id in parts; `name` is what catalogue and families are looked up by. */
interface ModelId {
  /** Lower case, dots as dashes, without vendor, region, date and deployment suffixes. */
  readonly name: string;
  /** The id asks for the window of a million tokens. */
  readonly asksForMillion: boolean;
}

/** Longer ids are no ids; what follows is not read. */
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
