/**
 * Patches applied to notes: bodies change, headings and descriptions cannot.
 *
 * Text is cleaned first, then cut to the limits of the section and of the whole document. A section may
 * always keep its earlier size, so that notes over their limit can be shortened bit by bit. A section that
 * changed since the model read it is not replaced: that edit is newer. No other section may use the space
 * reserved for Current State and Errors & Corrections.
 */
import { isBlank, readLines } from "../base/text/markdown-lines.ts";
import { cleanBody, guardFirstLine } from "./clean-text.ts";
import {
  findSection,
  formatNotes,
  joinBody,
  type MeasureNotes,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  sectionByTitle,
  splitBody,
  withBody,
} from "./notes-document.ts";
import { type NotesSection, type NotesSectionKind, titleKey } from "./template.ts";
import { cutSectionText } from "./trim-notes.ts";
import type { SectionPatch } from "./update-prompt.ts";

/** Patches of one answer that are looked at. Our choice: four for each section; more is a model that runs on. */
const PATCHES_COUNT = 40;

type PatchRefusal = "unknown-section" | "empty" | "too-many" | "changed-meanwhile" | "no-room";

interface AppliedPatches {
  readonly document: NotesDocument;
  /** Titles of the sections that have another body now. */
  readonly changed: readonly string[];
  readonly refused: readonly { readonly section: string; readonly reason: PatchRefusal }[];
  /** Titles of the sections whose new text was cut to its limit. */
  readonly cut: readonly string[];
}

interface ApplyOptions {
  readonly limits: NotesLimits;
  /** The notes as the model read them, where the file may have changed since. */
  readonly base?: NotesDocument;
  readonly measure?: MeasureNotes;
}

/** A planned body of a section: `core` stays from the present body, `added` follows it. */
interface SectionUpdate {
  readonly section: NotesSection;
  readonly core: string;
  readonly added: string;
}

/** Applies patches to notes. Refused patches are listed with their reasons. */
export function applySectionPatches(
  document: NotesDocument,
  patches: readonly SectionPatch[],
  { limits, base, measure = measureNotes }: ApplyOptions,
): AppliedPatches {
  const refused: { section: string; reason: PatchRefusal }[] = [];
  const updates = new Map<string, SectionUpdate>();
  patches.forEach((patch, index) => {
    const section = sectionByTitle(document.template, patch.section);
    const update =
      index >= PATCHES_COUNT
        ? "too-many"
        : section === undefined
          ? "unknown-section"
          : planUpdate(document, section, patch, { base, earlier: updates.get(section.title) });
    if (typeof update === "string") refused.push({ section: patch.section, reason: update });
    else updates.set(update.section.title, update);
  });

  // Sections that shrink go first, to free space for those that grow, whatever order the model wrote.
  const growth = ({ section, core, added }: SectionUpdate): number =>
    measure(core) + measure(added) - measure(findSection(document, section)?.body ?? "");
  const ordered = [...updates.values()].map((update) => ({ update, tokens: growth(update) }));
  ordered.sort((a, b) => a.tokens - b.tokens);

  const changed: string[] = [];
  const cut: string[] = [];
  let result = document;
  for (const { update } of ordered) {
    const placed = placeUpdate(result, update, limits, measure);
    if (placed === undefined) refused.push({ section: update.section.title, reason: "no-room" });
    else {
      if (formatNotes(placed.document) !== formatNotes(result)) changed.push(update.section.title);
      if (placed.isCut) cut.push(update.section.title);
      result = placed.document;
    }
  }
  return { document: result, changed, refused, cut };
}

function planUpdate(
  document: NotesDocument,
  section: NotesSection,
  patch: SectionPatch,
  {
    base,
    earlier,
  }: { readonly base: NotesDocument | undefined; readonly earlier: SectionUpdate | undefined },
): SectionUpdate | PatchRefusal {
  const part = findSection(document, section);
  const description = part?.description ?? section.description;
  const cleaned = cleanBody(withoutEcho(patch.text, section, description), {
    level: document.template.level,
    // Only the first line of a title is kept, so fenced code would lose its end.
    mayFence: !document.hasOpenFence && section.kind !== "title",
    hasDescription: description !== "",
  });
  if (cleaned === "") return "empty";
  const text = section.kind === "title" ? cleaned.split("\n", 1)[0]! : cleaned;
  if (patch.kind === "replace") {
    const read = base === undefined ? part?.body : findSection(base, section)?.body;
    return read === part?.body ? { section, core: "", added: text } : "changed-meanwhile";
  }
  if (earlier !== undefined) return { ...earlier, added: `${earlier.added}\n${text}` };
  return { section, core: splitBody(part?.body ?? "").core, added: text };
}

