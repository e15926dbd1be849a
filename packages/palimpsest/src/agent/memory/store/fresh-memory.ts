/**
 * A fact on its way into memory: cleaned, named, and with what is known of where it came from.
 */
import { OptionError } from "../../../base/errors.ts";
import {
  anyString,
  anything,
  checkOptions,
  flag,
  listOfTexts,
  number,
  type OptionRules,
} from "../../../base/options/check-options.ts";
import { firstLine, shorten } from "../../../base/text/text.ts";
import {
  MEMORY_SOURCES,
  MEMORY_TYPES,
  type MemorySource,
  type MemoryType,
} from "../../../memory/files/memory.ts";
import { cleanMemoryText } from "../../../memory/trust/clean-memory.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import { TEAM_FOLDER } from "./mounted-store.ts";

/** Words of a fact that become its name, where it is given none. Our choice: what a list shows of it. */
const NAME_WORDS_COUNT = 8;

/** Details of a fact beside its text. All may be left out. */
export interface RememberOptions {
  /** @defaultValue the first words of the text */
  readonly name?: string;
  /** One line that says when it matters; what a search and a model see first. */
  readonly description?: string;
  /** @defaultValue `project` */
  readonly type?: MemoryType;
  /**
   * The source. Text that only a tool or the web said is quarantined: kept, and shown to no model. @defaultValue
   * `agent`
   */
  readonly source?: MemorySource;
  /** A person stands by it. @defaultValue true where a user said it */
  readonly isConfirmed?: boolean;
  /** Keeps it from models until a person confirms it. @defaultValue true for text that only a tool or the web said */
  readonly isQuarantined?: boolean;
  /** `false` for what stays true: it does not lose worth with age. @defaultValue false where a user asked for it, else true */
  readonly decays?: boolean;
  /** When it was first said, in milliseconds since the epoch. @defaultValue now */
  readonly createdAtMs?: number;
  /** When it was last said, in milliseconds since the epoch. @defaultValue `createdAtMs` */
  readonly updatedAtMs?: number;
  /** Shared with the project's team, where there is one. @defaultValue false */
  readonly isTeam?: boolean;
  /**
   * A folder in the directory, for what is to stay apart, as the memories of one role: it is compared with those of this
   * folder only. One part, as in a path. @defaultValue the directory itself
   */
  readonly folder?: string;
  /**
   * Memories that it contradicts: they are superseded if its words report a change, unless better founded. Otherwise both
   * stay, and it is recalled before them. `supersede` has no such condition.
   */
  readonly corrects?: readonly string[];
  /** The session of the statement. */
  readonly sessionId?: string;
  readonly messageId?: string;
  /**
   * For pieces of a conversation, remembered one by one: the memory of the preceding message. Then each is also found
   * by the text around it. Not for facts, which are complete by themselves.
   */
  readonly follows?: string;
}

/** The names; `readFresh` checks the values. */
const RULES: OptionRules<RememberOptions> = {
  name: anyString,
  description: anyString,
  type: anything,
  source: anything,
  isConfirmed: flag,
  isQuarantined: flag,
  decays: flag,
  createdAtMs: number,
  updatedAtMs: number,
  isTeam: flag,
  folder: anyString,
  corrects: listOfTexts,
  sessionId: anyString,
  messageId: anyString,
  follows: anyString,
};

interface ReadFresh {
  /** `undefined` where nothing is left to remember. */
  readonly fresh: FreshMemory | undefined;
  /** Removed or escaped parts, in words. */
  readonly cleaned: readonly string[];
}

/** @throws `OPTION_INVALID` */
export function readFresh(text: string, options: RememberOptions, hasTeam: boolean): ReadFresh {
  checkOptions("remember", options, RULES);
  const { type = "project", source = "agent", isTeam = false } = options;
  if (typeof text !== "string")
    throw invalid("The text to remember is not a string.", "Pass the fact as a string.");
  if (!MEMORY_TYPES.includes(type))
    throw invalid(`"${String(type)}" is not a type of memory.`, oneOf(MEMORY_TYPES));
  if (!MEMORY_SOURCES.includes(source))
    throw invalid(`"${String(source)}" is not a source of a memory.`, oneOf(MEMORY_SOURCES));
  if (isTeam && !hasTeam)
    throw invalid(
      "There is no team to share it with.",
      "Open the memory with a team, or leave `isTeam` out.",
    );
  const body = cleanMemoryText(text, "body");
  const name = cleanMemoryText(options.name ?? "", "name");
  const description = cleanMemoryText(options.description ?? "", "description");
  const cleaned = [...new Set([body, name, description].flatMap(({ changes }) => changes))];
  if (body.text.trim() === "") return { fresh: undefined, cleaned };
  const isConfirmed = options.isConfirmed ?? source === "user";
  const fresh: FreshMemory = {
    name: name.text.trim() === "" ? nameOf(body.text) : name.text,
    description: description.text,
    type,
    body: body.text,
    source,
    isConfirmed,
    isQuarantined:
      options.isQuarantined === true || ((source === "tool" || source === "web") && !isConfirmed),
    // A requested memory does not decay by itself.
    decays: options.decays ?? source !== "user",
    sessionId: options.sessionId,
    messageId: options.messageId,
    follows: options.follows,
    createdAtMs: options.createdAtMs,
    updatedAtMs: options.updatedAtMs,
    folder: (isTeam ? TEAM_FOLDER : "") + (options.folder === undefined ? "" : `${options.folder}/`),
  };
  return { fresh, cleaned };
}

/** The first words, without the marks of Markdown. */
function nameOf(body: string): string {
  const line = firstLine(body).replace(/^[#>*+\-\s`_]+/, "");
  const words = line.split(/\s+/).slice(0, NAME_WORDS_COUNT).join(" ");
  const { text } = cleanMemoryText(
    shorten(words.replace(/(?<![.,;:!?])[.,;:!?]+$/, ""), NAME_CHARACTERS),
    "name",
  );
  return text.trim() === "" ? "note" : text;
}

/** Scripts without blanks between words have long first words. */
const NAME_CHARACTERS = 60;

function invalid(message: string, hint: string): OptionError {
  return new OptionError({ message, hint });
}

function oneOf(values: readonly string[]): string {
  return `Use one of ${values.join(", ")}.`;
}
