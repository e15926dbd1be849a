/**
 * Whether a sentence is a wish: by the table of cues, behind words that only lead to it.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { CUES, type Cue, LEAD, OBJECTION } from "./cues.ts";
import { MORE_CUES } from "./more-cues.ts";

export interface RememberRequest {
  readonly cue: Cue;
  /** The sentence without what only leads to it. */
  readonly statement: string;
}

const ALL_CUES: readonly Cue[] = [...CUES, ...MORE_CUES];

/** The wish that a sentence is, if it is one. */
export function rememberRequestOf(sentence: string): RememberRequest | undefined {
  if (sentence.length > MEMORY_SAFETY_DEFAULTS.sentenceCharacters) return undefined;
  const bare = withoutLead(sentence);
  const rest = without([OBJECTION, LEAD], bare);
  for (const cue of ALL_CUES) {
    // "No, …" is a part of a correction; what else follows it says the same without.
    const texts = cue.kind === "correction" && rest !== bare ? [bare, rest] : [rest];
    for (const text of texts) {
      const match = cue.pattern.exec(text);
      if (match === null) continue;
      const taken = match.groups?.["cue"];
      const statement = taken === undefined ? text : text.slice(match.index + match[0].length);
      return { cue, statement: statement.replace(/^[\s,:;，：、-]+/, "").trim() };
    }
  }
  return undefined;
}

/** The sentence without "ok", "please" and the like. */
export function withoutLead(sentence: string): string {
  return without([LEAD], sentence);
}

/** Without what only leads to the sentence; one of nothing but such words stays. */
function without(leads: readonly RegExp[], sentence: string): string {
  let bare = sentence;
  for (let words = 0; words < MOST_LEADS; words++) {
    const shorter = leads.reduce((text, lead) => text.replace(lead, ""), bare);
    if (shorter === bare || shorter === "") break;
    bare = shorter;
  }
  return bare;
}

const MOST_LEADS = 4;
