/**
 * Folds a stored log into the state of its session: the window, its known size, and calls without an answer. Sessions
 * are opened and forked by it.
 */
import { assert } from "../../base/assert.ts";
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { LogContents, SessionLog, StoredEntry } from "../../ports/session-store.ts";
import { UsageLedger } from "../../tokens/count/usage-ledger.ts";
import { resolveModelLimits } from "../../tokens/models/model-catalogue.ts";
import { isPossibleCheckpoint } from "../../transcript/checkpoint.ts";
import {
  type AnswerEntry,
  type CheckpointEntry,
  type Entry,
  MetadataFold,
} from "../../transcript/entries.ts";
import { Projection } from "../../transcript/projection.ts";
import { carryMarks } from "../append/carried-marks.ts";
import { type ContentRepair, findRepairs } from "../append/content-repairs.ts";
import { OpenCalls } from "../append/open-calls.ts";
import type { SessionEvent } from "../events/events.ts";
import { carriedDigest, type StoredDigest } from "../history/digest-store.ts";
import { hydrate, needsHydrating } from "../history/hydrate.ts";
import { EntryPositions } from "../history/message-reader.ts";
import { restoreWindow } from "../history/restore-window.ts";
import { WindowTracker } from "../window/window-tracker.ts";
import { findOutlineStart } from "./outline-start.ts";

/** The model of a ledger before the first call names one. */
export const UNKNOWN_MODEL = "unknown";

export interface FoldedLog {
  readonly projection: Projection;
  readonly tracker: WindowTracker;
  readonly calls: OpenCalls;
  /** Positions in the store of the entries that were read, by number. */
  readonly positions: EntryPositions;
  readonly lastEntry?: Entry;
  /** The stored digest, unless a later edit made it outdated. */
  readonly storedDigest?: StoredDigest;
  /** Metadata of the entries that were read; none for a new session. */
  readonly metadata?: MetadataFold;
  /** Other state of the last checkpoint, by name. */
  readonly carried?: JsonObject;
  /** True if only the end of the log and the entries of a checkpoint were read. */
  readonly isFromTail?: boolean;
}

type Emit = (event: SessionEvent) => void;

/**
 * Folds a log from its last checkpoint on. Without a usable checkpoint, it folds a long log from a place that its outline
 * gives, and a short one from the start.
 */
export async function foldStoredLog(log: SessionLog, emit: Emit): Promise<FoldedLog> {
  return (await foldTail(log, emit)) ?? (await foldOutlined(log, emit)) ?? (await foldWhole(log, emit));
}

/** Folds from the last checkpoint, found from the end of the log; `undefined` if there is none or it is wrong. */
async function foldTail(log: SessionLog, emit: Emit): Promise<FoldedLog | undefined> {
  const { entries } = await log.readTail();
  const first = entries[0]?.entry;
  if (first?.type !== "checkpoint") return undefined;
  const onWrong = (): void => {
    const { position } = entries[0]!;
    emit({ type: "damage", damage: { position, bytes: 0, reason: "wrong-checkpoint" } });
  };
  if (!isPossibleCheckpoint(first)) {
    onWrong();
    return undefined;
  }
  const folded = await foldFrom(first, entries, { log, emit, onWrong });
  return folded && { ...folded, isFromTail: true };
}

/** Folds from a place that the outline of a long log gives, without reading the contents before it. */
async function foldOutlined(log: SessionLog, emit: Emit): Promise<FoldedLog | undefined> {
  const start = await findOutlineStart(log);
  if (start === undefined) return undefined;
  const { entries } = await log.readFrom(start.position, Number.MAX_SAFE_INTEGER);
  return foldFrom(start.checkpoint, entries, { log, emit });
}

interface FoldPorts {
  readonly log: SessionLog;
  readonly emit: Emit;
  /** Called if the checkpoint does not lead to its window. */
  readonly onWrong?: () => void;
}

