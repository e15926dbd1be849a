/**
 * Judges the `tools` of an Anthropic request, as far as a conversation can break on them.
 */
import type { AnthropicJudge } from "./anthropic-rules.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import { fieldOf, isRecord, stringOf, type UnknownRecord } from "./violation.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;

/** Reports tools without a usable name or schema, and names that stand twice. @internal */
export function judgeAnthropicTools(tools: unknown, judge: AnthropicJudge): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) {
    judge.wrongType("tools", "list");
    return;
  }
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const path = `tools.${index}`;
    if (!isRecord(tool)) {
      judge.wrongType(path, "dictionary");
      continue;
    }
    const name = stringOf(tool, "name");
    if (name !== undefined && names.has(name))
      judge.report("tool-definition", path, "tools: Tool names must be unique.");
    if (name !== undefined) names.add(name);
    if (isCustom(tool)) judgeCustomTool(tool, `${path}.custom`, judge);
  }
}

/** Tools that the provider defines itself carry a dated type and no schema. */
function isCustom(tool: UnknownRecord): boolean {
  const type = fieldOf(tool, "type");
  return type === undefined || type === null || type === "custom";
}

function judgeCustomTool(tool: UnknownRecord, path: string, judge: AnthropicJudge): void {
  const name = stringOf(tool, "name");
  const limit = PROVIDER_LIMITS.anthropicToolNameLength;
  if (name === undefined) judge.missing(`${path}.name`);
  else if (!TOOL_NAME.test(name) || name.length > limit)
    judge.complain(
      "tool-definition",
      `${path}.name`,
      `String should match pattern '^[a-zA-Z0-9_-]{1,${limit}}$'`,
    );
  const schema = fieldOf(tool, "input_schema");
  if (schema === undefined) judge.missing(`${path}.input_schema`);
  else if (!isRecord(schema) || fieldOf(schema, "type") !== "object")
    judge.report(
      "tool-definition",
      `${path}.input_schema`,
      `${path}.input_schema.type: Input should be 'object'`,
    );
}
