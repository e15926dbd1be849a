/**
 * What a session is made with.
 */
import type { Clock } from "../ports/clock.ts";
import type { Hasher } from "../ports/hasher.ts";
import type { IdSource } from "../ports/id-source.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { Scope } from "../transcript/entries.ts";
import type { SessionObserver } from "./events.ts";

/** How the window is managed. Everything left out is worked out from the model. */
export interface WindowOptions {
  /** The model's context window in tokens, where it is to be another than the catalogue says. */
  readonly windowTokens?: number;
  /** The model's longest answer in tokens, likewise. */
  readonly maxOutputTokens?: number;
  /** Whether earlier messages may be rewritten; from the model and what the session holds, by default. */
  readonly editSafety?: "strict" | "permissive";
  /** Layers that are switched off. */
  readonly disabledLayers?: readonly ("offload" | "microcompact" | "extractive")[];
  /** Tools whose results and arguments are never cleared. */
  readonly keptTools?: readonly string[];
}

export interface SessionOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly hasher: Hasher;
  readonly observer?: SessionObserver;
  readonly window?: WindowOptions;
  /**
   * `durable`: everything a request rests on survives a power loss before `prepare` resolves.
   * `process`: it survives a killed process.
   * @defaultValue `durable`
   */
  readonly durability?: "process" | "durable";
}

/** Of a new session. */
export interface NewSessionOptions extends SessionOptions {
  /** @defaultValue a UUID v4 */
  readonly sessionId?: string;
  readonly scope?: Scope;
  readonly workingCopy?: string;
  /** What an imported session was before. */
  readonly source?: { readonly format: string; readonly sessionId?: string };
}
