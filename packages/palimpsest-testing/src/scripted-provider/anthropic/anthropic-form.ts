/**
 * Judges the form of an Anthropic request: what the wire oracle says, and what it leaves to the endpoint
 * because it does not depend on one body alone (budgets, beta features).
 */
import { asNumber, asString, findClaudeVersion, isObject, parseModelId } from "palimpsest/internal";
import { judgeAnthropicRequest, type Violation } from "../../wire-oracle/wire-oracle.ts";
import type { IncomingRequest } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { BINDING_BETA } from "./anthropic-prompt.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Every rule that the request breaks. */
export function judgeAnthropicForm(incoming: IncomingRequest): readonly Violation[] {
  const { body, model } = incoming;
  const thinking = isObject(body["thinking"]) ? body["thinking"] : {};
  return [
    ...judgeParameters(incoming, thinking),
    ...judgeBetas(incoming, thinking),
    ...judgeAnthropicRequest(body, {
      thinking: thinking["type"] === "enabled",
      kind: incoming.purpose === "count" ? "count" : "request",
      // A summary alone continues nothing.
      allowsPrefill:
        isObject(body["compaction"]) || !isClaudeSince(model, PROVIDER_FACTS.firstClaudeWithoutPrefill),
    }),
  ];
}

/** True if a model is a Claude of this version or later; names without a version are taken to be new. */
export function isClaudeSince(model: string, [major, minor]: readonly [number, number]): boolean {
  const { name } = parseModelId(model);
  const version = findClaudeVersion(name);
  if (version === undefined) return name.startsWith("claude");
  return version[0] > major || (version[0] === major && version[1] >= minor);
}

function judgeParameters({ body, purpose }: IncomingRequest, thinking: Fields): readonly Violation[] {
  const found: Violation[] = [];
  const report = (rule: string, path: string, message: string): void => {
    found.push({ rule, path, message });
  };
  if (purpose === "count") return found;
  const maxTokens = asNumber(body["max_tokens"]);
  const budget = asNumber(thinking["budget_tokens"]);
  if (
    thinking["type"] === "enabled" &&
    budget !== undefined &&
    maxTokens !== undefined &&
    maxTokens <= budget
  )
    report(
      "thinking-budget",
      "max_tokens",
      "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at " +
        "https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size",
    );
  return found;
}

/** Fields and blocks that only a header allows. */
function judgeBetas({ body, betas }: IncomingRequest, thinking: Fields): readonly Violation[] {
  const found: Violation[] = [];
  const need = (prefix: string, rule: string, path: string, message: string): void => {
    if (!betas.some((beta) => beta.startsWith(prefix))) found.push({ rule, path, message });
  };
  if (thinking["block_binding"] !== undefined && thinking["block_binding"] !== null) {
    const path = `thinking.${String(thinking["type"])}.block_binding`;
    need(BINDING_BETA, "extra-field", path, `${path}: Extra inputs are not permitted`);
  }
  const messages = Array.isArray(body["messages"]) ? (body["messages"] as readonly unknown[]) : [];
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || message["role"] !== "system") continue;
    const path = `messages.${index}`;
    if (message["clear_at"] !== undefined)
      need(
        "mid-conversation-system-clear-at-",
        "extra-field",
        `${path}.clear_at`,
        `${path}.clear_at: Extra inputs are not permitted`,
      );
    for (const [place, block] of (Array.isArray(message["content"]) ? message["content"] : []).entries()) {
      const type = isObject(block) ? asString(block["type"]) : undefined;
      if (type === "tool_addition" || type === "tool_removal")
        need(
          "mid-conversation-tool-changes-",
          "block-type",
          `${path}.content.${place}`,
          `${path}.content.${place}: Input tag '${type}' found using 'type' does not match any expected tag`,
        );
    }
  }
  return found;
}
