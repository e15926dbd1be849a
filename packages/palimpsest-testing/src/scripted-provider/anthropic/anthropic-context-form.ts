/**
 * Rules of requests that ask Anthropic's server to manage the context, or that carry compaction blocks.
 *
 * Sources: Anthropic SDK 1.12, `resources/beta/messages`; Anthropic docs, "Context editing", "Compaction at a token
 * threshold", "Compaction on demand".
 */
import { asNumber, asString, isObject } from "palimpsest/internal";
import type { Violation } from "../../wire-oracle/wire-oracle.ts";
import type { IncomingRequest } from "../dialect/dialect.ts";
import { isClaudeSince } from "./anthropic-form.ts";

type Fields = Readonly<Record<string, unknown>>;

const CLEAR_BETA = "context-management-2025-06-27";
const COMPACT_BETA = "compact-2026-01-12";
const SUMMARIZE_BETA = "compact-2026-09-04";
/** Source: Anthropic docs, "Compaction at a token threshold". */
const LEAST_TRIGGER_TOKENS = 50_000;
/** First Claude that thinks by default. Source: Anthropic docs, "Context editing": examples without `thinking`. */
const FIRST_THINKING_CLAUDE = [5, 0] as const;

interface EditRule {
  readonly beta: string;
  readonly fields: ReadonlySet<string>;
}

const EDITS: ReadonlyMap<unknown, EditRule> = new Map([
  ["clear_thinking_20251015", { beta: CLEAR_BETA, fields: new Set(["type", "keep"]) }],
  [
    "clear_tool_uses_20250919",
    {
      beta: CLEAR_BETA,
      fields: new Set(["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"]),
    },
  ],
  [
    "compact_20260112",
    {
      beta: COMPACT_BETA,
      fields: new Set(["type", "trigger", "pause_after_compaction", "instructions"]),
    },
  ],
]);

/** Every rule of context management that the request breaks. */
export function judgeContextManagement(incoming: IncomingRequest): readonly Violation[] {
  return [...judgeEdits(incoming), ...judgeSummarize(incoming), ...judgeBlocks(incoming)];
}

function judgeEdits({ body, betas, model }: IncomingRequest): readonly Violation[] {
  const managed = body["context_management"];
  if (managed === undefined || managed === null) return [];
  if (!betas.some((beta) => beta === CLEAR_BETA || beta === COMPACT_BETA))
    return [extra("context_management")];
  if (!isObject(managed) || !Array.isArray(managed["edits"]))
    return [broken("context-edit", "context_management.edits", "Input should be a valid list")];
  const edits = managed["edits"] as readonly unknown[];
  const types = edits.map((edit) => (isObject(edit) ? edit["type"] : undefined));
  const found: Violation[] = [];
  const report = (path: string, message: string): void => {
    found.push(broken("context-edit", path, message));
  };
  if (types.lastIndexOf("clear_thinking_20251015") > 0)
    report("context_management.edits", "`clear_thinking_20251015` must be the first edit");
  if (new Set(types).size < types.length)
    report("context_management.edits", "each strategy may be used at most once");
  edits.forEach((edit, index) => {
    const path = `context_management.edits.${index}`;
    const rule = isObject(edit) ? EDITS.get(edit["type"]) : undefined;
    if (!isObject(edit) || rule === undefined || !betas.includes(rule.beta)) {
      report(
        path,
        `Input tag '${String(types[index])}' found using 'type' does not match any of the expected tags`,
      );
      return;
    }
    for (const field of Object.keys(edit)) if (!rule.fields.has(field)) found.push(extra(`${path}.${field}`));
    found.push(...judgeFigures(edit, path));
    if (edit["type"] === "clear_thinking_20251015" && !thinks(body, model))
      report(path, "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive");
  });
  return found;
}

