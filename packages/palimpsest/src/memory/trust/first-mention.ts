/**
 * Where in a talk a fact was said first: found out from its words, since whoever extracts may name another message,
 * a newer one among them, or none. When a fact was said decides what it may take the place of, and whether it is
 * over.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import type { AttributedText } from "./attributed-text.ts";
import { gatherEvidence } from "./claim-evidence.ts";

/** A fact, and whether it is taken for the user's own words. */
interface StatedFact {
  readonly text: string;
  readonly isUsers: boolean;
}

/**
 * For each fact the piece that says most of it, the first of those that say as much: of a user's fact one of theirs,
 * else one of a user or an agent. `undefined` where none says enough to found it.
 *
 * @param pieces - in the order of time
 */
export function findFirstMention(
  facts: readonly StatedFact[],
  pieces: readonly AttributedText[],
): readonly (AttributedText | undefined)[] {
  const spoken = pieces.filter(({ source }) => source === "user" || source === "agent");
  const texts = facts.map(({ text }) => text);
  return gatherEvidence(texts, spoken).map(({ firstIn: { user, agent } }, index) => {
    const speakers = facts[index]!.isUsers ? [user] : [user, agent];
    const mentions = speakers.filter((one) => one !== undefined);
    const most = Math.max(...mentions.map(({ share }) => share));
    if (most < MEMORY_SAFETY_DEFAULTS.readingShare) return undefined;
    const first = new Set(mentions.filter(({ share }) => share === most).map(({ piece }) => piece));
    return spoken.find((piece) => first.has(piece));
  });
}
