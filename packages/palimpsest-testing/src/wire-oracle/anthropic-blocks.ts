/**
 * Judges one content block of an Anthropic request by itself: its type, who may say it, its fields.
 *
 * The table is the request types of the vendor's SDK (`@anthropic-ai/sdk` 1.10,
 * `resources/messages` and `resources/beta/messages`), written down once more by hand.
 */
import { judgeMediaSource } from "./anthropic-media.ts";
import type { AnthropicJudge } from "./anthropic-rules.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import {
  type FieldKind,
  type FieldTable,
  fieldOf,
  isRecord,
  shown,
  stringOf,
  type UnknownRecord,
} from "./violation.ts";

/** Place of a block: in a message of a role, in the system prompt, or in a tool's result. @internal */
type BlockPlace = "user" | "assistant" | "system" | "result";

interface BlockShape extends FieldTable {
  readonly places: readonly BlockPlace[];
}

type Fields = Readonly<Record<string, FieldKind>>;

function shape(places: readonly BlockPlace[], required: Fields, optional: Fields = {}): BlockShape {
  return {
    places,
    required: { type: "string", ...required },
    optional: { cache_control: "object", ...optional },
  };
}

/** Takes no cache mark. */
function bare(places: readonly BlockPlace[], required: Fields, optional: Fields = {}): BlockShape {
  return { places, required: { type: "string", ...required }, optional };
}

const serverResult = (optional: Fields = {}): BlockShape =>
  shape(["assistant"], { tool_use_id: "string", content: "any" }, optional);

const CALL: Fields = { id: "string", name: "filled-string", input: "any" };

const BLOCK_SHAPES: ReadonlyMap<string, BlockShape> = new Map([
  ["text", shape(["user", "assistant", "system", "result"], { text: "string" }, { citations: "array" })],
  ["image", shape(["user", "result"], { source: "object" }, { transformations: "object" })],
  [
    "document",
    shape(
      ["user", "result"],
      { source: "object" },
      { citations: "object", context: "string", title: "string" },
    ),
  ],
  [
    "search_result",
    shape(
      ["user", "result"],
      { content: "array", source: "string", title: "string" },
      { citations: "object" },
    ),
  ],
  ["thinking", bare(["assistant"], { thinking: "string" }, { signature: "any" })],
  ["redacted_thinking", bare(["assistant"], { data: "filled-string" })],
  ["tool_use", shape(["assistant"], CALL, { caller: "object", toolset_name: "string" })],
  [
    "tool_result",
    shape(
      ["user"],
      { tool_use_id: "string" },
      { content: "any", is_error: "boolean", toolset_name: "string" },
    ),
  ],
  ["tool_reference", shape(["result"], { tool_name: "string" })],
  ["browser_state", shape(["result"], { tabs: "array" }, { state_changes: "array" })],
  ["server_tool_use", shape(["assistant"], CALL, { caller: "object" })],
  ["mcp_tool_use", shape(["assistant"], { ...CALL, server_name: "string" })],
  ["web_search_tool_result", serverResult({ caller: "object" })],
  ["web_fetch_tool_result", serverResult({ caller: "object" })],
  ["code_execution_tool_result", serverResult()],
  ["bash_code_execution_tool_result", serverResult()],
  ["text_editor_code_execution_tool_result", serverResult()],
  ["tool_search_tool_result", serverResult()],
  ["advisor_tool_result", serverResult()],
  [
    "mcp_tool_result",
    shape(["assistant"], { tool_use_id: "string" }, { content: "any", is_error: "boolean" }),
  ],
  ["container_upload", shape(["user"], { file_id: "string" })],
  [
    "compaction",
    shape(
      ["assistant"],
      {},
      { content: "string", encrypted_content: "string", signature: "string", tool_changes: "array" },
    ),
  ],
  ["fallback", bare(["assistant"], { from: "object", to: "object" }, { trigger: "any" })],
  ["mcp_tool_listing", bare(["user", "assistant", "system"], { mcp_server_name: "string", tools: "array" })],
  ["tool_addition", shape(["system"], { tool: "object" })],
  ["tool_removal", shape(["system"], { tool: "object" })],
]);

