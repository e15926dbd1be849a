/**
 * The form of a session that the Markdown and HTML exporters share: messages in parts, each with its kind and a plain text
 * that is safe to show.
 *
 * This file removes secrets if asked to, makes hidden characters visible, and turns arguments into readable lines. The
 * exporters only have to escape the texts.
 */
import { isObject, type JsonValue, writeDeepJson } from "../base/json/json.ts";
import { KnownSecrets } from "../base/redaction/known-secrets.ts";
import type { SecretFamily } from "../base/redaction/secret-patterns.ts";
import { showHidden, showOnOneLine } from "../base/text/hidden-characters.ts";
import { toWellFormed } from "../base/text/text.ts";
import {
  blockText,
  type ContentBlock,
  isServerToolResult,
  type Origin,
  type Role,
} from "../transcript/blocks.ts";
import { learnSecrets, redactJson } from "../transcript/without-secrets.ts";

/** Arguments with longer values show them below their names: more does not fit on a line. */
const INLINE_ARGUMENT_CHARACTERS = 100;

/** A line above the conversation, such as the session's id or model. */
interface ExportedFact {
  readonly name: string;
  readonly value: string;
}

/** The part of the document above the conversation. */
export interface ExportedHead {
  readonly title: string;
  readonly facts: readonly ExportedFact[];
  /** The user's messages, for a list of links. */
  readonly prompts: readonly { readonly seq: number; readonly text: string }[];
}

/** One block of a message. */
export interface ExportedPart {
  readonly kind: "text" | "thinking" | "call" | "result" | "media" | "other";
  /** Address of the block: `m12.0`. */
  readonly pointer: string;
  /** Tool of a call or a result. On one line, and safe to show. */
  readonly tool?: string;
  readonly isError?: boolean;
  /** Safe to show: nothing hidden is in it. */
  readonly text: string;
}

/** One message. */
export interface ExportedMessage {
  readonly type: "message";
  readonly seq: number;
  readonly role: Role;
  readonly origin: Origin;
  /** Milliseconds since the epoch; absent where it is not a time. */
  readonly at?: number;
  /** True if a rewind removed it from the conversation. */
  readonly isTakenBack: boolean;
  readonly isInterrupted: boolean;
  readonly parts: readonly ExportedPart[];
}

/** Something that happened between messages, in one line: an edit, a damaged stretch. */
interface ExportedNote {
  readonly type: "note";
  readonly text: string;
}

/** One item of a conversation, by `type`. */
export type ExportedItem = ExportedMessage | ExportedNote;

/** A whole message from the log, as `SessionPresenter` takes it. */
interface PresentedMessage {
  readonly seq: number;
  readonly role: Role;
  readonly origin: Origin;
  readonly at?: number;
  readonly isTakenBack?: boolean;
  readonly isInterrupted?: boolean;
  readonly content: readonly ContentBlock[];
}

/** Most values of nested arguments that are written; the rest is left out. */
const MAX_VALUES = 100_000;

/** Converts the messages of a session into exported ones. Pass them in order: a result gets the tool name of its call. */
export class SessionPresenter {
  readonly #isRedacted: boolean;
  readonly #toolNames = new Map<string, string>();
  readonly #found = new Map<SecretFamily, number>();
  readonly #secrets = new KnownSecrets();

  constructor({ isRedacted }: { readonly isRedacted: boolean }) {
    this.#isRedacted = isRedacted;
  }

  /** Number of secrets removed so far, by family. */
  get redacted(): ReadonlyMap<SecretFamily, number> {
    return this.#found;
  }

