/**
 * From a stored log to where its session was left: the window, its size as it was known, and the
 * call that still waits for an answer.
 */
import { assert } from "../base/assert.ts";
import { asNumber, asString, isObject } from "../base/json.ts";
import type { LogDamage, SessionLog, StoredEntry } from "../ports/session-store.ts";
import { UsageLedger } from "../tokens/usage-ledger.ts";
import { restoreCheckpoint } from "../transcript/checkpoint.ts";
import type { AnswerEntry, CheckpointEntry, Entry } from "../transcript/entries.ts";
import { Projection } from "../transcript/projection.ts";
import type { SessionEvent } from "./events.ts";
import { hydrate } from "./hydrate.ts";
import { OpenCalls } from "./open-calls.ts";
import { sizeOf, WindowKeeper } from "./window-keeper.ts";

/** The model of a ledger before the first call names one. */
export const UNKNOWN_MODEL = "unknown";

export interface FoldedLog {
  readonly projection: Projection;
  readonly keeper: WindowKeeper;
  readonly calls: OpenCalls;
  /** Where entries lie in the store, as far as they were read. */
  readonly positions: Map<number, number>;
  readonly lastEntry?: Entry;
}

type Emit = (event: SessionEvent) => void;

/** Folds a log from its last checkpoint on; from its start where what follows that goes back further. */
export async function foldStoredLog(log: SessionLog, emit: Emit): Promise<FoldedLog> {
  return (await foldTail(log, emit)) ?? (await foldWhole(log, emit));
}

async function foldTail(log: SessionLog, emit: Emit): Promise<FoldedLog | undefined> {
  const { entries, damage } = await log.readTail();
  reportDamage(damage, emit);
  const first = entries[0]?.entry;
  const positions = new Map<number, number>();
  if (first?.type !== "checkpoint") return fold(entries, { log, positions, projection: new Projection() });
  const projection = await restore(first, { log, positions, emit });
  return fold(entries, { log, positions, projection, checkpoint: first });
}

async function foldWhole(log: SessionLog, emit: Emit): Promise<FoldedLog> {
  const entries: StoredEntry[] = [];
  for await (const batch of log.readAll()) {
    reportDamage(batch.damage, emit);
    for (const stored of batch.entries) entries.push(stored);
  }
  const folded = await fold(entries, { log, positions: new Map(), projection: new Projection() });
  assert(folded !== undefined, "a log folded from its start needs nothing before it");
  return folded;
}

function reportDamage(damage: readonly LogDamage[], emit: Emit): void {
  for (const one of damage) emit({ type: "damage", damage: one });
}

async function restore(
  checkpoint: CheckpointEntry,
  {
    log,
    positions,
    emit,
  }: { readonly log: SessionLog; readonly positions: Map<number, number>; readonly emit: Emit },
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

interface FoldSource {
  readonly log: SessionLog;
  readonly positions: Map<number, number>;
  /** Empty, or the window that `checkpoint` names. */
  readonly projection: Projection;
  readonly checkpoint?: CheckpointEntry;
}

/** Folds entries as they were appended, and lets the ledger live through their calls again. */
async function fold(entries: readonly StoredEntry[], source: FoldSource): Promise<FoldedLog | undefined> {
  const { log, positions, projection, checkpoint } = source;
  const keeper = new WindowKeeper(openLedger(checkpoint, entries));
  const calls = new OpenCalls();
  keeper.follow(projection);
  calls.restore(checkpoint?.carried, keeper.ledger.generation);
  keeper.restoreSent(asNumber(checkpoint?.carried?.["sentCount"]) ?? 0);
  for (const { entry, position } of entries) {
    positions.set(entry.seq, position);
    const shown = await hydrate(entry, log);
    if (!projection.canApply(shown)) return undefined;
    projection.apply(shown);
    if (entry.type === "call") {
      keeper.follow(projection);
      keeper.ledger.modelSwitched(entry.model);
      if (entry.fixedTokens !== undefined) keeper.ledger.fixedChanged(entry.fixedTokens);
      calls.left(entry.seq, keeper.sent());
    } else if (entry.type === "answer") {
      keeper.follow(projection);
      takeAnswer(entry, { projection, keeper, calls });
    } else if (entry.type === "edit" && entry.edit.kind === "rewind") {
      calls.clear();
    }
  }
  keeper.follow(projection);
  const lastEntry = entries.at(-1)?.entry;
  return { projection, keeper, calls, positions, ...(lastEntry === undefined ? {} : { lastEntry }) };
}

function takeAnswer(
  { seq, callSeq, usage }: AnswerEntry,
  { projection, keeper, calls }: Pick<FoldedLog, "projection" | "keeper" | "calls">,
): void {
  const sent = calls.find(callSeq);
  calls.answered(callSeq);
  if (sent === undefined || usage === undefined) return;
  // The answer's messages were appended with its entry, after the call.
  const { visible } = projection;
  const sinceCall = visible.slice(visible.findLastIndex((message) => message.seq <= callSeq) + 1);
  const replyTokens = sizeOf(
    sinceCall.filter((message) => message.role === "assistant" && message.seq < seq),
  );
  keeper.ledger.usageReported({ sent, usage, replyTokens });
}

function openLedger(checkpoint: CheckpointEntry | undefined, entries: readonly StoredEntry[]): UsageLedger {
  const anchor = isObject(checkpoint?.usageAnchor) ? checkpoint.usageAnchor : {};
  const snapshot = isObject(anchor["ledger"]) ? anchor["ledger"] : undefined;
  const carriedModel = asString(snapshot?.["model"]);
  const firstCall = entries.find(({ entry }) => entry.type === "call")?.entry;
  const calledModel = firstCall?.type === "call" ? firstCall.model : undefined;
  const model = carriedModel ?? calledModel ?? UNKNOWN_MODEL;
  return new UsageLedger({ model, fixedTokens: asNumber(anchor["fixedTokens"]), snapshot });
}