const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const SERVER_CALL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;
const VISIBLE = /\S/;

/** Judges `block`, which stands at `path` in a `place`. @internal */
export function judgeAnthropicBlock(
  block: unknown,
  place: BlockPlace,
  path: string,
  judge: AnthropicJudge,
): void {
  if (!isRecord(block)) {
    judge.wrongType(path, "dictionary");
    return;
  }
  const type = stringOf(block, "type");
  const known = type === undefined ? undefined : BLOCK_SHAPES.get(type);
  if (type === undefined || known === undefined) {
    judge.complain(
      "block-type",
      path,
      `Input tag ${shown(type)} found using 'type' does not match any expected tag`,
    );
    return;
  }
  if (!known.places.includes(place))
    judge.complain("block-role", path, `\`${type}\` blocks are not permitted in \`${place}\` content`);
  judge.fields(block, known, `${path}.${type}`);
  if (type === "thinking") judgeSignature(fieldOf(block, "signature"), `${path}.${type}.signature`, judge);
  judgeInside(block, type, path, judge);
}

/** A separate rule: the block is refused as a whole, not its field. */
function judgeSignature(signature: unknown, path: string, judge: AnthropicJudge): void {
  if (signature === undefined) judge.missing(path, "thinking-signature");
  else if (typeof signature !== "string" || signature === "")
    judge.complain("thinking-signature", path, "Input should be a valid non-empty string");
}

function judgeInside(block: UnknownRecord, type: string, path: string, judge: AnthropicJudge): void {
  if (type === "text") judgeText(block, path, judge);
  else if (type === "image" || type === "document") judgeMediaSource(block, type, path, judge);
  else if (type === "tool_result") judgeToolResult(block, path, judge);
  else if (type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use")
    judgeCall(block, type, path, judge);
}

function judgeText(block: UnknownRecord, path: string, judge: AnthropicJudge): void {
  const text = stringOf(block, "text");
  if (text === undefined || VISIBLE.test(text)) return;
  const complaint =
    text !== ""
      ? "messages: text content blocks must contain non-whitespace text"
      : isRecord(fieldOf(block, "cache_control"))
        ? `${path}.text: cache_control cannot be set for empty text blocks`
        : "messages: text content blocks must be non-empty";
  judge.report("empty-text", path, complaint);
}

function judgeCall(block: UnknownRecord, type: string, path: string, judge: AnthropicJudge): void {
  const id = stringOf(block, "id");
  const pattern = type === "server_tool_use" ? SERVER_CALL_ID : CALL_ID;
  if (id !== undefined && !pattern.test(id))
    judge.complain("call-id", `${path}.${type}.id`, `String should match pattern '${pattern.source}'`);
  const name = stringOf(block, "name") ?? "";
  if (name.length > PROVIDER_LIMITS.anthropicToolNameLength)
    judge.complain(
      "call-name",
      `${path}.${type}.name`,
      `String should have at most ${PROVIDER_LIMITS.anthropicToolNameLength} characters`,
    );
  const input = fieldOf(block, "input");
  if (input !== undefined && !isRecord(input))
    judge.complain("call-input", `${path}.${type}.input`, "Input should be a valid dictionary");
}

function judgeToolResult(block: UnknownRecord, path: string, judge: AnthropicJudge): void {
  const at = `${path}.tool_result`;
  const content = fieldOf(block, "content");
  const isError = fieldOf(block, "is_error") === true;
  if (isError && (content === undefined || content === null || content === "" || isEmptyList(content)))
    judge.complain("result-content", at, `content cannot be empty if \`is_error\` is true`);
  if (content === undefined || content === null || typeof content === "string") return;
  if (!Array.isArray(content)) {
    judge.complain("result-content", `${at}.content`, "Input should be a valid list");
    return;
  }
  for (const [index, part] of content.entries()) {
    judgeAnthropicBlock(part, "result", `${at}.content.${index}`, judge);
    if (isError && isRecord(part) && stringOf(part, "type") !== "text")
      judge.complain("result-content", at, `all content must be type \`text\` if \`is_error\` is true`);
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
