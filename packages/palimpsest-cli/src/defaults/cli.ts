/**
 * Numbers of the command line: sizes of pictures, lists and checks.
 */
import { assert } from "palimpsest/internal";

export const CLI_DEFAULTS = {
  /** Columns of a terminal that does not report its width. Source: the width of a VT100. */
  fallbackColumns: 80,
  /** Pictures and reports are never wider, in columns: longer lines are hard to follow. Source: our choice. */
  maxColumns: 120,
  /** Least time between two redraws of the progress line, in milliseconds. Source: our choice: 12 a second look fluent. */
  progressIntervalMs: 80,

  /** Height of the picture of the window, in lines. Source: our choice: auto-compact and limit of a 200K window fall on separate lines. */
  chartRows: 16,
  /** The most columns that one call takes, in a session of few calls. Source: our choice. */
  chartColumnsPerCall: 4,
  /** A window that is filled to less than this share is drawn larger, without its thresholds. Source: our choice: a flat line shows nothing. */
  chartFullScaleShare: 0.4,
  /** Narrower than this, in columns, the names of the thresholds go below the picture. Source: our choice. */
  chartNamesColumns: 64,

  /** A session of fewer calls gets no picture of its window. Source: our choice: a handful of bars says less than the words below. */
  chartMinCalls: 8,
  /** Narrower than this, in columns, the name of a check gets a separate line. Source: our choice: 20 columns of words are hard to read. */
  narrowColumns: 40,
  /** Age from which a temporary folder counts as left behind by a killed run, in milliseconds. Source: our choice: a day. */
  staleFolderMs: 86_400_000,

  /** Broken rules that are shown one by one, per session. Source: our choice: the first ones say what is wrong. */
  violationsShownCount: 5,
  /** Repairs that are shown one by one, per session. Source: our choice. */
  repairsShownCount: 6,
  /** Windows that are built again from the stored log, per session, beside those right after an edit. Source: our choice: about a second. */
  rebuildChecksCount: 16,
  /** Windows right after an edit that are built again, per session. Source: our choice. */
  rebuildEditChecksCount: 16,
  /** Seed of the choice of calls to rebuild, so that a report can be repeated. Source: our choice. */
  rebuildSeed: 20_240_229,

  /** Sessions of a page of a list. Source: our choice: as many as a screen shows. */
  listPageSessions: 20,
  /** Sessions read at once while a list skips those without a tag. Source: our choice: a few milliseconds. */
  taggedBatchSessions: 100,
  /** Newest messages that are shown of a session. Source: our choice: they fit on a screen with the figures. */
  shownMessagesCount: 4,
  /** Lines of a block that are shown. Source: our choice: enough to know what it is; an export has all of it. */
  shownBlockLines: 12,
  /** Places that a search shows. Source: our choice: two screens. */
  searchedPlacesCount: 50,
  /** Sessions that a clean-up names one by one, per project. Source: our choice: a screen. */
  cleanedShownCount: 20,
  /** Problems that are shown of one imported session. Source: our choice: the first ones say what is wrong. */
  importProblemsShownCount: 5,
  /** Findings of the doctor that are shown one by one. Source: our choice: two screens. */
  findingsShownCount: 50,
  /** A disk with less free than this is a problem, in bytes. Source: our choice: some hundred long sessions. */
  lowDiskBytes: 200_000_000,
  /** Age from which a session's folder without a log is reported, in milliseconds: a session stores its first large blocks before its log. Source: our choice: an hour. */
  orphanAgeMs: 3_600_000,

  /** Model of a recording that names none, by its format. Source: our choice: the tools' defaults when they were recorded. */
  modelOfFormat: {
    "claude-code": "claude-sonnet-4-5",
    codex: "gpt-5.5",
    copilot: "claude-sonnet-4-5",
    "anthropic-messages": "claude-sonnet-4-5",
    "openai-chat": "gpt-4o",
    pi: "claude-sonnet-4-5",
    opencode: "claude-sonnet-4-5",
    "gemini-cli": "gemini-2.5-pro",
    "swe-agent": "claude-sonnet-4-5",
    "mini-swe-agent": "claude-sonnet-4-5",
    openhands: "claude-sonnet-4-5",
  },
  /** Smallest window that can be asked for, in tokens. Source: our choice: thresholds keep their order from here on. */
  minWindowTokens: 1_000,
  /** Largest window that can be asked for, in tokens. Source: our choice: ten times the largest model there is. */
  maxWindowTokens: 10_000_000,
} as const;

assert(
  CLI_DEFAULTS.minWindowTokens < CLI_DEFAULTS.maxWindowTokens,
  "there is a window that can be asked for",
);

export const PAGE_DEFAULTS = {
  /** Characters of one block's text that the page keeps. Source: our choice: two screens of text; with it a session of 770K tokens makes a page of a few megabytes. */
  pageTextCharacters: 4_000,
  /** The same for a text that the library inserted. Source: our choice: a whole summary, which readers of the page look for. */
  pageInsertedCharacters: 60_000,
  /** Characters of these that come from the text's end. Source: our choice: errors and results are there. */
  pageTextTailCharacters: 800,
  /** Files, commands and strings that the page keeps of one loss report, of each kind. Source: our choice: the most important come first. */
  lossNamesCount: 24,
  /** Characters of one such name. Source: our choice: a long path or command. */
  lossNameCharacters: 160,
  /** Characters of a title, a model's name and the like. Source: our choice: three lines on a screen. */
  pageNameCharacters: 300,
} as const;

assert(
  PAGE_DEFAULTS.pageTextTailCharacters < PAGE_DEFAULTS.pageTextCharacters,
  "a text that is cut has a beginning",
);
