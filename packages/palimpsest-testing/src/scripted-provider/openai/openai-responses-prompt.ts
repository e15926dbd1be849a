/**
 * Reads the prompt of an OpenAI Responses request, for the scripted provider, and checks its encrypted reasoning.
 *
 * Changed reasoning is refused. If the items before unchanged reasoning were edited, the reasoning is ignored without
 * an error, as the vendor documents.
 */
import { asString, isObject, readResponsesRequest } from "palimpsest/internal";
import { askedOf } from "../dialect/answer-reply.ts";
import type { IncomingRequest, PromptReading, ReadingRules } from "../dialect/dialect.ts";
import { type PromptPosition, sumPromptTokens } from "../dialect/prompt.ts";
import { ReasoningReader } from "../dialect/reasoning-reader.ts";
import {
  type ContentFields,
  contentText,
  contentWords,
  fieldsText,
  listOf,
  mediaCountOf,
  openAiPosition,
  toolPositions,
} from "./openai-content.ts";

import { manageResponsesContext, summaryOf } from "./openai-context.ts";

const SEAL_PREFIX = "gAAAA";

/** Reads a request, as its reasoning was sealed and as the model reads it after the server's own compaction. */
export function readResponsesPrompt(incoming: IncomingRequest, rules: ReadingRules): PromptReading {
  const reading = readBody(incoming, rules);
  const trusting = { ...rules, bindsThinking: false, acceptsForeignReasoning: true };
  const readEdited = (body: ContentFields): PromptReading => readBody({ ...incoming, body }, trusting);
  const managed = manageResponsesContext(incoming.body, (body) => readEdited(body).promptTokens);
  if (managed === undefined) return reading;
  const { positions, promptTokens } = readEdited(managed.body);
  return { ...reading, positions, promptTokens, managed };
}

function readBody(incoming: IncomingRequest, rules: ReadingRules): PromptReading {
  const { body } = incoming;
  const { count } = rules;
  const tools = toolPositions(body["tools"], count);
  const instructions = asString(body["instructions"]) ?? "";
  const system: readonly PromptPosition[] =
    instructions === ""
      ? []
      : [
          openAiPosition(
            { text: instructions, counted: instructions },
            { tier: "system", path: "instructions", count },
          ),
        ];
  const reader = new ReasoningReader({
    rules,
    model: incoming.model,
    toolsText: tools.map(({ text }) => text).join("\n"),
    systemText: instructions,
    sealPrefix: SEAL_PREFIX,
  });
  const items = itemsOf(body["input"]);
  const read = readItems(items, { reader, rules });
  const positions = [...tools, ...system, ...read.positions];
  return {
    positions,
    promptTokens: sumPromptTokens(positions),
    ...askedOf(readResponsesRequest(body)),
    reasoning: read.reasoning,
    seal: {
      // The text is only a summary of the reasoning, which clients may leave out.
      sealThinking: () => reader.seal(""),
      addBlock: (item) => reader.addBlock(itemText(item)),
      compacted: (item) => reader.addSummary(fieldsText(item, ["id"])),
    },
  };
}

function readItems(
  items: readonly ContentFields[],
  { reader, rules }: { readonly reader: ReasoningReader; readonly rules: ReadingRules },
): { readonly positions: readonly PromptPosition[]; readonly reasoning: PromptReading["reasoning"] } {
  const positions: PromptPosition[] = [];
  const dropped: { path: string; reason: string }[] = [];
  let keptCount = 0;
  let refused: PromptReading["reasoning"]["refused"];
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`;
    const seal = item["type"] === "reasoning" ? asString(item["encrypted_content"]) : undefined;
    const isSummary = item["type"] === "compaction";
    const summary = isSummary ? summaryOf(item, rules.key) : undefined;
    if (isSummary) {
      if (summary === undefined && !rules.acceptsForeignReasoning)
        refused ??= forged(asString(item["encrypted_content"]) ?? "", path);
      reader.addSummary(fieldsText(item, ["id"]));
    } else if (item["type"] !== "reasoning") reader.addBlock(itemText(item));
    else if (seal === undefined) keptCount += 1;
    else {
      const verdict = reader.read(seal, "");
      if (verdict.kind === "kept") keptCount += 1;
      else if (verdict.kind === "forged") refused ??= forged(seal, path);
      else {
        dropped.push({ path, reason: verdict.kind });
        continue;
      }
    }
    positions.push(
      openAiPosition(
        {
          text: isSummary ? fieldsText(item, ["id"]) : itemText(item),
          counted: summary ?? itemWords(item),
          mediaCount: mediaOf(item),
        },
        { tier: "messages", path, count: rules.count },
      ),
    );
  }
  return { positions, reasoning: { keptCount, dropped, refused } };
}

/** Characters of the content that the vendor shows at either end. */
const SHOWN = 4;

function forged(seal: string, path: string): PromptReading["reasoning"]["refused"] {
  const shown = seal.length > 2 * SHOWN ? `${seal.slice(0, SHOWN)}...${seal.slice(-SHOWN)}` : seal;
  return {
    rule: "encrypted-content",
    path,
    message: `The encrypted content ${shown} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
  };
}

function itemsOf(input: unknown): readonly ContentFields[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return listOf(input).filter(isObject);
}

/** Returns a text that identifies an item's content. Its id and status are not content. */
function itemText(item: ContentFields): string {
  return item["role"] === undefined
    ? fieldsText(item, ["id", "status", "encrypted_content"])
    : `${String(item["role"])} ${contentText(item["content"])}`;
}

/** Returns the words of an item that a model reads. */
function itemWords(item: ContentFields): string {
  if (item["role"] !== undefined) return contentWords(item["content"]);
  if (item["type"] === "reasoning") return contentWords(item["summary"]);
  if (item["arguments"] !== undefined) return `${String(item["name"])} ${String(item["arguments"])}`;
  return item["output"] === undefined ? itemText(item) : contentWords(item["output"]);
}

function mediaOf(item: ContentFields): number {
  return item["type"] === "reasoning" ? 0 : mediaCountOf(item["content"]) + mediaCountOf(item["output"]);
}
