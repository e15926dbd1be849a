/**
 * Numbers of the simulation: how a model's summary, its notes and a lookup are modelled without asking a model.
 */
export const EVALUATION_DEFAULTS = {
  /** Tokens of a string in a summary that a model wrote, and in an appendix, with its separator. Source: where-the-numbers-come-from.md, "Summaries": measured on recorded summaries. */
  summaryStringTokens: 6,
  /** The same in an appendix. Source: where-the-numbers-come-from.md, "Summaries". */
  appendixStringTokens: 7,
  /** Share of a model's summary that is reusable strings. Source: where-the-numbers-come-from.md, "Summaries": recorded Claude Code summaries hold 28–32 % of the strings used afterwards, as this share does. */
  summaryStringShare: 0.1,
  /** Plain words of a model's summary, per token of it. Source: where-the-numbers-come-from.md, "Summaries": recorded ones have a median of 96 in 3.2K. */
  summaryWordsPerToken: 0.03,
  /** Lines of edited files in a model's summary, per token of it. Source: the same: a median of 9 in 3.2K. */
  summaryLinesPerToken: 0.003,
  /** The share of an earlier summary's strings that the next one carries on. Source: our choice, as in the first simulator. */
  carriedStringShare: 0.4,
  /** Length of a model's summary, in tokens, in the reference window; it shrinks with the root of the window. Source: where-the-numbers-come-from.md, "Summaries": recorded ones have 3.2K in the middle. */
  summaryTokens: 3_200,
  /** Least length of a model's summary, in tokens. Source: our choice. */
  summaryFloorTokens: 1_200,
  /** Size of notes that a model keeps, as a share of the conversation, up to their limit. Source: our choice, as in the first simulator. */
  notesShare: 0.06,
  /** Least size of such notes, in tokens. Source: our choice, as in the first simulator. */
  notesLeastTokens: 1_500,
  /**
   * The tokens that every update of the notes rewrites: their Current State. Source: our choice: with
   * `notesShare` of a growth of 5,000 it makes the 700 tokens of the first simulator.
   */
  notesStateTokens: 400,
  /** The tokens that a side call adds to the window it forks. Source: our choice: an instruction. */
  sideCallTokens: 800,
  /** The tokens in place of a cleared result. Source: our choice: a line of text. */
  placeholderTokens: 30,
  /** Results below this are not worth a placeholder, in tokens. Source: our choice: four placeholders. */
  clearableTokens: 120,
  /** Arguments below this are not worth clearing, in characters. Source: our choice: some 280 tokens. */
  clearableArgumentCharacters: 900,
  /** The tokens in place of cleared arguments. Source: our choice: their beginning, in a line. */
  argumentPlaceholderTokens: 40,
  /** Output tokens of asking for one thing again. Source: our choice: a tool call. */
  lookupOutputTokens: 80,
  /**
   * The most that a lookup returns, in tokens: the places that hold the wanted strings. Source: our choice,
   * half a page of `history_read`.
   */
  lookupTokens: 1_500,
  /** The most that is read again of one file or result, as a share of the window; smaller ones are read whole. Source: our choice: an agent reads the part that it needs of what would fill its window. */
  rereadWindowShare: 0.25,
  /** Things asked for again before one call, at the most. Source: our choice: agents call in parallel. */
  lookupSources: 3,
} as const;