/** Returns `undefined` if `entries` need something before the checkpoint, or the checkpoint is wrong. */
async function foldFrom(
  checkpoint: CheckpointEntry,
  entries: LogContents["entries"],
  { log, emit, onWrong }: FoldPorts,
): Promise<FoldedLog | undefined> {
  const positions = new EntryPositions();
  const { projection, repairs } = await restore(checkpoint, { log, positions });
  if (projection === undefined) {
    onWrong?.();
    return undefined;
  }
  const fold = new LogFold(log, { positions, projection, checkpoint, entries });
  if (!(await fold.addAll(entries))) return undefined;
  reportRepairs(repairs, emit);
  return fold.finish(emit);
}

/** Folds everything, a batch at a time, so that every edit can be undone. */
async function foldWhole(log: SessionLog, emit: Emit): Promise<FoldedLog> {
  let fold: LogFold | undefined;
  for await (const batch of log.readAll()) {
    fold ??= startFold(log, batch.entries);
    const isKnown = await fold.addAll(batch.entries);
    assert(isKnown, "a log folded from its start needs nothing before it");
  }
  return (fold ?? startFold(log, [])).finish(emit);
}

function startFold(log: SessionLog, entries: readonly StoredEntry[]): LogFold {
  return new LogFold(log, { positions: new EntryPositions(), projection: new Projection(), entries });
}

function reportRepairs(repairs: readonly ContentRepair[], emit: Emit): void {
  for (const repair of repairs) emit({ type: "mended", ...repair });
}

interface Restored {
  /** Absent if entries that the checkpoint names are missing. */
  readonly projection: Projection | undefined;
  readonly repairs: readonly ContentRepair[];
}

/** Reads the entries that a checkpoint names, and makes its window of them. */
async function restore(
  checkpoint: CheckpointEntry,
  { log, positions }: { readonly log: SessionLog; readonly positions: EntryPositions },
): Promise<Restored> {
  const repairs: ContentRepair[] = [];
  const projection = await restoreWindow(checkpoint, log, (shown, position) => {
    positions.set(shown.seq, position);
    for (const repair of findRepairs(shown)) repairs.push(repair);
  });
  return { projection, repairs };
}

interface FoldStart {
  readonly positions: EntryPositions;
  /** Empty, or the window that `checkpoint` names. */
  readonly projection: Projection;
  readonly checkpoint?: CheckpointEntry;
  /** The next entries, which name the model if the checkpoint does not. */
  readonly entries: readonly StoredEntry[];
}

/** Folds entries in order, and replays their calls in the ledger. */
class LogFold {
  readonly #log: SessionLog;
  readonly #positions: EntryPositions;
  readonly #projection: Projection;
  readonly #tracker: WindowTracker;
  readonly #calls = new OpenCalls();
  readonly #metadata = new MetadataFold();
  readonly #repairs: ContentRepair[] = [];
  #lastEntry: Entry | undefined;
  #storedDigest: StoredDigest | undefined;
  #carried: JsonObject = {};

  constructor(log: SessionLog, { positions, projection, checkpoint, entries }: FoldStart) {
    this.#log = log;
    this.#positions = positions;
    this.#projection = projection;
    this.#tracker = new WindowTracker(openLedger(checkpoint, entries));
    this.#tracker.follow(projection);
    if (checkpoint !== undefined) this.#metadata.restore(checkpoint);
    this.#calls.restore(checkpoint?.carried, this.#tracker.ledger.generation);
    this.#tracker.restoreSent(asNumber(checkpoint?.carried?.["sentCount"]) ?? 0);
    this.#storedDigest = carriedDigest(checkpoint);
    this.#carried = checkpoint?.carried ?? {};
  }

