/**
 * Finds out the source of an extracted memory from the conversation, whatever the extractor says.
 *
 * A model that extracts may obey a tool result or a page, so its own claim about a source counts for nothing. Its
 * text is compared with the conversation: text that the user's words carry is the user's; text that a tool result
 * carries better is the tool's, even if repeated by others; of the messages it names, the least trusted one decides.
 * Identity, wishes and rules can only come from the user. Text that only a tool or the web said is quarantined.
 *
 * Words are compared, so other words escape: a translation, a paraphrase, another script. Therefore, after a tool, a
 * page or a memory was read, every part of a claim needs words of the user or the agent. Other text may have been
 * read.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import type { MemorySource, MemoryType } from "../files/memory.ts";
import type { AttributedText, PieceSource } from "./attributed-text.ts";
import { type ClaimEvidence, gatherEvidence, LEAST_FOREIGN_COUNT } from "./claim-evidence.ts";
import { anyWord, sentencesOf, sentenceWords } from "./sentences.ts";

/** A memory that an extractor proposes. */
export interface MemoryClaim {
  /** All that would be kept: name, description and text. */
  readonly text: string;
  readonly type: MemoryType;
  /** Ids of the messages that it says it comes from. If none of them is known, the whole conversation counts. */
  readonly messageIds: readonly string[];
}

export interface TrustVerdict {
  readonly source: Extract<MemorySource, "user" | "agent" | "tool" | "web">;
  /** True if the user said it, in these or nearly these words. */
  readonly isConfirmed: boolean;
  readonly isQuarantined: boolean;
  /** True if a memory recalled in this conversation already says it. Then it is not kept at all. */
  readonly isRecalled: boolean;
  /** The reason, for people. */
  readonly why: string;
}

const { userWordsShare, readingShare, carriedShare } = MEMORY_SAFETY_DEFAULTS;

/** The conversation, and the part of it to judge. */
export interface JudgedConversation {
  /** The pieces that the claims come from. */
  readonly pieces: readonly AttributedText[];
  /** Pieces that were judged before: a claim may have been read there. */
  readonly earlier?: readonly AttributedText[];
}

/**
 * Judges each claim as a whole and sentence by sentence; the first quarantined part decides. Takes time linear in the
 * length of the conversation and of the claims that share words with it.
 */
export function judgeTrust(
  claims: readonly MemoryClaim[],
  { pieces, earlier = [] }: JudgedConversation,
): readonly TrustVerdict[] {
  const wholes = claims.map(({ text }) => withoutHidden(text));
  const parts = wholes.map(partsOf);
  const texts = wholes.flatMap((text, index) => [text, ...parts[index]!]);
  const conversation = retoldByAgents([...earlier, ...pieces]).map((piece) => ({
    ...piece,
    text: withoutHidden(piece.text),
  }));
  const hasForeignText = hasRead(conversation);
  const evidence = hasForeignText
    ? withoutRepeated(gatherEvidence(texts, conversation), conversation)
    : gatherEvidence(texts, conversation);
  const context = { pieces: conversation.slice(earlier.length), hasForeignText };
  // The order is that of `texts`: each whole, then its parts.
  let next = 0;
  return claims.map((claim, index) => {
    const whole = verdictOf({ ...claim, text: wholes[index]! }, evidence[next++]!, context);
    const ofParts = parts[index]!.map((text) => verdictOf({ ...claim, text }, evidence[next++]!, context));
    return whole.isQuarantined ? whole : (ofParts.find(({ isQuarantined }) => isQuarantined) ?? whole);
  });
}

/**
 * Removes the evidence of an agent's words that only repeat something it had read. Looks at claims that an agent's
 * words support and a user's do not.
 */
function withoutRepeated(
  evidence: readonly ClaimEvidence[],
  conversation: readonly AttributedText[],
): readonly ClaimEvidence[] {
  const restsOnAgent = ({ best }: ClaimEvidence) => best.agent >= readingShare && best.user < readingShare;
  const agentSentences = [
    ...new Set(evidence.filter(restsOnAgent).map(({ nearestOfAgent }) => nearestOfAgent)),
  ];
  if (agentSentences.length === 0) return evidence;
  const found = gatherEvidence(agentSentences, conversation);
  const repeated = new Set(
    agentSentences.filter((_, index) => {
      const { tool, web, recalled } = found[index]!.best;
      return Math.max(tool, web, recalled) >= carriedShare;
    }),
  );
  return evidence.map((each) =>
    restsOnAgent(each) && repeated.has(each.nearestOfAgent)
      ? { ...each, best: { ...each.best, agent: 0 } }
      : each,
  );
}

/** Hidden characters, raw or written out, must not make two equal texts differ. */
function withoutHidden(text: string): string {
  return showHidden(text.replace(/\r\n?/g, "\n")).replace(/\\u\{[0-9A-F]{1,6}\}/gi, "");
}

/**
 * Splits a claim into its sentences, if it has several: one may hold what the user did not say, beside one that they
 * did.
 */
function partsOf(text: string): readonly string[] {
  const parts: string[][] = [];
  // A sentence with too few words to be judged alone joins the one before it, or the first the one after it.
  let wordsCount: number = LEAST_FOREIGN_COUNT;
  for (const sentence of sentencesOf(text)) {
    const isWhole = wordsCount >= LEAST_FOREIGN_COUNT;
    const { size } = sentenceWords(sentence).words;
    wordsCount = isWhole ? size : wordsCount + size;
    if (isWhole) parts.push([sentence]);
    else parts.at(-1)!.push(sentence);
  }
  if (wordsCount < LEAST_FOREIGN_COUNT && parts.length > 1) parts.splice(-2, 2, parts.slice(-2).flat());
  return parts.length > 1 ? parts.map((sentences) => sentences.join(" ")) : [];
}

