/**
 * Who is behind what an extractor wants to remember: found out from the talk, not from what the extractor says.
 *
 * A model that extracts reads tools' results and pages, and may do as they tell it. So its words for where a
 * fact comes from count for nothing. Its text is compared with what was said: what the user's own words carry
 * is the user's; what a line of a tool's result carries better is the tool's, whoever repeated it; of the
 * messages that it names, the least trusted one decides. Who somebody is, what they want and what is always to
 * be done can only come from them. What only a tool or the web said is quarantined.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../base/defaults/memory-safety.ts";
import type { MemorySource, MemoryType } from "./memory.ts";
import { type SaidWords, saidWords, visitWords } from "./said-words.ts";
import { sentencesOf } from "./sentences.ts";
import type { PieceSource, SpokenPiece } from "./spoken-pieces.ts";

/** What an extractor wants to remember. */
export interface MemoryClaim {
  /** All that would be kept: name, description and text. */
  readonly text: string;
  readonly type: MemoryType;
  /** The messages that it says it comes from; of unknown ones, all of the talk is taken. */
  readonly messageIds: readonly string[];
}

export interface TrustVerdict {
  readonly source: Extract<MemorySource, "user" | "agent" | "tool" | "web">;
  /** The user said it, in these words or nearly so. */
  readonly isConfirmed: boolean;
  readonly isQuarantined: boolean;
  /** It is no news: it stands in a memory that was recalled in this talk. Then it is not to be kept at all. */
  readonly isRecalled: boolean;
  /** The reason, for people. */
  readonly why: string;
}

const { userWordsShare, readingShare, carriedShare } = MEMORY_SAFETY_DEFAULTS;

/** How much of a claim's words the best line of each kind of source has. */
interface Evidence {
  readonly claim: MemoryClaim;
  readonly said: SaidWords;
  readonly best: Record<PieceSource, number>;
  /** The user's best sentence says the opposite, or says it where the claim denies it. */
  isTurned: boolean;
  /** Sources that hold an address of the claim which the user never said. */
  readonly addressIn: Set<PieceSource>;
  hasForeignAddress: boolean;
}

/** One verdict for each claim. Linear in the talk, and in the claims that share words with it. */
export function judgeTrust(
  claims: readonly MemoryClaim[],
  pieces: readonly SpokenPiece[],
): readonly TrustVerdict[] {
  const evidence = claims.map(
    (claim): Evidence => ({
      claim,
      said: saidWords(claim.text),
      best: { user: 0, agent: 0, tool: 0, web: 0, recalled: 0 },
      isTurned: false,
      addressIn: new Set(),
      hasForeignAddress: false,
    }),
  );
  gather(evidence, pieces);
  return evidence.map((found) => verdictOf(found, pieces));
}

