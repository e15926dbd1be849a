/**
 * The texts that attachment records put into the conversation.
 *
 * Newer versions record the text that was sent (`rendered`); that is taken to the letter. Older
 * ones record the data it was made from, so the text is rebuilt as well as the data allow: close in
 * size and content, not the same bytes. A kind that holds nothing the model saw gives `undefined`.
 */
import { asString, isObject } from "../../base/json/json.ts";
import type { ContentBlock, Origin, Role } from "../../transcript/blocks.ts";
import { recordedContent } from "../../wire/anthropic/from-anthropic.ts";
import type { OnDamage } from "../../wire/shared/well-formed-block.ts";

/** @internal */
interface AttachmentMessage {
  readonly role: Role;
  readonly origin: Origin;
  readonly content: readonly ContentBlock[];
}

/** Kinds that only people see. */
const SHOWN_TO_PEOPLE: ReadonlySet<string> = new Set(["hook_system_message", "command_permissions"]);

/** Reads an attachment record; `undefined` where it put nothing into the conversation. @internal */
export function attachmentMessage(
  raw: Readonly<Record<string, unknown>>,
  onDamage: OnDamage,
): AttachmentMessage | undefined {
  const attachment = isObject(raw["attachment"]) ? raw["attachment"] : {};
  const kind = asString(attachment["type"]) ?? "";
  const rendered = raw["rendered"] ?? attachment["rendered"];
  if (Array.isArray(rendered)) {
    const isSystem = (raw["renderedRole"] ?? attachment["renderedRole"]) === "system";
    const role = isSystem ? "system" : "user";
    const content = rendered.flatMap((part: unknown) =>
      isObject(part) ? recordedContent(part["content"], role, onDamage) : [],
    );
    return content.length === 0 ? undefined : { role, origin: "host", content };
  }
  if (kind === "queued_command") return queuedCommand(attachment, onDamage);
  const text = SHOWN_TO_PEOPLE.has(kind) ? "" : rebuiltText(kind, attachment);
  return text === "" ? undefined : { role: "user", origin: "host", content: [{ type: "text", text }] };
}

/** Something the user typed while the agent was busy. */
function queuedCommand(
  attachment: Readonly<Record<string, unknown>>,
  onDamage: OnDamage,
): AttachmentMessage | undefined {
  const content = recordedContent(attachment["prompt"], "user", onDamage);
  if (content.length === 0) return undefined;
  const from = isObject(attachment["origin"]) ? attachment["origin"]["kind"] : "human";
  return { role: "user", origin: from === "human" ? "user" : "host", content };
}

function rebuiltText(kind: string, attachment: Readonly<Record<string, unknown>>): string {
  const name = asString(attachment["filename"]) ?? asString(attachment["path"]) ?? "";
  switch (kind) {
    case "file":
      return `Contents of ${name}:\n${textsIn(attachment["content"])}`;
    case "nested_memory":
      return `Contents of ${name}:\n${nestedContent(attachment["content"])}`;
    case "edited_text_file":
      return `${name} was modified. The relevant changes, with line numbers:\n${textsIn(attachment["snippet"])}`;
    case "compact_file_reference":
      return `${name} was read before the conversation was compacted; its contents are too large to include.`;
    case "date_change":
      return `The date has changed. Today's date is now ${textsIn(attachment["newDate"])}.`;
    case "deferred_tools_delta":
    case "agent_listing_delta":
    case "mcp_instructions_delta":
      return textsIn(attachment["addedBlocks"] ?? attachment["addedLines"] ?? attachment["addedNames"]);
    default:
      return textsIn(attachment["content"] ?? attachment["text"] ?? attachment["prompt"]);
  }
}

function nestedContent(content: unknown): string {
  return isObject(content) ? textsIn(content["content"]) : textsIn(content);
}

/** Fields that say what something is or where it lies, not what it says. */
const LABELS: ReadonlySet<string> = new Set([
  "type",
  "filePath",
  "path",
  "id",
  "status",
  "displayPath",
  "globs",
]);

/** All texts in a value, in order, one per line. Depth is bounded by what is parsed at all. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return value
      .map(textsIn)
      .filter((text) => text !== "")
      .join("\n");
  if (!isObject(value)) return "";
  return Object.entries(value)
    .filter(([key]) => !LABELS.has(key))
    .map(([, item]) => textsIn(item))
    .filter((text) => text !== "")
    .join("\n");
}
