/**
 * The options of a session.
 */

import type { JsonObject } from "../../base/json/json.ts";
import type { PolicyName } from "../../compaction/planner/cost-policy.ts";
import type { EmbeddingClient } from "../../ports/model-client.ts";
import type { Clock, Hasher, IdSource, Timer } from "../../ports/runtime.ts";
import type { SessionStore } from "../../ports/session-store.ts";
import type { TariffOption } from "../../tokens/price/tariff.ts";
import type { Scope } from "../../transcript/entries.ts";
import type { SessionObserver } from "../events/events.ts";
import type { WindowLimits } from "./window-limits.ts";

/** Layers that can be switched off. */
export const SWITCHED_LAYERS = [
  "arrival",
  "offload",
  "microcompact",
  "collapse",
  "session-memory",
  "full",
  "extractive",
  "restoration",
  "provider-side",
] as const;

/** One of {@link SWITCHED_LAYERS}. */
export type SwitchedLayer = (typeof SWITCHED_LAYERS)[number];

/** Options of the window. Defaults come from the model. */
export interface WindowOptions {
  /** The model's context window in tokens, where it is to be another than the catalogue says. */
  readonly windowTokens?: number;
  /** The largest window in tokens, for every model: a larger one is managed as if it ended here. @defaultValue none */
  readonly ceilingTokens?: number;
  /** The model's longest answer in tokens, likewise. */
  readonly maxOutputTokens?: number;
  /** `permissive` if messages that were sent may be rewritten. @defaultValue by the model and the content of the session */
  readonly editSafety?: "strict" | "permissive";
  /**
   * The policy for rewriting the window to save money: `economy` and `balanced` rewrite it before it is full,
   * `faithful` only if it must or it costs nothing, `off` never: then a request that does not fit is refused. `classic`
   * has the constants and the order of layers of Claude Code.
   * @defaultValue `balanced`
   */
  readonly policy?: PolicyName;
  /**
   * The writer of a summary that is made before the window is full, where a model is connected. `log`: none, it is made
   * from the log. `model`: the model writes it in the background, if earlier messages may be rewritten.
   * @defaultValue by the policy
   */
  readonly earlySummary?: "log" | "model";
  /**
   * False: no summary is made and no rounds collapse by themselves, and a request beyond the blocking limit is refused
   * with `WINDOW_TOO_SMALL`; `compact()` works. Old results still become smaller, unless `disabledLayers` says otherwise.
   * @defaultValue true
   */
  readonly autoCompact?: boolean;
  /** False: no compaction at all; `compact()` is refused with `COMPACTION_REFUSED`. @defaultValue true */
  readonly compact?: boolean;
  /** Thresholds, margins, gates, counts, gaps and budgets. @defaultValue those of the policy */
  readonly limits?: WindowLimits;
  /**
   * Layers that are switched off; `arrival` is the limit of new blocks, `restoration` shows things again after a
   * compaction, `provider-side` asks the provider to clear by itself. What would not fit without them is
   * still shown in part, as a last resort; `policy: "off"` does not even do that.
   * A compaction by hand works whatever is off: with all summaries off, it makes that from the log.
   */
  readonly disabledLayers?: readonly SwitchedLayer[];
  /**
   * Plain copies of blocks that are shown in part, at a path that the preview names, so that the agent's own tools open
   * them. False: none. A folder: there, one folder a session; clean-up and trash leave it alone. True: with the session,
   * whatever tools the model has.
   * @defaultValue with the session, if it is kept in files and the model has a tool that reads files or a shell
   */
  readonly plainFiles?: boolean | string;
  /** Tools whose results and arguments are never cleared; large ones may be shown by head and tail. */
  readonly keptTools?: readonly string[];
  /** Tools that can be run again and may be cleared, beside those that are known to be. */
  readonly clearableTools?: readonly string[];
  /** Token prices that differ from the catalogue's: a named tariff, or single figures. */
  readonly tariff?: TariffOption;
  /**
   * The lifetime that cache marks ask the provider for.
   * @defaultValue `5m`
   */
  readonly cacheTtl?: "5m" | "1h";
  /**
   * The same for system prompt and tools, which every call repeats. `auto`: an hour after the first pause of the
   * session that is longer than five minutes, where the vendor offers it.
   * @defaultValue `auto`
   */
  readonly headCacheTtl?: "auto" | "5m" | "1h";
  /**
   * Edits that the provider makes of the context on its side, in sessions whose history must not be rewritten (strict edit
   * safety), at endpoints that are known to make them. `clear`: old results of tools and old thinking. `compact`: a summary
   * of everything so far, which is made while the model answers.
   * @defaultValue both off
   */
  readonly providerEdits?: { readonly clear?: boolean; readonly compact?: boolean };
}

