/**
 * Creating and opening sessions.
 *
 * Opening reads from the last checkpoint on: the stretches it names give the window, the entries
 * after it are folded like new ones. A log without a checkpoint is folded from its start.
 */

import { assert } from "../base/assert.ts";
import { asNumber, asString, isObject } from "../base/json.ts";
import { addToDigest, createDigest } from "../compaction/digest.ts";
import { addToHistory, createHistoryIndex } from "../compaction/history-search.ts";
import type { LogDamage, SessionLog, StoredEntry } from "../ports/session-store.ts";
import { estimateBlock } from "../tokens/estimate-block.ts";
import { estimateMessage } from "../tokens/estimate-message.ts";
import { type SentRequest, UsageLedger } from "../tokens/usage-ledger.ts";
import { restoreCheckpoint } from "../transcript/checkpoint.ts";
import { hasEffect } from "../transcript/edits.ts";
import type { CheckpointEntry, Entry } from "../transcript/entries.ts";
import { Projection } from "../transcript/projection.ts";
import { CallPreparer } from "./call-preparer.ts";
import type { SessionEvent } from "./events.ts";
import { FoldedFromLog } from "./folded-from-log.ts";
import { HostList } from "./host-list.ts";
import { hydrate, shownOf } from "./hydrate.ts";
import { LogReader } from "./log-reader.ts";
import { LogWriter } from "./log-writer.ts";
import { MessageKeeper } from "./message-keeper.ts";
import { Session } from "./session.ts";
import { SessionHistory } from "./session-history.ts";
import type { NewSessionOptions, SessionOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";
import { WindowKeeper } from "./window-keeper.ts";

/** Written into the header of every session, to know later who wrote a log. */
const CREATED_BY = "palimpsest";
/** The model of a ledger before the first call names one. */
const UNKNOWN_MODEL = "unknown";

/**
 * Begins a new session. Nothing is stored before the first message.
 * @throws `StoreError` `SESSION_EXISTS` where the store has the id already.
 */
export async function createSession(options: NewSessionOptions): Promise<Session> {
  const sessionId = options.sessionId ?? options.ids.sessionId();
  const log = await options.store.create(sessionId, options.scope);
  const { scope, workingCopy, source } = options;
  const header = {
    type: "header",
    sessionId,
    createdBy: CREATED_BY,
    ...(scope === undefined ? {} : { scope }),
    ...(workingCopy === undefined ? {} : { workingCopy }),
    ...(source === undefined ? {} : { source }),
  } as const;
  const keeper = new WindowKeeper(new UsageLedger({ model: UNKNOWN_MODEL, fixedTokens: 0 }));
  const session = assemble(options, log, {
    projection: new Projection(),
    keeper,
    positions: new Map(),
    isNew: true,
  });
  session.parts.writer.begin(header);
  return session.session;
}

/**
 * Opens a session of the store where it was left.
 * @throws `StoreError` `SESSION_NOT_FOUND`. Damage does not throw: it is skipped and told to the observer.
 */
export async function openSession(sessionId: string, options: SessionOptions): Promise<Session> {
  const log = await options.store.open(sessionId, options.scope);
  const emit = (event: SessionEvent): void => options.observer?.onEvent(event);
  const opened = (await openTail(log, emit)) ?? (await openWhole(log, emit));
  return assemble(options, log, opened).session;
}

/** From the last checkpoint on; `undefined` where what follows it goes back further than it names. */
async function openTail(log: SessionLog, emit: Emit): Promise<Opened | undefined> {
  const { entries, damage } = await log.readTail();
  reportDamage(damage, emit);
  const checkpoint = entries.find(({ entry }) => entry.type === "checkpoint")?.entry as
    | CheckpointEntry
    | undefined;
  if (checkpoint === undefined || entries[0]?.entry !== checkpoint)
    return replay(entries, { log, positions: new Map() });
  const positions = new Map<number, number>();
  const projection = await restore(checkpoint, log, positions, emit);
  return replay(entries, { log, positions, projection, checkpoint });
}

async function openWhole(log: SessionLog, emit: Emit): Promise<Opened> {
  const entries: StoredEntry[] = [];
  for await (const batch of log.readAll()) {
    reportDamage(batch.damage, emit);
    entries.push(...batch.entries);
  }
  const opened = await replay(entries, { log, positions: new Map() });
  assert(opened !== undefined, "a log folded from its start needs nothing before it");
  return opened;
}

type Emit = (event: SessionEvent) => void;

function reportDamage(damage: readonly LogDamage[], emit: Emit): void {
  for (const one of damage) emit({ type: "damage", damage: one });
}

interface Opened {
  readonly projection: Projection;
  readonly keeper: WindowKeeper;
  readonly positions: Map<number, number>;
  readonly isNew: boolean;
  readonly lastEntry?: Entry;
}

function assemble(
  options: SessionOptions,
  log: SessionLog,
  { projection, keeper, positions, isNew, lastEntry }: Opened,
): { readonly session: Session; readonly parts: SessionParts } {
  const { clock, ids, hasher, observer } = options;
  const { ledger } = keeper;
  const carry = (): Pick<CheckpointEntry, "usageAnchor"> => ({
    usageAnchor: { ledger: ledger.snapshot(), fixedTokens: ledger.fixedTokens ?? null },
  });
  const lastField = lastEntry === undefined ? {} : { lastEntry };
  const writer = new LogWriter({ log, clock, ids, projection, positions, carry, ...lastField });
  const reader = new LogReader(log, positions);
  const isTold = (seq: number): boolean => isOnLineForHost(writer.projection, seq);
  const digest = new FoldedFromLog(
    reader,
    { create: () => createDigest(), add: addToDigest, includes: isTold },
    { isNew },
  );
  const everything = { create: () => createHistoryIndex(), add: addToHistory, includes: () => true };
  const index = new FoldedFromLog(reader, everything, { isNew });
  const messages = new MessageKeeper({
    log,
    hasher,
    measure: (block) => estimateBlock(block) * ledger.ratio,
  });
  const isDurable = (options.durability ?? "durable") === "durable";
  const parts: SessionParts = { log, writer, reader, messages, keeper, digest, index, observer, isDurable };
  const preparer = new CallPreparer(parts, options.window ?? {}, () => clock.nowMs());
  const hostList = new HostList({ hasher, reader, isShown: isTold });
  return { session: new Session(parts, preparer, hostList, new SessionHistory(reader, index)), parts };
}

async function restore(
  checkpoint: CheckpointEntry,
  log: SessionLog,
  positions: Map<number, number>,
  emit: Emit,
): Promise<Projection> {
  const entries: Entry[] = [];
  for (const run of checkpoint.runs) {
    const contents = await log.readFrom(run.position, run.to);
    reportDamage(contents.damage, emit);
    for (const { entry, position } of contents.entries) {
      positions.set(entry.seq, position);
      entries.push(await hydrate(entry, log));
    }
  }
  return restoreCheckpoint(checkpoint, entries);
}

interface ReplaySource {
  readonly log: SessionLog;
  readonly positions: Map<number, number>;
  /** The window that `checkpoint` names; both absent where the entries are the whole log. */
  readonly projection?: Projection;
  readonly checkpoint?: CheckpointEntry;
}

/**
 * Folds entries as they were appended, and lets the ledger live through them again.
 * `undefined` where one of them needs what lies before the checkpoint.
 */
async function replay(entries: readonly StoredEntry[], source: ReplaySource): Promise<Opened | undefined> {
  const { log, positions, projection = new Projection(), checkpoint } = source;
  const keeper = new WindowKeeper(openLedger(checkpoint, entries));
  const { ledger } = keeper;
  keeper.follow(projection);
  let sent: { readonly callSeq: number; readonly request: SentRequest } | undefined;
  let replyTokens = 0;
  for (const { entry, position } of entries) {
    positions.set(entry.seq, position);
    const shown = await hydrate(entry, log);
    if (!projection.canApply(shown)) return undefined;
    projection.apply(shown);
    keeper.follow(projection);
    if (entry.type === "call") {
      ledger.modelSwitched(entry.model);
      if (entry.fixedTokens !== undefined) ledger.fixedChanged(entry.fixedTokens);
      sent = { callSeq: entry.seq, request: ledger.requestSent() };
      replyTokens = 0;
    } else if (shown.type === "message" && shown.role === "assistant") {
      replyTokens += estimateMessage({ content: shown.content.map(shownOf) });
    } else if (entry.type === "answer" && entry.usage !== undefined && sent?.callSeq === entry.callSeq) {
      ledger.usageReported({ sent: sent.request, usage: entry.usage, replyTokens });
    }
  }
  const lastEntry = entries.at(-1)?.entry;
  return { projection, keeper, positions, isNew: false, ...(lastEntry === undefined ? {} : { lastEntry }) };
}

function openLedger(checkpoint: CheckpointEntry | undefined, entries: readonly StoredEntry[]): UsageLedger {
  const anchor = isObject(checkpoint?.usageAnchor) ? checkpoint.usageAnchor : {};
  const snapshot = isObject(anchor["ledger"]) ? anchor["ledger"] : undefined;
  const carriedModel = asString(snapshot?.["model"]);
  const firstCall = entries.find(({ entry }) => entry.type === "call")?.entry;
  const calledModel = firstCall?.type === "call" ? firstCall.model : undefined;
  const model = carriedModel ?? calledModel ?? UNKNOWN_MODEL;
  return new UsageLedger({ model, fixedTokens: asNumber(anchor["fixedTokens"]) ?? 0, snapshot });
}

/** Whether a message belongs to the conversation as its host has it: on the line, and not taken out by the host. */
function isOnLineForHost(projection: Projection, seq: number): boolean {
  const isWithin = (range: { readonly from: number; readonly to: number }): boolean =>
    seq >= range.from && seq <= range.to;
  if (!projection.lineRanges.some(isWithin)) return false;
  return !projection.activeEdits.some(
    ({ edit }) => hasEffect(edit) && edit.kind === "host" && (edit.effect.hide ?? []).some(isWithin),
  );
}