interface ClaimContext {
  /** The pieces that the claims come from. */
  readonly pieces: readonly AttributedText[];
  /** True if a tool, the web or a memory was read, now or before. */
  readonly hasForeignText: boolean;
}

function verdictOf(
  claim: MemoryClaim,
  found: ClaimEvidence,
  { pieces, hasForeignText }: ClaimContext,
): TrustVerdict {
  const { best } = found;
  const claimedIds = new Set(claim.messageIds);
  const usersIds = new Set(pieces.filter(({ source }) => source === "user").map(({ id }) => id));
  // A message of the user counts as theirs. Text that they pasted counts only if it says the claim better
  // (`carrierOf`).
  const cited = pieces.filter(
    ({ id, source }) => claimedIds.has(id) && (source === "user" || !usersIds.has(id)),
  );
  if (best.recalled >= carriedShare && best.recalled > best.user)
    return {
      ...verdict("agent", "A memory that was recalled in this session says it already."),
      isRecalled: true,
    };

  const citedSources = new Set(cited.map(({ source }) => source));
  const hasForeignNames = found.hasForeignAddress || found.namesIn.size > 0;
  const isUsers = best.user >= userWordsShare && !found.isTurned && !hasForeignNames;
  if (isUsers && (citedSources.has("user") || cited.length === 0))
    return { ...verdict("user", "The user said so."), isConfirmed: true, isQuarantined: false };

  const carrier = carrierOf(found);
  const lowest = lowestOf([
    ...(cited.length === 0 ? pieces : cited).map(({ source }) => source),
    ...(carrier === undefined ? [] : [carrier]),
  ]);
  if (lowest === "web" || lowest === "tool") {
    const where = lowest === "web" ? "on the web" : "in a tool's result";
    return verdict(lowest, `It was read ${where}, and the user did not say so.`);
  }
  if (hasForeignText && Math.max(best.user, best.agent) < readingShare)
    return verdict("agent", "Neither the user nor the agent said so; it may have been read.");
  return agentVerdict(claim, found, citedSources.has("user"));
}

/** Judges a claim that neither a tool's text nor the user's words contain: a model's conclusion. */
function agentVerdict(claim: MemoryClaim, found: ClaimEvidence, citesUser: boolean): TrustVerdict {
  const { claimWords: claimed, best, namesIn, hasForeignAddress } = found;
  if (claimed.words.size === 0) return verdict("agent", "It says nothing.");
  if (hasForeignAddress) return verdict("agent", "It names an address that the user did not.");
  // A wish with a name that only a tool mentioned is not entirely the user's.
  const isSupportedByUser = citesUser && best.user >= readingShare && namesIn.size === 0;
  const isUserRequest = claim.type === "user" || claim.type === "feedback" || DEMAND.test(claim.text);
  if (isUserRequest && !isSupportedByUser)
    return verdict("agent", "It states a wish or a rule, and the user's words do not support it.");
  return { ...verdict("agent", "A model concluded it from the talk."), isQuarantined: false };
}

function verdict(source: TrustVerdict["source"], why: string): TrustVerdict {
  return { source, why, isConfirmed: false, isQuarantined: true, isRecalled: false };
}

/** The least trusted source that says it better than the user does. */
function carrierOf({
  best,
  foreignBest,
  namesIn,
  hasForeignAddress,
}: ClaimEvidence): "tool" | "web" | undefined {
  const carries = (source: "tool" | "web"): boolean =>
    (hasForeignAddress && namesIn.has(source)) ||
    (best[source] >= carriedShare && best[source] > best.user) ||
    foreignBest[source] >= carriedShare;
  return carries("web") ? "web" : carries("tool") ? "tool" : undefined;
}

/** Sources from the least to the most trusted. */
const ORDER: readonly PieceSource[] = ["web", "tool", "recalled", "agent", "user"];

function lowestOf(sources: readonly PieceSource[]): PieceSource {
  return ORDER.find((source) => sources.includes(source)) ?? "agent";
}

/** After an agent read the web, its words in the same turn count as the web's. */
function retoldByAgents(pieces: readonly AttributedText[]): readonly AttributedText[] {
  const read = new Set<number>();
  return pieces.map((piece) => {
    if (piece.source === "web") read.add(piece.turn);
    return piece.source === "agent" && read.has(piece.turn) ? { ...piece, source: "web" } : piece;
  });
}

/** True if a conversation has text of neither a user nor an agent. */
export function hasRead(pieces: readonly AttributedText[]): boolean {
  return pieces.some(({ source }) => source !== "user" && source !== "agent");
}

/** Words that ask for something to be done. */
const DEMAND = anyWord(
  "always|never|must|should|shall|from now on|whenever|whatever the user|when (?:the )?user|do not|don't|make sure|ensure|" +
    "ignore|approved?|authori[sz]ed|allowed|permitted|trusted|prefers?|wants?|requires?|send|post|upload|forward|execute|" +
    "curl|immer|niemals|müssen|soll(?:en|te)?|toujours|jamais|doit|siempre|nunca|debe|sempre|deve|mai|всегда|никогда|" +
    "долж\\p{L}+",
  "总是|始终|必须|不要|永远|常に|必ず|絶対|항상|절대|반드시",
);
