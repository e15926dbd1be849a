/**
 * Numbers that keep memory safe: lengths of texts, sources that are believed, claims taken from one conversation.
 */
import { assert } from "../../assert.ts";

export const MEMORY_SAFETY_DEFAULTS = {
  /** Characters of a memory's name. Source: our choice: a line of a list, with its date, in a terminal. */
  memoryNameCharacters: 80,
  /** Characters of a memory's description. Source: our choice: two lines of a terminal; Claude Code's are of about 150. */
  memoryDescriptionCharacters: 300,
  /** Characters of a line's hook in the index. Source: Claude Code's memory index: lines of about 200 characters, with title and link. */
  memoryHookCharacters: 150,
  /** Characters of a memory's text; a longer one is a document. Source: our choice: about 8,000 tokens, far above those that are recalled. */
  memoryBodyCharacters: 32_000,
  /** Characters of a text that are looked at to make a memory of it. Source: our choice: far more than a memory has, and read in an instant. */
  memoryReadCharacters: 1_000_000,
  /** Days from which on recalled text is to be verified before it is relied on. Source: Claude Code's memory: from the second day on. */
  verifyAfterDays: 2,
  /** Characters of one message that are taken for a user's own words; more is a document. Source: our choice: more than twice the longest of the recorded sessions, which has about 1,500. */
  ownWordsCharacters: 4_000,
  /** Words in quotation marks from which on they are someone else's. Source: our choice: titles and names have fewer, sentences more. */
  quotedWordsCount: 5,
  /** Memories that one session may leave. Source: Claude Code's extraction at a session's end. */
  extractedCount: 20,
  /** Those of them that may be quarantined. Source: our choice: half, so that a page full of claims leaves room for what the user says. */
  extractedQuarantinedCount: 10,
  /** Characters of a sentence that is taken as a wish. Source: our choice: longer ones tell a story. */
  sentenceCharacters: 400,
  /** Words that mean something, of a sentence that says anything by itself. Source: our choice: "use pnpm". */
  leastWordsCount: 2,
  /** Share of a sentence's words that another one must have to say the same. Source: our choice: as with the facts of session notes. */
  repeatedShare: 0.85,
  /** Words whose stems are known at a time. Source: our choice: some megabytes; English text has fewer. */
  wordsKnownCount: 30_000,
  /** Share of a claim's words that the user's message must have for it to be the user's. Source: our choice: one word in ten may be another's; beyond that, it is an interpretation. */
  userWordsShare: 0.9,
  /** Share from which on a claim is a model's reading of what the user said. Source: our choice: a third of the words is more than chance. */
  readingShare: 0.34,
  /** Share of a claim's words in two lines of a tool's result from which on the tool said it. Source: our choice. */
  carriedShare: 0.6,
  /** Words of a claim that no user said from which on their source is named. Source: our choice: fewer meet by chance. */
  leastForeignCount: 3,
} as const;

assert(
  MEMORY_SAFETY_DEFAULTS.memoryNameCharacters < MEMORY_SAFETY_DEFAULTS.memoryDescriptionCharacters,
  "a name is shorter than what describes it",
);

assert(
  MEMORY_SAFETY_DEFAULTS.readingShare < MEMORY_SAFETY_DEFAULTS.carriedShare &&
    MEMORY_SAFETY_DEFAULTS.carriedShare < MEMORY_SAFETY_DEFAULTS.userWordsShare,
  "a claim is taken for a tool's sooner than for the user's",
);