function gather(evidence: readonly Evidence[], pieces: readonly SpokenPiece[]): void {
  const claimsOf = new Map<string, Evidence[]>();
  for (const found of evidence) for (const word of found.said.words) addTo(claimsOf, word, found);
  const userText = pieces
    .filter(({ source }) => source === "user")
    .map(({ text }) => text.toLowerCase())
    .join("\n");
  for (const { source, text } of pieces) {
    // A user's wish may go over several sentences; of others, a line that says the same is enough.
    const parts = source === "user" ? [text, ...sentencesOf(text)] : text.split(/\r\n?|\n/);
    let before: ReadonlyMap<Evidence, ReadonlySet<string>> = new Map();
    for (const part of parts) before = compare(part, { source, claimsOf, before });
    const lower = text.toLowerCase();
    for (const found of evidence) {
      for (const address of found.said.addresses) {
        if (userText.includes(address)) continue;
        found.hasForeignAddress = true;
        if (lower.includes(address)) found.addressIn.add(source);
      }
    }
  }
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

interface Comparison {
  readonly source: PieceSource;
  readonly claimsOf: ReadonlyMap<string, readonly Evidence[]>;
  /** Words of each claim that the line before has: what goes over two lines is found as well. */
  readonly before: ReadonlyMap<Evidence, ReadonlySet<string>>;
}

function compare(part: string, { source, claimsOf, before }: Comparison): Map<Evidence, Set<string>> {
  const shared = new Map<Evidence, Set<string>>();
  visitWords(part, (word) => {
    for (const found of claimsOf.get(word) ?? []) {
      const words = shared.get(found);
      if (words === undefined) shared.set(found, new Set([word]));
      else words.add(word);
    }
  });
  for (const [found, words] of shared) {
    const both = source === "user" ? words : new Set([...words, ...(before.get(found) ?? [])]);
    const share = both.size / found.said.words.size;
    if (share <= found.best[source]) continue;
    found.best[source] = share;
    if (source === "user") found.isTurned = saidWords(part).isDenied !== found.said.isDenied;
  }
  return shared;
}

function verdictOf(found: Evidence, pieces: readonly SpokenPiece[]): TrustVerdict {
  const { claim, best } = found;
  const named = new Set(claim.messageIds);
  const span = pieces.filter(({ id }) => named.has(id));
  if (best.recalled >= carriedShare && best.recalled > best.user)
    return { ...verdict("agent", "It stands in a memory that was recalled in this talk."), isRecalled: true };

  const names = new Set(span.map(({ source }) => source));
  const isUsers = best.user >= userWordsShare && !found.isTurned && !found.hasForeignAddress;
  if (isUsers && (names.has("user") || span.length === 0))
    return { ...verdict("user", "The user said so."), isConfirmed: true, isQuarantined: false };

  const carrier = carrierOf(found);
  const lowest = lowestOf([
    ...(span.length === 0 ? pieces : span).map(({ source }) => source),
    ...(carrier === undefined ? [] : [carrier]),
    ...(readWeb(span, pieces) ? (["web"] as const) : []),
  ]);
  if (lowest === "web" || lowest === "tool") {
    const where = lowest === "web" ? "on the web" : "in a tool's result";
    return verdict(lowest, `It was read ${where}, and the user did not say so.`);
  }
  return agentVerdict(found, names.has("user"));
}

/** What no tool says and the user did not say in these words: a model's reading of the talk. */
function agentVerdict({ claim, said, best, hasForeignAddress }: Evidence, namesUser: boolean): TrustVerdict {
  if (said.words.size === 0) return verdict("agent", "It says nothing.");
  if (hasForeignAddress) return verdict("agent", "It names an address that the user did not.");
  const isReading = namesUser && best.user >= readingShare;
  const isWish = claim.type === "user" || claim.type === "feedback" || DEMAND.test(claim.text);
  if (isWish && !isReading)
    return verdict("agent", "It tells what somebody wants, and the user's words do not carry it.");
  return { ...verdict("agent", "A model concluded it from the talk."), isQuarantined: false };
}

function verdict(source: TrustVerdict["source"], why: string): TrustVerdict {
  return { source, why, isConfirmed: false, isQuarantined: true, isRecalled: false };
}

/** The least trusted source that says it better than the user does. */
function carrierOf({ best, addressIn }: Evidence): "tool" | "web" | undefined {
  const carries = (source: "tool" | "web"): boolean =>
    addressIn.has(source) || (best[source] >= carriedShare && best[source] > best.user);
  return carries("web") ? "web" : carries("tool") ? "tool" : undefined;
}

/** From the least trusted to the most. What was recalled founds nothing. */
const ORDER: readonly PieceSource[] = ["web", "tool", "recalled", "agent", "user"];

function lowestOf(sources: readonly PieceSource[]): PieceSource {
  return ORDER.find((source) => sources.includes(source)) ?? "agent";
}

/** Whether an agent's words of the span were said behind what it had read on the web in the same turn. */
function readWeb(span: readonly SpokenPiece[], pieces: readonly SpokenPiece[]): boolean {
  const said = new Set(span.filter(({ source }) => source === "agent"));
  const read = new Set<number>();
  for (const piece of pieces) {
    if (piece.source === "web") read.add(piece.turn);
    if (said.has(piece) && read.has(piece.turn)) return true;
  }
  return false;
}

/** Words of who wants something done, in the languages in which memories are written most. */
const DEMAND =
  /(?<![\p{L}\p{N}])(?:always|never|must|should|shall|from now on|whenever|whatever the user|when (?:the )?user|do not|don['’]t|make sure|ensure|ignore|approved?|authori[sz]ed|allowed|permitted|trusted|prefers?|wants?|requires?|send|post|upload|forward|execute|curl|immer|niemals|müssen|soll(?:en|te)?|toujours|jamais|doit|siempre|nunca|debe|sempre|deve|mai|всегда|никогда|долж\p{L}+)(?![\p{L}\p{N}])|总是|始终|必须|不要|永远|常に|必ず|絶対|항상|절대|반드시/iu;
