/**
 * Splits a user's message into the user's own words and text that was inserted: by the program around the agent, or
 * from a clipboard.
 *
 * A person's own words are trusted most, so in doubt a line is not theirs: code, quotations, logs, tables, documents
 * and text after a colon belong to others. The user can repeat a request that is lost by this, and no page becomes a
 * request by being pasted. Linear in the text.
 */
import { ANNOUNCES_RULES, ASKS_TO_REMEMBER } from "../cues/cues.ts";
import { splitQuoted } from "./quoted-words.ts";

/** Characters of one message that are taken for a user's own words; more is a document. Our choice: more than twice the longest of the recorded sessions, which has about 1,500. */
const OWN_WORDS_CHARACTERS = 4_000;

interface SpokenText {
  /** Lines that the user wrote; without those of others, which may leave it empty. */
  readonly own: string;
  /** Everything else. */
  readonly others: string;
}

/** Tags that programs around agents put around what they add to a user's message. */
const HOST_TAGS = (
  "system-reminder system_reminder task-notification local-command-stdout local-command-stderr " +
  "local-command-caveat command-name command-message command-args command-contents bash-input " +
  "bash-stdout bash-stderr user-prompt-submit-hook persisted-output environment_context " +
  "environment_details user_instructions instructions skill ide_opened_file ide_selection " +
  "turn_aborted attachment context document documents file file_content session-notes"
).split(" ");
const HOST_OPEN = new RegExp(`<(${HOST_TAGS.join("|")})(?=[\\s>])[^<>]{0,500}>`, "gi");

/** Beginnings of messages that a program wrote in the user's place. */
const HOST_MESSAGES = [
  "\\[Request interrupted",
  "Caveat: The messages below",
  "This session is being continued from",
  "Base directory for this skill",
  "Stop hook feedback",
  "<(?:task-notification|local-command-|command-|bash-|user-prompt-submit)",
];
const HOST_MESSAGE = new RegExp(`^\\s*(?:${HOST_MESSAGES.join("|")})`);

/** The message's text in two; both in its order. */
export function splitOwnWords(text: string): SpokenText {
  if (HOST_MESSAGE.test(text)) return { own: "", others: text };
  const { own: ownParts, others: added } = withoutHostBlocks(text);
  const own: string[] = [];
  const others: string[] = added === "" ? [] : [added];
  const reader = new LineReader();
  const lines = ownParts.split(/\r\n?|\n/);
  const isAlone = lines.filter((line) => line.trim() !== "").length === 1;
  for (const line of lines) (reader.isOwn(line, isAlone) ? own : others).push(line);
  const ownText = own.join("\n").trim();
  // Longer than a person types: a document without marks.
  if (ownText.length > OWN_WORDS_CHARACTERS) return { own: "", others: text };
  const { own: kept, quoted } = splitQuoted(ownText);
  return { own: kept.trim(), others: [...others, ...quoted].join("\n").trim() };
}

function withoutHostBlocks(text: string): SpokenText {
  const own: string[] = [];
  const others: string[] = [];
  /** Tags without a closing one, so that a text of many open tags is read only once. */
  const open = new Set<string>();
  const lower = text.toLowerCase();
  let from = 0;
  HOST_OPEN.lastIndex = 0;
  for (let found = HOST_OPEN.exec(text); found !== null; found = HOST_OPEN.exec(text)) {
    const close = `</${found[1]!.toLowerCase()}>`;
    const end = open.has(close) ? -1 : lower.indexOf(close, HOST_OPEN.lastIndex);
    if (end === -1) open.add(close);
    own.push(text.slice(from, found.index));
    from = end === -1 ? text.length : end + close.length;
    others.push(text.slice(found.index, from));
    HOST_OPEN.lastIndex = from;
    if (end === -1) break;
  }
  own.push(text.slice(from));
  return { own: own.join("\n"), others: others.join("\n") };
}

/** Beginnings of copied lines: quotations, tables, prompts, logs, diffs, stack traces. */
const COPIED_LINES = [
  ">|\\||(?:human|assistant|user|system)\\s*:|[\\t ]{2,}|\\$ |❯|⎿|●",
  "[+-]{3} |@@|=== |={3,}|-{3,}|\\d{1,5}(?:→|\\t)|\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:|\\[\\d",
  'at \\S+ ?\\(|Traceback|File "|\\w*(?:Error|Exception|Warning)\\b.*:|(?:npm|yarn|pnpm) (?:ERR|WARN)',
  "(?:error|warning|fatal|panic|info|debug)(?:\\[\\w+\\])?:",
];
const COPIED = new RegExp(`^(?:${COPIED_LINES.join("|")})`, "i");
const CODE =
  /[{};]\s{0,9}$|=>|\)\s{0,9}\{|^(?:import|export|const|let|var|function|class|def|package|func|return) .*[=({;]|<\/[a-z]\w{0,30}>/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
const HEADING = /^#{1,6}\s/;
/** Reads a message line by line; the state is what the lines before say of this one. */
class LineReader {
  #fence: string | undefined;
  #isDocument = false;
  /** Behind a line that ends in a colon: whose the next block is. */
  #announced: "nothing" | "own" | "others" = "nothing";
  #isInBlock = false;
  /** The announced block is a list: other lines of the block belong to its items. */
  #isListed = false;

  isOwn(line: string, isAlone: boolean): boolean {
    const trimmed = line.trim();
    const mark = /^(?:`{3,}|~{3,}|"{3}|'{3})/.exec(trimmed)?.[0].slice(0, 3);
    if (mark !== undefined && (this.#fence === undefined || this.#fence === mark)) {
      // What stands on one line opens and closes it.
      const isWhole = trimmed.length > 6 && trimmed.endsWith(mark);
      if (!isWhole) this.#fence = this.#fence === undefined ? mark : undefined;
      this.#announced = "nothing";
      return false;
    }
    if (this.#fence !== undefined || this.#isDocument) return false;
    if (HEADING.test(trimmed) && !isAlone) {
      this.#isDocument = true;
      return false;
    }
    if (trimmed === "") {
      if (this.#isInBlock) this.#announced = "nothing";
      this.#isInBlock = false;
      return true;
    }
    return this.#isOwnText(line, trimmed);
  }

  #isOwnText(line: string, trimmed: string): boolean {
    const announced = this.#announced;
    const isItem = LIST_ITEM.test(trimmed);
    this.#isInBlock = true;
    if (trimmed.endsWith(":") || trimmed.endsWith("：")) {
      const isWish = ASKS_TO_REMEMBER.test(trimmed) || ANNOUNCES_RULES.test(trimmed);
      this.#announced = isWish ? "own" : "others";
      this.#isListed = false;
      this.#isInBlock = false;
      return announced !== "others";
    }
    if (announced === "others") {
      // A list ends with its block; prose that was announced may go on to the end.
      if (!isItem && !this.#isListed) this.#isDocument = true;
      this.#isListed = true;
      return false;
    }
    // A list without an announcement belongs to a task, or was copied.
    if (isItem && announced !== "own") return false;
    return (
      !COPIED.test(isItem ? trimmed.replace(LIST_ITEM, "") : line) && !CODE.test(trimmed) && !isNoise(trimmed)
    );
  }
}

/** True if a line has too few letters for a sentence. */
function isNoise(line: string): boolean {
  let signs = 0;
  for (const character of line) if (!/[\p{L}\p{M}\p{N}\s.,'’"?!、。，？！-]/u.test(character)) signs++;
  return signs * 4 > line.length;
}
