/**
 * Numbers of the measurement: what counts as a reference, how a recorded session is priced, and how a
 * model's summary and a lookup are modelled where nobody is asked.
 */
export const EVALUATION_DEFAULTS = {
  /** A reference is far where its string was last seen this many tokens before. Source: where-the-numbers-come-from.md, "Survival": what lies nearer is in every policy's tail. */
  farTokens: 8_000,
  /** Shortest string that counts as a reference, in characters. Source: our choice. */
  referenceCharacters: 4,
  /** Strings in more than this share of the messages carry no information. Source: our choice. */
  commonShare: 0.15,
  /** … or in more than this many, whichever is more. Source: our choice. */
  commonMessages: 12,
  /** Tokens of a string in a summary that a model wrote, and in an appendix, with its separator. Source: where-the-numbers-come-from.md, "Summaries": measured on recorded summaries. */
  summaryStringTokens: 6,
  /** The same in an appendix. Source: where-the-numbers-come-from.md, "Summaries". */
  appendixStringTokens: 7,
  /** Share of a model's summary that is reusable strings. Source: where-the-numbers-come-from.md, "Summaries": recorded Claude Code summaries hold 28–32 % of the strings used afterwards, as this share does. */
  summaryStringShare: 0.1,
  /** Of an earlier summary, the share of its strings that the next one carries on. Source: our choice, as in the first simulator. */
  carriedStringShare: 0.4,
  /** Length of a model's summary, in tokens, in the reference window; it shrinks with the root of the window. Source: where-the-numbers-come-from.md, "Summaries": recorded ones have 3.2K in the middle. */
  summaryTokens: 3_200,
  /** Least length of a model's summary, in tokens. Source: our choice. */
  summaryFloorTokens: 1_200,
  /** Size of notes that a model keeps, as a share of the conversation, up to their limit. Source: our choice, as in the first simulator. */
  notesShare: 0.06,
  /** Least size of such notes, in tokens. Source: our choice, as in the first simulator. */
  notesLeastTokens: 1_500,
  /** What an update of the notes writes anew whatever has happened, in tokens: their Current State. Source: our choice: with `notesShare` of a growth of 5,000 it makes the 700 tokens of the first simulator. */
  notesStateTokens: 400,
  /** What a side call adds to the window it forks, in tokens. Source: our choice: an instruction. */
  sideCallTokens: 800,
  /** What stands for a cleared result, in tokens. Source: our choice: a line of text. */
  placeholderTokens: 30,
  /** Results below this are not worth a placeholder, in tokens. Source: our choice: four placeholders. */
  clearableTokens: 120,
  /** Arguments below this are not worth clearing, in characters. Source: our choice: some 280 tokens. */
  clearableArgumentCharacters: 900,
  /** What stands for cleared arguments, in tokens. Source: our choice: their beginning, in a line. */
  argumentPlaceholderTokens: 40,
  /** Output tokens of asking for one thing again. Source: our choice: a tool call. */
  lookupOutputTokens: 80,
  /** What comes back at the most, in tokens: the places that hold the wanted strings. Source: our choice, half a page of `history_read`. */
  lookupTokens: 1_500,
  /** Things asked for again before one call, at the most. Source: our choice: agents call in parallel. */
  lookupSources: 3,
  /** Fixed part of a prompt where the recording does not say: system prompt and tools, in tokens. Source: our choice, a small agent's. */
  fixedTokens: 4_000,
  /** Bounds of a fixed part that is inferred from the first billed call, in tokens. Source: our choice. */
  fixedLeastTokens: 1_500,
  /** And the most, in tokens. Source: our choice: larger ones are messages that were not recorded. */
  fixedMostTokens: 60_000,
  /** Time between two messages of a recording without times, in milliseconds. Source: our choice. */
  stepMs: 10_000,
  /** Hits of a search that count as found. Source: our choice: what a model reads before it asks again. */
  searchHits: 5,
  /** Messages that held a string whose other strings are searched for, newest first. Source: our choice: what an agent remembers of it. */
  searchedHolders: 4,
  /** Queries of a single string that are tried. Source: our choice: an agent tries a few. */
  searchTries: 3,
  /** Strings of a query at the most. Source: our choice: what a model types. */
  queryStrings: 6,
} as const;
