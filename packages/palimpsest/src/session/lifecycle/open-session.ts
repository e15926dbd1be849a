/**
 * Creates and opens sessions.
 *
 * Opening starts at the last checkpoint: it names the entries of the window, which are read, and the entries after it
 * are folded like new ones. A log without a checkpoint is folded from its start.
 */

import { OptionError } from "../../base/errors.ts";
import { checkOptions } from "../../base/options/check-options.ts";
import { checkNewSessionId } from "../../base/session-id.ts";
import { POLICY_NAMES } from "../../compaction/planner/cost-policy.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import { UsageLedger } from "../../tokens/count/usage-ledger.ts";
import { checkTariffOption } from "../../tokens/price/tariff.ts";
import { Projection } from "../../transcript/projection.ts";
import { OpenCalls } from "../append/open-calls.ts";
import { checkMetadata } from "../append/session-metadata.ts";
import { notify, type SessionEvent } from "../events/events.ts";
import { KnownDamage, WatchedLog } from "../history/watched-log.ts";
import { NEW_SESSION_RULES, WINDOW_RULES } from "../options/session-option-rules.ts";
import {
  type NewSessionOptions,
  type SessionOptions,
  SWITCHED_LAYERS,
  type WindowOptions,
} from "../options/session-options.ts";
import { checkLimits } from "../options/window-limits.ts";
import type { Session } from "../session.ts";
import { WindowTracker } from "../window/window-tracker.ts";
import { assembleSession } from "./assemble-session.ts";
import { foldStoredLog, UNKNOWN_MODEL } from "./fold-stored-log.ts";

/** Names this library in the header of every log that it writes. */
export const CREATED_BY = "palimpsest";

/**
 * Begins a new session. Nothing is stored before the first message.
 * @throws `StoreError` `SESSION_EXISTS` where the store has the id already; `OptionError` where the id or
 * the window cannot be used.
 */
export async function createSession(options: NewSessionOptions): Promise<Session> {
  checkOptions("createSession", options, NEW_SESSION_RULES);
  checkWindow(options.window);
  checkMetadata(options.metadata ?? {});
  checkNewSessionId(options.sessionId);
  const sessionId = options.sessionId ?? options.ids.sessionId();
  const stored = await options.store.create(sessionId, options.scope);
  const log = new WatchedLog(stored, new KnownDamage((event) => notify(options.observer, event)));
  const { scope, workingCopy, purpose, source, metadata = {} } = options;
  const header = {
    type: "header",
    sessionId,
    createdBy: CREATED_BY,
    scope,
    workingCopy,
    purpose,
    source,
  } as const;
  const tracker = new WindowTracker(new UsageLedger({ model: UNKNOWN_MODEL }));
  const empty = { projection: new Projection(), tracker, positions: new Map(), calls: new OpenCalls() };
  const metadataEntries = Object.entries(metadata).flatMap(([key, value]) =>
    value === undefined ? [] : [{ type: "metadata", key, value } as const],
  );
  return assembleSession(options, log, { ...empty, beginning: [header, ...metadataEntries] });
}

/**
 * Opens a session of the store in its last state, and becomes its writer.
 * @throws `StoreError` `SESSION_NOT_FOUND`, or `SESSION_IN_USE` if it has another writer; `OptionError` if the window
 * cannot be used. Damage does not throw: it is skipped and reported to the observer.
 */
export async function openSession(sessionId: string, options: SessionOptions): Promise<Session> {
  // Options of new sessions are accepted too, so that a program can use one object for both.
  checkOptions("openSession", options, NEW_SESSION_RULES);
  checkWindow(options.window);
  const emit = (event: SessionEvent): void => notify(options.observer, event, { sessionId });
  const stored = await options.store.open(sessionId, options.scope);
  const log = new WatchedLog(stored, new KnownDamage(emit));
  try {
    // Before reading, so that no other process appends entries that this session would miss.
    await log.acquire();
    const folded = await foldStoredLog(log, emit);
    const session = assembleSession(options, log, folded);
    const { timer, verifyStored = true } = options;
    if (folded.isFromTail === true && timer !== undefined && verifyStored) log.verify(timer);
    return session;
  } catch (error) {
    await closeQuietly(log);
    throw error;
  }
}

async function closeQuietly(log: SessionLog): Promise<void> {
  try {
    await log.close();
  } catch {
    // The caller gets the error that prevented opening.
  }
}

/** Checks the options of the window: an unusable one is refused, never silently replaced. */
export function checkWindow(window: WindowOptions = {}): void {
  checkOptions("window", window, WINDOW_RULES);
  checkTariffOption(window.tariff);
  const cacheTtl: unknown = window.cacheTtl;
  if (cacheTtl !== undefined && cacheTtl !== "5m" && cacheTtl !== "1h") {
    throw new OptionError({
      message: "`window.cacheTtl` is neither `5m` nor `1h`.",
      hint: "Leave it out for the provider's usual five minutes.",
    });
  }
  checkLimits(window.limits);
  checkChoice("policy", window.policy, POLICY_NAMES);
  checkChoice("editSafety", window.editSafety, ["strict", "permissive"]);
  for (const layer of checkNames("disabledLayers", window.disabledLayers))
    checkChoice("disabledLayers", layer, SWITCHED_LAYERS);
  checkNames("keptTools", window.keptTools);
  checkNames("clearableTools", window.clearableTools);
  for (const name of ["windowTokens", "maxOutputTokens"] as const) {
    const value: unknown = window[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) > 0)) continue;
    throw new OptionError({
      message: `\`window.${name}\` is ${String(value)}; it is a whole number of tokens above 0.`,
      hint: "Leave it out to take the figure of the model's catalogue entry.",
    });
  }
}

function checkChoice(name: keyof WindowOptions, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return;
  throw new OptionError({
    message: `\`window.${name}\` has ${JSON.stringify(value) ?? String(value)}; it is one of ${choices.join(", ")}.`,
    hint: "Leave it out for what the library does by itself.",
  });
}

function checkNames(name: keyof WindowOptions, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new OptionError({
    message: `\`window.${name}\` is not a list of names.`,
    hint: "Give a list of strings, or leave it out.",
  });
}
