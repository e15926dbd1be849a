/**
 * Reads an Anthropic request: its positions, its texts, and what becomes of the thinking in it.
 */
import { asString, isObject, readAnthropicRequest } from "palimpsest/internal";
import { askedOf } from "../dialect/answer-reply.ts";
import type { IncomingRequest, PromptReading, ReadingRules } from "../dialect/dialect.ts";
import { type PromptPosition, positionTokens, sumPromptTokens, type TextCounter } from "../dialect/prompt.ts";
import {
  type PrefixDifference,
  ReasoningReader,
  type ReasoningVerdict,
} from "../dialect/reasoning-reader.ts";

import { isForgedSummary, isSummary, manageAnthropicContext } from "./anthropic-context.ts";

type Fields = Readonly<Record<string, unknown>>;
type Mark = "5m" | "1h";

/** Asks for `block_binding` and for `input_transformations`. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const SEAL_PREFIX = "EqQB";

/** Reads a request, as its thinking was signed and as the model reads it after the server's own edits. */
export function readAnthropicPrompt(incoming: IncomingRequest, rules: ReadingRules): PromptReading {
  const reading = readBody(incoming, rules);
  // What the server edits itself does not invalidate thinking.
  const trusting = { ...rules, bindsThinking: false, acceptsForeignReasoning: true };
  const readEdited = (body: Fields): PromptReading => readBody({ ...incoming, body }, trusting);
  const managed = manageAnthropicContext(incoming.body, (body) => readEdited(body).promptTokens);
  if (managed === undefined) return reading;
  const { positions, promptTokens } = readEdited(managed.body);
  return { ...reading, positions, promptTokens, managed };
}

function readBody(incoming: IncomingRequest, rules: ReadingRules): PromptReading {
  const { body } = incoming;
  const tools = toolPositions(body, rules.count);
  const system = systemPositions(body, rules.count);
  const reader = new ReasoningReader({
    rules,
    model: incoming.model,
    toolsText: tools
      .map(({ text }) => text)
      .sort()
      .join("\n"),
    systemText: system.map(({ text }) => text).join("\n"),
    sealPrefix: SEAL_PREFIX,
  });
  const messages = new MessageReader(incoming, rules, reader);
  for (const [index, message] of listOf(body["messages"]).entries())
    if (isObject(message)) messages.add(message, `messages.${index}`);
  const positions = withAutomaticMark([...tools, ...system, ...messages.positions], body);
  return {
    positions,
    promptTokens: sumPromptTokens(positions),
    ...askedOf(readAnthropicRequest(body)),
    reasoning: {
      keptCount: messages.keptCount,
      dropped: messages.dropped,
      refused: messages.refused,
    },
    seal: {
      sealThinking: (text) => reader.seal(text),
      addBlock: (block) => reader.addBlock(`assistant ${contentText(block)}`),
      compacted: (block) => reader.addSummary(contentText(block)),
    },
  };
}

/** Walks the messages of one request. */
class MessageReader {
  readonly positions: PromptPosition[] = [];
  readonly dropped: { readonly path: string; readonly reason: string }[] = [];
  refused: PromptReading["reasoning"]["refused"];
  keptCount = 0;
  readonly #incoming: IncomingRequest;
  readonly #rules: ReadingRules;
  readonly #reader: ReasoningReader;
  readonly #dropsMismatches: boolean;
  /** The thinking just before was dropped, and what follows it directly goes with it. */
  #isDropping = false;

  constructor(incoming: IncomingRequest, rules: ReadingRules, reader: ReasoningReader) {
    this.#incoming = incoming;
    this.#rules = rules;
    this.#reader = reader;
    const thinking = incoming.body["thinking"];
    const binding = isObject(thinking) ? thinking["block_binding"] : undefined;
    this.#dropsMismatches = isObject(binding) && binding["prefix_mismatch_behavior"] === "drop_block";
  }

  add(message: Fields, path: string): void {
    const role = asString(message["role"]) ?? "user";
    for (const [index, block] of blocksOf(message["content"]).entries())
      this.#addBlock(block, role, `${path}.content.${index}`);
  }