/** Removes the section's heading and description from a text, because models like to repeat them. */
function withoutEcho(text: string, section: NotesSection, description: string): string {
  const lines = readLines(text);
  let start = 0;
  const passBlank = (): void => {
    while (start < lines.length && isBlank(lines[start]!.text)) start++;
  };
  passBlank();
  const heading = lines[start]?.heading;
  if (heading !== undefined && titleKey(heading.title) === titleKey(section.title)) start++;
  passBlank();
  // The description as in the template, or as in the file.
  const echo = lines[start]?.text.trim() ?? "";
  if (echo !== "" && (echo === section.description.trim() || echo === description.trim())) start++;
  return lines
    .slice(start)
    .map((line) => line.text + line.ending)
    .join("");
}

interface PlacedUpdate {
  readonly document: NotesDocument;
  readonly isCut: boolean;
}

/** Attempts to cut an update that measures slightly too long once it is in the document. */
const PLACE_TRIES = 4;

/**
 * Puts an update into the document, cut to the space that its section and the document have left. Returns
 * `undefined` if nothing of it fits.
 */
function placeUpdate(
  document: NotesDocument,
  update: SectionUpdate,
  limits: NotesLimits,
  measure: MeasureNotes,
): PlacedUpdate | undefined {
  const { section } = update;
  const oldTokens = measure(findSection(document, section)?.body ?? "");
  const otherTokens = measure(formatNotes(withBody(document, section, "")));
  const availableTokens =
    limits.totalTokens - otherTokens - reservedTokens(document, section, limits, measure);
  const maximum = {
    section: Math.max(limits.sectionTokens, oldTokens),
    total: Math.max(limits.totalTokens, measure(formatNotes(document))),
  };
  let allowed = Math.min(limits.sectionTokens, Math.max(availableTokens, oldTokens));
  // A joined text can measure slightly more than its parts. Then it is cut again, by the excess.
  for (let tries = 0; tries < PLACE_TRIES && allowed > 0; tries++) {
    const placed = placeWithin(document, update, allowed, measure);
    if (placed === undefined) return undefined;
    const body = findSection(placed.document, section)?.body ?? "";
    const excess = Math.max(
      measure(body) - maximum.section,
      measure(formatNotes(placed.document)) - maximum.total,
    );
    if (excess <= 0) return placed;
    allowed -= Math.ceil(excess);
  }
  return undefined;
}

/** Sections that must always have room for the next update, however full the others are. */
const RESERVED: ReadonlySet<NotesSectionKind | undefined> = new Set(["state", "errors"]);

/** Returns the tokens by which these sections may still grow; 0 if the section is one of them. */
function reservedTokens(
  { template, parts }: NotesDocument,
  { kind }: NotesSection,
  { sectionTokens }: NotesLimits,
  measure: MeasureNotes,
): number {
  if (RESERVED.has(kind)) return 0;
  const bodyOf = new Map(parts.map(({ section, body }) => [section?.title, body]));
  return template.sections
    .filter((section) => RESERVED.has(section.kind))
    .reduce((sum, { title }) => sum + Math.max(0, sectionTokens - measure(bodyOf.get(title) ?? "")), 0);
}

/** Puts an update into the document, cut to `allowed` tokens. */
function placeWithin(
  document: NotesDocument,
  { section, core, added }: SectionUpdate,
  allowed: number,
  measure: MeasureNotes,
): PlacedUpdate | undefined {
  const old = findSection(document, section)?.body ?? "";
  const tail = findSection(document, section) === undefined ? document.newline : splitBody(old).tail;
  const options = { measure, mayFence: !document.hasOpenFence, level: document.template.level };
  // The Worklog's oldest entries give way to its newest; in other sections the present text stays, and the
  // addition is cut.
  const isLog = section.kind === "worklog";
  const cuttableText = isLog
    ? joinBody({ ...document, newline: "\n" }, { core, added, tail: "" }).trimEnd()
    : added;
  const tokens = isLog ? allowed : allowed - measure(core);
  const kept = cutSectionText(cuttableText, tokens, section, options);
  const hasDescription = (findSection(document, section)?.description ?? section.description) !== "";
  const isFirst = core === "" || isLog;
  const text = guardFirstLine(kept.body.trimEnd(), hasDescription || !isFirst);
  if (text.trim() === "") return undefined;
  const isCut = kept.droppedCount > 0;
  // A Worklog that fits keeps its present text byte for byte.
  const body =
    isLog && isCut
      ? { core: "", added: text, tail }
      : { core, added: isLog && core !== "" ? added : text, tail };
  return { document: withBody(document, section, joinBody(document, body)), isCut };
}