  /** Adds entries; returns false if one needs an entry that was not read. */
  async addAll(entries: readonly StoredEntry[]): Promise<boolean> {
    for (const { entry, position } of entries) {
      this.#positions.set(entry.seq, position);
      const shown = needsHydrating(entry) ? await hydrate(entry, this.#log) : entry;
      if (!this.#projection.canApply(shown)) return false;
      this.#add(shown);
      for (const repair of findRepairs(shown)) this.#repairs.push(repair);
      this.#lastEntry = entry;
    }
    return true;
  }

  #add(entry: Entry): void {
    const [projection, tracker, calls] = [this.#projection, this.#tracker, this.#calls];
    projection.apply(entry);
    this.#metadata.apply(entry);
    if (entry.type === "call") {
      tracker.follow(projection);
      tracker.ledger.modelSwitched(entry.model);
      // The new model's vendor decides the cost of media.
      tracker.follow(projection);
      if (entry.fixedTokens !== undefined) tracker.ledger.fixedChanged(entry.fixedTokens);
      calls.left(entry.seq, tracker.sent(), entry.model);
    } else if (entry.type === "answer") {
      tracker.follow(projection);
      takeAnswer(entry, { projection, tracker, calls });
    } else if (entry.type === "checkpoint") {
      this.#storedDigest = carriedDigest(entry);
      this.#carried = entry.carried ?? this.#carried;
    } else if (entry.type === "metadata") this.#carried = carryMarks(this.#carried, entry);
    else if (entry.type === "edit") {
      if (entry.edit.kind === "rewind") calls.clear();
      if (HISTORY_EDIT_KINDS.has(entry.edit.kind)) this.#storedDigest = undefined;
    }
  }

  finish(emit: Emit): FoldedLog {
    const lastEntry = this.#lastEntry;
    reportRepairs(this.#repairs, emit);
    this.#tracker.follow(this.#projection);
    return {
      projection: this.#projection,
      tracker: this.#tracker,
      calls: this.#calls,
      positions: this.#positions,
      metadata: this.#metadata,
      lastEntry,
      storedDigest: this.#storedDigest,
      carried: this.#carried,
    };
  }
}

/** Edits that make a digest of the conversation outdated. */
const HISTORY_EDIT_KINDS: ReadonlySet<string> = new Set(["rewind", "undo", "host"]);

/** Closes the answered call, and corrects the estimated size of the window by the reported usage. */
function takeAnswer(
  { seq, callSeq, usage }: AnswerEntry,
  { projection, tracker, calls }: Pick<FoldedLog, "projection" | "tracker" | "calls">,
): void {
  const sent = calls.find(callSeq);
  calls.answered(callSeq);
  if (sent === undefined || usage === undefined) return;
  // The answer's messages were appended with its entry, after the call.
  const { visible } = projection;
  const sinceCall = visible.slice(visible.findLastIndex((message) => message.seq <= callSeq) + 1);
  const reply = sinceCall.filter((message) => message.role === "assistant" && message.seq < seq);
  // The log does not have the host's window size; the catalogue's is close enough to detect impossible figures.
  const { windowTokens } = resolveModelLimits({ model: tracker.ledger.model });
  tracker.reported({ sent, usage, reply, windowTokens });
}

/** Opens the ledger as the checkpoint stored it, with the model of the checkpoint or of the first call. */
function openLedger(checkpoint: CheckpointEntry | undefined, entries: readonly StoredEntry[]): UsageLedger {
  const anchor = isObject(checkpoint?.usageAnchor) ? checkpoint.usageAnchor : {};
  const snapshot = isObject(anchor["ledger"]) ? anchor["ledger"] : undefined;
  const carriedModel = asString(snapshot?.["model"]);
  const firstCall = entries.find(({ entry }) => entry.type === "call")?.entry;
  const calledModel = firstCall?.type === "call" ? firstCall.model : undefined;
  const model = carriedModel ?? calledModel ?? UNKNOWN_MODEL;
  return new UsageLedger({ model, fixedTokens: asNumber(anchor["fixedTokens"]), snapshot });
}