function judgeFigures(edit: Fields, path: string): readonly Violation[] {
  const found: Violation[] = [];
  const check = (field: string, types: Readonly<Record<string, number>>): void => {
    const value = edit[field];
    if (value === undefined || value === null || value === "all") return;
    const least = isObject(value) ? types[String(value["type"])] : undefined;
    const figure = isObject(value) ? asNumber(value["value"]) : undefined;
    if (least === undefined || figure === undefined || !Number.isInteger(figure) || figure < least)
      found.push(
        broken("context-edit", `${path}.${field}`, `Input should be greater than or equal to ${least ?? 0}`),
      );
  };
  if (edit["type"] === "compact_20260112") check("trigger", { input_tokens: LEAST_TRIGGER_TOKENS });
  else if (edit["type"] === "clear_thinking_20251015") check("keep", { thinking_turns: 1, all: 0 });
  else {
    check("trigger", { input_tokens: 1, tool_uses: 1 });
    check("keep", { tool_uses: 0 });
    check("clear_at_least", { input_tokens: 1 });
  }
  return found;
}

function thinks(body: Fields, model: string): boolean {
  const { thinking } = body;
  if (isObject(thinking)) return thinking["type"] !== "disabled";
  return isClaudeSince(model, FIRST_THINKING_CLAUDE);
}

/** A request for a summary alone. */
function judgeSummarize({ body, betas }: IncomingRequest): readonly Violation[] {
  const { compaction } = body;
  if (compaction === undefined || compaction === null) return [];
  if (!betas.includes(SUMMARIZE_BETA)) return [extra("compaction")];
  const refused = ["context_management", "stop_sequences"].filter((field) => body[field] !== undefined);
  const found = refused.map((field) =>
    broken("compaction-request", field, `\`${field}\` cannot be combined with \`compaction\``),
  );
  const choice = isObject(body["tool_choice"]) ? body["tool_choice"]["type"] : undefined;
  if (choice === "any" || choice === "tool")
    found.push(
      broken("compaction-request", "tool_choice", "`tool_choice` cannot force a tool with `compaction`"),
    );
  const last = listOf(body["messages"]).at(-1);
  if (last === undefined)
    found.push(broken("compaction-request", "messages", "there is nothing to summarize"));
  if (last?.["role"] === "assistant" && blocksOf(last).some(({ type }) => type === "tool_use"))
    found.push(
      broken("compaction-request", "messages", "the last turn ends with a tool call that has no result"),
    );
  return found;
}

/** Judges compaction blocks of earlier answers. */
function judgeBlocks({ body, betas }: IncomingRequest): readonly Violation[] {
  const blocks = listOf(body["messages"]).flatMap((message, index) =>
    blocksOf(message).flatMap((block, place) =>
      block["type"] === "compaction" ? [{ block, path: `messages.${index}.content.${place}` }] : [],
    ),
  );
  const found: Violation[] = [];
  const signed = blocks.filter(({ block }) => (asString(block["signature"]) ?? "") !== "");
  for (const { block, path } of blocks) {
    const isSigned = signed.some((one) => one.block === block);
    const needed = isSigned ? SUMMARIZE_BETA : COMPACT_BETA;
    if (!betas.includes(needed)) {
      const message = `${path}: Input tag 'compaction' found using 'type' does not match any of the expected tags`;
      found.push({ rule: "block-type", path, message });
    } else if (!isSigned && !declares(body))
      found.push(
        broken("compaction-strategy", path, "`compaction` needs `compact_20260112` among the edits"),
      );
  }
  if (signed.length > 1)
    found.push(
      broken(
        "compaction-ambiguous",
        "messages",
        "send only the newest `compaction` block (compaction_block_ambiguous)",
      ),
    );
  return found;
}

function declares(body: Fields): boolean {
  const managed = body["context_management"];
  return isObject(managed) && listOf(managed["edits"]).some(({ type }) => type === "compact_20260112");
}

function extra(path: string): Violation {
  return { rule: "extra-field", path, message: `${path}: Extra inputs are not permitted` };
}

function broken(rule: string, path: string, message: string): Violation {
  return { rule, path, message: `${path}: ${message}` };
}

function blocksOf({ content }: Fields): readonly Fields[] {
  return listOf(content);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