  /** Remembers the secrets of a later message, so that pieces of them in earlier messages are removed, too. */
  learn(content: readonly ContentBlock[]): void {
    if (this.#isRedacted) learnSecrets(content, this.#secrets);
  }

  message(original: PresentedMessage): ExportedMessage {
    const { seq, role, origin, at, content } = original;
    return {
      type: "message",
      seq,
      role,
      origin,
      ...(at === undefined || isoTime(at) === undefined ? {} : { at }),
      isTakenBack: original.isTakenBack === true,
      isInterrupted: original.isInterrupted === true,
      parts: content.map((block, index) => ({ ...this.#part(block), pointer: `m${seq}.${index}` })),
    };
  }

  note(text: string): ExportedNote {
    return { type: "note", text: this.line(text) };
  }

  /** Returns a text on one line, safe to show. */
  line(text: string): string {
    return showOnOneLine(this.#redact(text));
  }

  #part(block: ContentBlock): Omit<ExportedPart, "pointer"> {
    switch (block.type) {
      case "text":
        return { kind: "text", text: this.#text(block.text) };
      case "thinking":
        return { kind: "thinking", text: this.#text(block.thinking) };
      case "redacted_thinking":
        return { kind: "thinking", text: "(encrypted; only its provider can read it)" };
      case "tool_use":
      case "server_tool_use":
      case "mcp_tool_use":
        this.#toolNames.set(block.id, block.name);
        return {
          kind: "call",
          tool: this.line(block.name),
          text: this.#text(argumentsText(this.#cleanInput(block.input))),
        };
      case "image":
      case "document":
        return this.#media(block);
      default:
        return this.#answer(block);
    }
  }

  /** Redacts arguments before they become text, because a password is recognized by the name of its argument. */
  #cleanInput(input: JsonValue): JsonValue {
    return this.#isRedacted ? redactJson(input, (text) => this.#redact(text)) : input;
  }

  #answer(block: ContentBlock): Omit<ExportedPart, "pointer"> {
    if (block.type !== "tool_result" && !isServerToolResult(block))
      return { kind: "other", text: this.#text(blockText(block)) };
    const name = this.#toolNames.get(block.tool_use_id);
    return {
      kind: "result",
      ...(name === undefined ? {} : { tool: this.line(name) }),
      ...(block.type === "tool_result" && block.is_error === true ? { isError: true } : {}),
      text: this.#text(blockText(block)),
    };
  }

  #media(block: ContentBlock & { readonly source: unknown }): Omit<ExportedPart, "pointer"> {
    const source = isObject(block.source) ? block.source : {};
    const text = blockText(block);
    if (text !== "[document]" && text !== "[image]") return { kind: "media", text: this.#text(text) };
    const facts = [
      block.type,
      ...["media_type", "url", "file_id"].map((key) => source[key]).filter((one) => typeof one === "string"),
      ...(typeof source["data"] === "string" ? [`${source["data"].length} characters of base64`] : []),
    ];
    return { kind: "media", text: this.line(facts.join(", ")) };
  }

  #text(text: string): string {
    return showHidden(this.#redact(text).replace(/\r\n?/g, "\n"));
  }

  #redact(text: string): string {
    if (!this.#isRedacted) return toWellFormed(text);
    const { text: clean, found } = this.#secrets.redact(text);
    for (const [family, count] of found) this.#found.set(family, (this.#found.get(family) ?? 0) + count);
    return clean;
  }
}

/** Returns arguments as lines of name and value; a long value follows its name on lines below. */
function argumentsText(input: JsonValue): string {
  if (!isObject(input)) return jsonText(input);
  return Object.entries(input)
    .map(([name, value]) => {
      const isLong =
        typeof value === "string" && (value.length > INLINE_ARGUMENT_CHARACTERS || /[\r\n]/.test(value));
      return isLong
        ? `${name}:\n${value}`
        : `${name}: ${typeof value === "string" ? value : jsonText(value)}`;
    })
    .join("\n");
}

function jsonText(value: unknown): string {
  const written = writeDeepJson(value, { maxValues: MAX_VALUES });
  return written.ok ? written.text : `(${written.reason})`;
}

/** Returns a time as `2026-11-21 23:08:32 UTC`; `undefined` if the number is not a valid date. */
export function isoTime(at: number): string | undefined {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return undefined;
  return `${date.toISOString().slice(0, -5).replace("T", " ")} UTC`;
}

/** The speaker, in one word or two. */
export function speakerOf({ role, origin }: Pick<ExportedMessage, "role" | "origin">): string {
  if (origin === "tool") return "Tool results";
  if (origin === "user" && role === "user") return "User";
  if (origin === "assistant" || role === "assistant") return "Assistant";
  return role === "system" ? "System" : `${origin.charAt(0).toUpperCase()}${origin.slice(1)}`;
}

/** Returns the number of lines of a text; an empty text has one. */
export function lineCountOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