  #addBlock(block: Fields, role: string, path: string): void {
    const type = asString(block["type"]) ?? "";
    const isThinking = type === "thinking" || type === "redacted_thinking";
    if (isThinking && !this.#readThinking(block, type, path)) return;
    const read = position(block, { tier: "messages", path, role, count: this.#rules.count });
    this.positions.push(read);
    if (isThinking) return;
    this.#isDropping = false;
    if (isSummary(block)) {
      if (!this.#rules.acceptsForeignReasoning && isForgedSummary(block, this.#rules.key))
        this.refused ??= {
          rule: "compaction-signature",
          path,
          message: `${path}: the \`compaction\` block was changed (compaction_signature_invalid)`,
        };
      this.#reader.addSummary(contentText(block));
      return;
    }
    this.#reader.addBlock(read.text);
  }

  /** True if the model gets to read it. */
  #readThinking(block: Fields, type: string, path: string): boolean {
    const seal = asString(block[type === "thinking" ? "signature" : "data"]) ?? "";
    const content = type === "thinking" ? (asString(block["thinking"]) ?? "") : "";
    const verdict: ReasoningVerdict = this.#isDropping
      ? { kind: "other-prefix", difference: "missing-reasoning" }
      : this.#reader.read(seal, content);
    if (verdict.kind === "kept") {
      this.keptCount += 1;
      return true;
    }
    if (verdict.kind === "other-model") this.dropped.push({ path, reason: "model_binding_mismatch" });
    else if (verdict.kind === "other-prefix" && this.#dropsMismatches) {
      this.#isDropping = true;
      this.dropped.push({ path, reason: "prefix_binding_mismatch" });
    } else this.#refuse(verdict, type, path);
    return false;
  }

  #refuse(verdict: ReasoningVerdict, type: string, path: string): void {
    const start = `${path}: Invalid \`${type === "thinking" ? "signature" : "data"}\` in \`${type}\` block`;
    const message =
      verdict.kind === "other-prefix"
        ? `${start}. ${bindingWords(verdict.difference, this.#incoming.betas.includes(BINDING_BETA))}`
        : start;
    this.refused ??= { rule: "thinking-binding", path, message };
  }
}

const DIFFERENCE_WORDS: Readonly<Record<PrefixDifference, string>> = {
  system: " The `system` prompt differs from the one this block was created with.",
  tools: " The `tools` list differs from the one this block was created with.",
  "missing-content": " Content that preceded this block when it was created is missing from this request.",
  messages: "",
  "missing-reasoning":
    " The `thinking` block that preceded this one when it was created is missing from this request.",
};

function bindingWords(difference: PrefixDifference, hasBeta: boolean): string {
  const beta = hasBeta
    ? ""
    : ` That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header.`;
  return (
    "The block is bound to a different conversation. Remove the block, or set " +
    `\`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${beta}${DIFFERENCE_WORDS[difference]}`
  );
}

/** Tools that are loaded later are not part of the prompt until something refers to them. */
function toolPositions(body: Fields, count: TextCounter): readonly PromptPosition[] {
  return listOf(body["tools"]).flatMap((tool, index) =>
    isObject(tool) && tool["defer_loading"] !== true
      ? [position(tool, { tier: "tools", path: `tools.${index}`, role: "tool", count })]
      : [],
  );
}

function systemPositions(body: Fields, count: TextCounter): readonly PromptPosition[] {
  return blocksOf(body["system"]).map((block, index) =>
    position(block, { tier: "system", path: `system.${index}`, role: "system", count }),
  );
}

function position(
  block: Fields,
  at: {
    readonly tier: PromptPosition["tier"];
    readonly path: string;
    readonly role: string;
    readonly count: TextCounter;
  },
): PromptPosition {
  const { text, mediaCount } = countedText(block);
  const type = asString(block["type"]) ?? "";
  const mark = markOf(block);
  return {
    tier: at.tier,
    path: at.path,
    text: `${at.role} ${contentText(block)}`,
    tokens: positionTokens(text, at.count, mediaCount),
    isMarkable: type !== "thinking" && type !== "redacted_thinking",
    ...(type === "tool_use" || type === "tool_result" ? { run: type } : {}),
    ...(mark === undefined ? {} : { mark }),
  };
}

function markOf(holder: Fields): Mark | undefined {
  const mark = holder["cache_control"];
  if (isObject(mark)) return mark["ttl"] === "1h" ? "1h" : "5m";
  // A mark on a part of a result counts at the result.
  const inside = listOf(holder["content"]).findLast(
    (part) => isObject(part) && isObject(part["cache_control"]),
  );
  return isObject(inside) ? markOf({ cache_control: inside["cache_control"] }) : undefined;
}

/** A mark on the body represents one on the last block that can carry it. */
function withAutomaticMark(positions: readonly PromptPosition[], body: Fields): readonly PromptPosition[] {
  const mark = markOf({ cache_control: body["cache_control"] });
  const last = positions.findLastIndex(({ isMarkable }) => isMarkable);
  return mark === undefined
    ? positions
    : positions.map((each, index) => (index === last ? { ...each, mark } : each));
}

/** Texts of blocks: a request that the server edits is read once for each of its edits. */
const contentTexts = new WeakMap<Fields, string>();

/** A block's content in one text, however it is written down: without marks, nulls and the order of its fields. */
function contentText(block: Fields): string {
  const text = contentTexts.get(block) ?? JSON.stringify(contentOf(block));
  contentTexts.set(block, text);
  return text;
}

function contentOf(block: Fields): Fields {
  const content: Record<string, unknown> = {};
  for (const field of Object.keys(block).sort()) {
    const value = block[field];
    const isLeftOut =
      field === "cache_control" ||
      value === null ||
      value === undefined ||
      (field === "is_error" && value === false) ||
      (field === "citations" && Array.isArray(value) && value.length === 0);
    if (!isLeftOut) content[field] = field === "content" ? blocksOf(value).map(contentOf) : value;
  }
  return content;
}

function countedText(block: Fields): { readonly text: string; readonly mediaCount: number } {
  switch (block["type"]) {
    case "text":
      return { text: asString(block["text"]) ?? "", mediaCount: 0 };
    case "thinking":
      return { text: asString(block["thinking"]) ?? "", mediaCount: 0 };
    case "redacted_thinking":
      return { text: "", mediaCount: 0 };
    case "tool_use":
      return { text: `${asString(block["name"])} ${JSON.stringify(block["input"])}`, mediaCount: 0 };
    case "tool_result": {
      const parts = blocksOf(block["content"]).map(countedText);
      return {
        text: parts.map(({ text }) => text).join("\n"),
        mediaCount: parts.reduce((sum, { mediaCount }) => sum + mediaCount, 0),
      };
    }
    case "compaction":
      // The model reads the summary, not its seal.
      return { text: asString(block["content"]) ?? "", mediaCount: 0 };
    case "image":
    case "document":
      return isObject(block["source"]) && block["source"]["type"] === "text"
        ? { text: asString(block["source"]["data"]) ?? "", mediaCount: 0 }
        : { text: "", mediaCount: 1 };
    default:
      return { text: contentText(block), mediaCount: 0 };
  }
}

/** The blocks of a content, which may be a text alone. */
function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listOf(content).filter(isObject);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
