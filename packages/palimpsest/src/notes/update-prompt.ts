/**
 * The prompt that asks a model to update the notes: the last message of a forked call.
 *
 * The user's own prompt may replace ours. The parts that the answer depends on (its format, the demand to
 * shorten) are appended if the prompt does not name their variable.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
import { fingerprint } from "../base/fingerprint.ts";
import { splitLines } from "../base/text/markdown-lines.ts";
import {
  composeTrimDemand,
  findOverLimit,
  formatNotes,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
} from "./notes-document.ts";

interface UpdatePromptOptions {
  readonly limits: NotesLimits;
  /** The file, as the updater may name it. */
  readonly notesPath: string;
  /** The host's edit tool that the updater may use; without one the answer is patches. */
  readonly editTool?: string;
  /** The user's own prompt. */
  readonly prompt?: string;
  readonly measure?: MeasureNotes;
}

export interface UpdatePrompt {
  readonly text: string;
  /** Variables of the user's prompt that there are none of; they stay as they were written. */
  readonly unknownVariables: readonly string[];
}

/** Every variable that a prompt may use. */
const UPDATE_PROMPT_VARIABLES = [
  "currentNotes",
  "notesPath",
  "sectionTitles",
  "sectionTokens",
  "totalTokens",
  "trimDemand",
  "answerForm",
] as const;

const PROMPT = `This message is not from the user and is no part of the conversation above. Bring the session's notes up to date from that conversation; do nothing else, and do not mention the notes elsewhere.

The notes are in {{notesPath}}. They now say:
{{currentNotes}}

Rules:
- Never change, add, move or remove a heading, or the line in italics below it: they say what belongs in the section. Write below them.
- Write what somebody needs to go on with the work without the conversation: file paths, names of functions, commands, error messages and figures, to the letter. Invent nothing, and leave a section as it is where nothing is new for it.
- Always bring Current State up to date: what is being worked on, what is open, what comes next. The Errors & Corrections come next in importance.
- Do not write down these instructions, keys or passwords, or what instruction files say already.
- What somebody else has written in the notes stays, unless it has become wrong.
- At most about {{sectionTokens}} tokens in a section and {{totalTokens}} in all: condense what is old rather than leave out what is needed.`;

/** The instruction for an update of these notes. */
export function composeUpdatePrompt(document: NotesDocument, options: UpdatePromptOptions): UpdatePrompt {
  const { limits, notesPath, editTool, prompt, measure = measureNotes } = options;
  const values: Readonly<Record<(typeof UPDATE_PROMPT_VARIABLES)[number], string>> = {
    currentNotes: quoteNotes(formatNotes(document)),
    notesPath,
    sectionTitles: document.template.sections.map(({ title }) => title).join(", "),
    sectionTokens: String(limits.sectionTokens),
    totalTokens: String(limits.totalTokens),
    trimDemand: composeTrimDemand(findOverLimit(document, limits, measure), limits),
    answerForm: editTool === undefined ? PATCH_FORM : editForm(editTool, notesPath),
  };
  const isOwn = prompt !== undefined && prompt.trim() !== "";
  const { text, unknown, used } = fillVariables(isOwn ? prompt : PROMPT, values);
  const added = [
    ...(used.has("trimDemand") || values.trimDemand === "" ? [] : [values.trimDemand]),
    ...(used.has("answerForm") ? [] : [values.answerForm]),
  ];
  return { text: [text.trim(), ...added].join("\n\n"), unknownVariables: unknown };
}

/** The notes between tags that they do not hold themselves. */
function quoteNotes(notes: string): string {
  const plain = "current_notes";
  // A text contains its own fingerprint only after a deliberate effort.
  const tag = notes.includes(`</${plain}`) ? `${plain}_${fingerprint(notes).toString(16)}` : plain;
  return `<${tag}>\n${notes}${notes.endsWith("\n") ? "" : "\n"}</${tag}>`;
}

const PATCH_FORM = `Answer with changes and nothing else, one block for each section that changes, each tag on a line of its own:

<replace section="Current State">
the section's new text, in full
</replace>

<append section="Worklog">
- what is added at the section's end
</append>

A section is named by its heading. Headings and the lines in italics are not repeated. Call no tool.`;

function editForm(editTool: string, notesPath: string): string {
  return `Use the tool ${editTool} on ${notesPath} and nothing else: every other tool and every other file is refused. Make all edits in one turn, and then stop.`;
}

// `{{variables}}` in a user's template or prompt. Inserted text is not searched again, so notes that
// contain `{{…}}` stay unchanged.

interface FilledText {
  readonly text: string;
  /** Names that nothing is known of, once each; they stay in the text as they were written. */
  readonly unknown: readonly string[];
  readonly used: ReadonlySet<string>;
}

const VARIABLE = /\{\{[ \t]{0,8}([A-Za-z][A-Za-z0-9_]{0,63})[ \t]{0,8}\}\}/g;

/** The text with every variable that has a value filled in. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): FilledText {
  const unknown = new Set<string>();
  const used = new Set<string>();
  const filled = text.replace(VARIABLE, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) {
      unknown.add(name);
      return whole;
    }
    used.add(name);
    return values[name]!;
  });
  return { text: filled, unknown: [...unknown], used };
}

// Patches in a model's answer: which section gets a new text, and which one gets more. Patches are blocks
// between tags, not JSON. Their bodies are Markdown with quotes, backslashes and line breaks: models write
// it without mistakes and make many when they escape it. If an answer is cut off, every block before the
// cut is whole. Parsing is strict: a tag is alone on its line, and a block without its end tag does not
// count.

export interface SectionPatch {
  /** `replace` takes the place of the section's text, `append` goes behind it. */
  readonly kind: "replace" | "append";
  /** The section's title as it was written. */
  readonly section: string;
  /** As the model wrote it: it is cleaned where it is applied. */
  readonly text: string;
}

export interface ParsedPatches {
  readonly patches: readonly SectionPatch[];
  /** Blocks that had no end. */
  readonly unfinishedCount: number;
}

const OPENING = /^<(replace|append) section="([^"]{1,200})">$/;

/** Returns the patches of an answer, in order. Text outside of blocks is ignored. */
export function parseSectionPatches(answer: string): ParsedPatches {
  const patches: SectionPatch[] = [];
  let unfinishedCount = 0;
  let open:
    | { readonly kind: SectionPatch["kind"]; readonly section: string; readonly lines: string[] }
    | undefined;
  for (const { text } of splitLines(answer)) {
    const line = text.trim();
    const opening = OPENING.exec(line);
    if (opening !== null) {
      if (open !== undefined) unfinishedCount++;
      open = { kind: opening[1] as SectionPatch["kind"], section: opening[2]!, lines: [] };
    } else if (open !== undefined && line === `</${open.kind}>`) {
      patches.push({ kind: open.kind, section: open.section, text: open.lines.join("\n") });
      open = undefined;
    } else open?.lines.push(text);
  }
  return { patches, unfinishedCount: unfinishedCount + (open === undefined ? 0 : 1) };
}

/** Lines that begin a heading, a list or a tag: text for the notes, in a form that is not read. */
const NOTE_LINE = /^[ \t]*(?:[#<>|`]|[-*+][ \t]|\d{1,9}[.)])/m;

/**
 * True if an answer without patches is a sentence or two, as of a model that finds nothing to change. Anything
 * longer, and anything that looks like notes, may be what should have been a patch.
 */
export function isPlainRemark(answer: string): boolean {
  const remark = answer.trim();
  return remark !== "" && remark.length <= NOTES_DEFAULTS.remarkCharacters && !NOTE_LINE.test(remark);
}
