/**
 * The settings of `MemoryManager`: their defaults, and the check of what a host sets.
 */
import { CONVERSATION_MEMORY_DEFAULTS } from "../../base/defaults/conversation-memory.ts";
import { checkOptions, flag, type OptionRules, wholeFrom } from "../../base/options/check-options.ts";

/** When a session is compressed, and how far. Every setting can be left out, and changed later by `updateConfig`. */
export interface MemoryConfig {
  /**
   * Active entries above which a session is compressed; a whole number from 1 on.
   * @defaultValue `maxEntries`, 100
   */
  readonly maxEntries: number;
  /**
   * Tokens of active entries and summaries above which it is compressed; a whole number from 1 on.
   * @defaultValue `maxTokens`, 50,000
   */
  readonly maxTokens: number;
  /**
   * Newest entries that are never compressed; a whole number from 0 on.
   * @defaultValue `recentWindow`, 10
   */
  readonly recentWindow: number;
  /**
   * Fewest entries that are compressed together; a whole number from 1 on.
   * @defaultValue `minEntriesToCompress`, 5
   */
  readonly minEntriesToCompress: number;
  /**
   * If true, the add methods compress a session that exceeds a limit; `compress` works either way.
   * @defaultValue `true`
   */
  readonly autoCompress: boolean;
  /**
   * Share of the original that a summary is asked to take, between 0 and 1. (The field of the same name of
   * a summary is the other way round: original ÷ summary.)
   * @defaultValue `compressionRatio`, 0.3
   */
  readonly compressionRatio: number;
}

const D = CONVERSATION_MEMORY_DEFAULTS;

/** The settings of a manager that is given none. */
export const DEFAULT_MEMORY_CONFIG: MemoryConfig = Object.freeze({
  maxEntries: D.maxEntries,
  maxTokens: D.maxTokens,
  recentWindow: D.recentWindow,
  minEntriesToCompress: D.minEntriesToCompress,
  autoCompress: true,
  compressionRatio: D.compressionRatio,
});

export const MEMORY_CONFIG_RULES: OptionRules<MemoryConfig> = {
  maxEntries: wholeFrom(1),
  maxTokens: wholeFrom(1),
  recentWindow: wholeFrom(0),
  minEntriesToCompress: wholeFrom(1),
  autoCompress: flag,
  compressionRatio: {
    isFit: (value) => typeof value === "number" && value > 0 && value < 1,
    says: "a number between 0 and 1",
  },
};

/**
 * The settings with some of them changed; those that are `undefined` stay as they were.
 * @throws `OptionError` for a setting that does not exist or has a value that cannot be used; none is changed then.
 */
export function changeMemoryConfig(config: MemoryConfig, changes: Partial<MemoryConfig>): MemoryConfig {
  checkOptions("MemoryManager", changes, MEMORY_CONFIG_RULES);
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...config, ...Object.fromEntries(set) });
}