/**
 * The ports and options of a session. `store`, `clock`, `ids` and `hasher` are the ports it reaches the world by;
 * `nodeSessions` fills them in for sessions on the local disk.
 */
export interface SessionOptions {
  /** The store of the session. */
  readonly store: SessionStore;
  /** The time of entries; the order of the log does not depend on it. */
  readonly clock: Clock;
  /** Ids of entries, and of the session where it has none yet. */
  readonly ids: IdSource;
  /** Names blobs by their content. */
  readonly hasher: Hasher;
  /** Tenant and project of the session: part of its name in the store. */
  readonly scope?: Scope;
  /** Receives every edit, repair, call and damage. */
  readonly observer?: SessionObserver;
  /** Options of the window. @defaultValue by the model */
  readonly window?: WindowOptions;
  /**
   * `durable`: everything a request rests on survives a power loss before `prepare` resolves.
   * `process`: it survives a killed process.
   * @defaultValue `durable`
   */
  readonly durability?: "process" | "durable";
  /**
   * Paces work in the background. With it the part of a stored log that opening does not read is verified a piece
   * at a time after opening, and damage there is reported to the observer.
   */
  readonly timer?: Timer;
  /** False: the part of a stored log that opening does not read is not verified in the background. @defaultValue true */
  readonly verifyStored?: boolean;
  /**
   * Has `history_search` find by meaning, too: what people and the agent said is sent to this model, without secrets,
   * from the first search on. @defaultValue words alone
   */
  readonly embeddings?: EmbeddingClient;
}

/** Options of a new session. */
export interface NewSessionOptions extends SessionOptions {
  /** @defaultValue a UUID v4 */
  readonly sessionId?: string;
  /** Folder or checkout that the session is about, written into the header. */
  readonly workingCopy?: string;
  /** What the session is for, where it is not a conversation with a user: `task`. */
  readonly purpose?: string;
  /** Title, tags and the like, stored in front of the first message; nothing is stored before that. */
  readonly metadata?: JsonObject;
  /** The origin of an imported session; `firstAt` and `lastAt`: times of its first and last message, in milliseconds since the epoch. */
  readonly source?: {
    readonly format: string;
    readonly sessionId?: string;
    readonly firstAt?: number;
    readonly lastAt?: number;
  };
}

/** Options of a fork: its entry, its name and its store. */
export interface ForkOptions extends SessionOptions {
  /** Number of the entry after which the fork goes its own way. @defaultValue the newest entry */
  readonly atSeq?: number;
  /** Id of the fork. @defaultValue a UUID v4 */
  readonly sessionId?: string;
  /** @defaultValue the title of the session, marked as a fork; none where it has none */
  readonly title?: string;
  /** Title, tags and the like that are to be others than the session has; `title` comes after it. */
  readonly metadata?: JsonObject;
  /** Folder or checkout that the fork is about. @defaultValue that of the session */
  readonly workingCopy?: string;
  /** The store of the session that is forked. @defaultValue the store of the fork */
  readonly from?: { readonly store: SessionStore; readonly scope?: Scope };
  /** Stops the copying with `ABORTED`. */
  readonly signal?: AbortSignal;
}
