/**
 * `MemoryManager`, wired for Node: in memory by default, in a folder or any other store where one is named.
 */

import { OptionError } from "../base/errors.ts";
import { anything, checkOptions, having, type OptionRules, text } from "../base/options/check-options.ts";
import { MEMORY_CONFIG_RULES } from "../conversation/compression/compression-config.ts";
import { ConversationMemory, type ConversationMemoryOptions } from "../conversation/conversation-manager.ts";
import type { SessionStore } from "../ports/session-store.ts";
import { OBSERVER_RULE, SCOPE_RULE } from "../session/options/session-option-rules.ts";
import { InMemorySessionStore } from "../stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds, systemClock, systemDeadline } from "../stores/platform/node-ports.ts";
import { folderStore } from "./folder-store.ts";
import { CLOCK_RULE, DEADLINE_RULE } from "./home/option-rules.ts";

/** Settings of a manager, and where it keeps its sessions. Everything can be left out. */
interface MemoryManagerOptions extends Partial<ConversationMemoryOptions> {
  /** Keeps sessions in this folder, one JSONL file each, readable by their owner only. */
  readonly folder?: string;
  /**
   * Keeps sessions here, in the place of a folder.
   * @defaultValue in memory, as long as the manager lives
   */
  readonly store?: SessionStore;
}

/**
 * The memory of conversations in a few calls; see {@link ConversationMemory} for what it does.
 *
 * @example
 * ```ts
 * const memory = new MemoryManager();
 * await memory.addUserMessage("s1", "My name is Ada. What is a monad?");
 * await memory.addAssistantMessage("s1", "A monoid in the category of endofunctors.");
 * const context = memory.getContextForLLM("s1");
 * ```
 */
export class MemoryManager extends ConversationMemory {
  /** @throws `OptionError` for a setting that does not exist or cannot be used. */
  constructor(given: MemoryManagerOptions = {}) {
    checkOptions("MemoryManager", given, RULES);
    const { folder, store, ...options } = given;
    super({
      clock: systemClock,
      ids: randomIds,
      hasher: nodeHasher,
      deadline: systemDeadline,
      ...options,
      store: chooseStore(folder, store),
    });
  }
}

const STORE_RULE = having(
  ["create", "open"],
  "a session store",
  "a store such as `new InMemorySessionStore()`",
);

const RULES: OptionRules<MemoryManagerOptions> = {
  ...MEMORY_CONFIG_RULES,
  folder: text,
  store: STORE_RULE,
  clock: CLOCK_RULE,
  ids: having(["entryId"], "a source of ids", "`randomIds`"),
  hasher: having(["sha256"], "a hasher", "`nodeHasher`"),
  deadline: DEADLINE_RULE,
  scope: SCOPE_RULE,
  observer: OBSERVER_RULE,
  summarizeTimeoutMs: anything,
};

function chooseStore(folder: string | undefined, store: SessionStore | undefined): SessionStore {
  if (folder === undefined) return store ?? new InMemorySessionStore();
  if (store !== undefined) {
    throw new OptionError({
      message: "Both `folder` and `store` are given.",
      hint: "Pass one of them, or neither to keep sessions in memory.",
    });
  }
  return folderStore(folder);
}
