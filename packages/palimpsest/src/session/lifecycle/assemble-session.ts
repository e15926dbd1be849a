/**
 * Connects the parts of a session, from its log and what was folded from it. Only this file knows which part needs
 * which.
 */
import type { JsonValue } from "../../base/json/json.ts";
import { addToDigestInSteps, createDigest, type Digest } from "../../compaction/digest/digest.ts";
import {
  type CostPolicy,
  costPolicy,
  DEFAULT_POLICY,
  policyLimits,
} from "../../compaction/planner/cost-policy.ts";
import type { Deadline } from "../../ports/runtime.ts";
import { estimateBlock } from "../../tokens/estimate/estimate-block.ts";
import type { Message } from "../../transcript/blocks.ts";
import { hasEffect, type SeqRange } from "../../transcript/edits.ts";
import type { CheckpointEntry } from "../../transcript/entries.ts";
import { isWithin } from "../../transcript/line.ts";
import type { Projection } from "../../transcript/projection.ts";
import { BlobOffloader } from "../append/blob-offloader.ts";
import { BREAKERS_MARK, Breakers } from "../append/breakers.ts";
import {
  MAIL_MARK,
  MEMORY_MARK,
  NOTES_MARK,
  SKILLS_MARK,
  SPENT_MARK,
  TASKS_MARK,
  WINDOWS_MARK,
} from "../append/carried-marks.ts";
import { LogWriter, type NewEntry } from "../append/entry-writer.ts";
import { HostList } from "../append/host-list.ts";
import { PlainFiles, READS_FILES_MARK } from "../append/plain-files.ts";
import { SessionQueue } from "../append/queue.ts";
import { SessionMetadata } from "../append/session-metadata.ts";
import { BudgetTracker } from "../compact/budget-tracker.ts";
import { WindowCompactor } from "../compact/compact-window.ts";
import { notify, type SessionObserver } from "../events/events.ts";
import { DigestPoints } from "../history/digest-points.ts";
import { DigestStore } from "../history/digest-store.ts";
import { FoldedFromLog } from "../history/folded-from-log.ts";
import { HistoryVectors } from "../history/history-vectors.ts";
import { type EntryPositions, LogReader } from "../history/message-reader.ts";
import { SegmentFiles } from "../history/search/segment-files.ts";
import { SegmentedHistory } from "../history/search/segmented-history.ts";
import { SessionHistory } from "../history/session-history.ts";
import { SessionPins } from "../history/session-pins.ts";
import type { WatchedLog } from "../history/watched-log.ts";
import type { SessionOptions, WindowOptions } from "../options/session-options.ts";
import { type ResolvedLimits, resolveLimits, withLimits } from "../options/window-limits.ts";
import { RequestBuilder } from "../request-builder.ts";
import { Session } from "../session.ts";
import { turnsOf } from "../turns/fair-turns.ts";
import { CacheWatch } from "../window/prompt-cache-watch.ts";
import { ProviderEditing } from "../window/provider-edits.ts";
import type { SessionParts } from "../window/session-parts.ts";
import type { FoldedLog } from "./fold-stored-log.ts";

/** State that checkpoints carry beside the window: announced lists, limits from refusals, access to history and files, progress of notes and memory, failures, notices of tasks, mail, costs. */
const CARRIED = [
  "announced",
  WINDOWS_MARK,
  "hasHistoryTools",
  READS_FILES_MARK,
  NOTES_MARK,
  MEMORY_MARK,
  BREAKERS_MARK,
  TASKS_MARK,
  MAIL_MARK,
  SPENT_MARK,
  SKILLS_MARK,
] as const;

/** A session on `log`; `beginning`, header first, where the log is new. */
export function assembleSession(
  options: SessionOptions,
  log: WatchedLog,
  folded: FoldedLog & { readonly beginning?: readonly NewEntry[] },
): Session {
  const { clock, hasher, observer, durability = "durable" } = options;
  const { tracker, calls, positions, beginning } = folded;
  const turns = turnsOf(clock);
  const { ledger } = tracker;
  const digests = new DigestStore(log, { hasher, stored: folded.storedDigest });
  const carried = carriedIn(folded);
  const digest = (): FoldedFromLog<Digest> => parts.digest;
  const writer = startWriter(options, log, { ...folded, digests, carried, digest });
  if (beginning !== undefined) writer.begin(beginning);
  const reader = new LogReader(log, positions);
  const isNew = beginning !== undefined;
  const isHostVisible = (seq: number): boolean => isTheHosts(writer.projection, seq);
  const points =
    log.derived?.readPart === undefined
      ? undefined
      : new DigestPoints({
          ...{ files: log.derived, log, turns },
          positionOf: (seq) => positions.get(seq),
          lineUpTo: (seq) => describeLine(writer.projection, seq),
        });
  const saved = points && {
    load: async () => (await points.load()) ?? digests.load(),
    invalidate: () => digests.invalidate(),
    rested: () => points.rested(digest()),
  };
  const add = (state: Digest, seq: number, message: Message): Generator<unknown> => {
    points?.count(message);
    return addToDigestInSteps(state, seq, message);
  };
  const digestRules = { create: () => createDigest(), add, includes: isHostVisible };
  const segments =
    log.derived &&
    new SegmentFiles({ files: log.derived, log, turns, hasLoss: () => log.damage.lossCount > 0 });
  const indexRules = searchIndexRules(segments, positions);
  const measure = (block: Parameters<typeof estimateBlock>[0]): number =>
    estimateBlock(block, ledger.model) * ledger.ratio;
  const observers = new Set<SessionObserver>();
  const { window = {} } = options;
  const plain = new PlainFiles({ log, carried, setting: window.plainFiles });
  const parts: SessionParts = {
    log,
    turns,
    queue: new SessionQueue(log.sessionId, turns),
    writer,
    reader,
    offloader: new BlobOffloader({ log, hasher, measure, plain, turns }),
    plain,
    tracker,
    digest: new FoldedFromLog(reader, digestRules, { isNew, turns, saved: saved ?? digests }),
    // Not before the first search: an index has as much memory as three times the texts.
    index: new FoldedFromLog(reader, indexRules.fold, { isNew: false, turns, saved: indexRules.saved }),
    calls,
    pins: new SessionPins({
      reader,
      projection: () => writer.projection,
      isHostVisible,
      measure,
      windowTokens: () => budgets.budget.windowTokens,
    }),
    carried,
    isHostVisible,
    breakers: new Breakers(carried.get(BREAKERS_MARK)),
    emit: (event) => {
      for (const one of [observer, ...observers]) notify(one, event, { sessionId: log.sessionId });
    },
    observers,
    saveDerived: () => saveDerived(parts, { points, segments }),
    makeDurable: async () => (durability === "durable" ? log.sync() : undefined),
  };
  const now = (): number => clock.nowMs();
  const { policy, limits } = planningOf(window);
  const cache = new CacheWatch(parts, window);
  const provider = new ProviderEditing(parts, window, {
    cache,
    mostFailures: limits.layers.breakerFailuresCount,
  });
  const budgets: BudgetTracker = new BudgetTracker(parts, window, { cache, provider, now, policy, limits });
  const compaction = new WindowCompactor(parts, { budgets, provider }, policy);
  const builder = new RequestBuilder(parts, { compaction, budgets, cache, provider, now });
  const hostList = new HostList({ hasher, reader, isShown: isHostVisible });
  const vectors = vectorsOf(options, { reader, positions });
  const meaning = vectors && {
    vectors,
    onFallback: (reason: string) => parts.emit({ type: "history-fell-back", reason }),
  };
  const history = new SessionHistory({ reader, index: parts.index, damage: log.damage, turns, meaning });
  const { watch } = compaction;
  return new Session({ ...parts, budgets, watch, cache, compaction, builder, provider, hostList, history });
}

/** Metadata that a checkpoint repeats, as far as the log has it. */
function carriedIn({ carried }: FoldedLog): Map<string, JsonValue> {
  return new Map(
    CARRIED.flatMap((name) => {
      const value = carried?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Saves what was derived from the log, for the next process. Never rejects: it can be read from the log again. */
async function saveDerived(
  { digest, index }: Pick<SessionParts, "digest" | "index">,
  {
    points,
    segments,
  }: { readonly points: DigestPoints | undefined; readonly segments: SegmentFiles | undefined },
): Promise<void> {
  try {
    if (points !== undefined && digest.isKnown) {
      await digest.get();
      await points.saveAtClose(digest);
    }
    if (segments !== undefined && index.isKnown) await segments.saveAtClose(await index.get());
  } catch {
    // The next session that needs it reads the log.
  }
}

/** Folds the search index from the log, and reads it from its segments. It holds everything that was said, rewound parts too. */
function searchIndexRules(segments: SegmentFiles | undefined, positions: EntryPositions) {
  const save = (history: SegmentedHistory): void => void segments?.save(history);
  const fold = {
    create: () => new SegmentedHistory([], save),
    add: (history: SegmentedHistory, seq: number, message: Message, position = positions.get(seq)) =>
      history.add(seq, message, position),
    includes: () => true,
  };
  const load = async () => {
    const found = (await segments?.load()) ?? [];
    const last = found.at(-1)?.head;
    return last && { state: new SegmentedHistory(found, save), throughSeq: last.to, position: last.position };
  };
  return { fold, saved: { load, invalidate: () => segments?.distrust() } };
}

/** What finds by meaning, where the host gives a model for it. A timer that stops itself limits the waiting. */
function vectorsOf(
  { embeddings, hasher, timer }: SessionOptions,
  { reader, positions }: { readonly reader: LogReader; readonly positions: EntryPositions },
): HistoryVectors | undefined {
  if (embeddings === undefined) return undefined;
  const after: Deadline["after"] = (ms, work) => {
    const stop = timer?.every(ms, () => {
      stop?.();
      work();
    });
    return () => stop?.();
  };
  return new HistoryVectors({
    ...{ client: embeddings, reader, hasher, deadline: { after } },
    positionOf: (seq) => positions.get(seq),
  });
}

/** The policy of a session, and the numbers of its layers: those of the preset, and the program's own before them. */
function planningOf({ policy: name = DEFAULT_POLICY, earlySummary, limits }: WindowOptions): {
  readonly policy: CostPolicy | undefined;
  readonly limits: ResolvedLimits;
} {
  const policy = costPolicy(name);
  return {
    policy: policy && withLimits({ ...policy, ...(earlySummary && { earlySummary }) }, limits),
    limits: resolveLimits(policyLimits(name), limits),
  };
}

interface WriterParts extends Omit<FoldedLog, "carried"> {
  readonly digests: DigestStore;
  readonly carried: Map<string, JsonValue>;
  readonly digest: () => FoldedFromLog<Digest>;
}

function startWriter(options: SessionOptions, log: WatchedLog, parts: WriterParts): LogWriter {
  const { tracker, calls, projection, positions, lastEntry, digests, carried } = parts;
  const { ledger } = tracker;
  const writer: LogWriter = new LogWriter({
    log,
    clock: options.clock,
    ids: options.ids,
    projection,
    positions,
    metadata: new SessionMetadata(parts.metadata),
    lastEntry,
    onStored: (entry) => {
      if (entry.type === "metadata" && (entry.key === TASKS_MARK || entry.key === MAIL_MARK))
        carried.set(entry.key, entry.value);
    },
    carry: (): Pick<CheckpointEntry, "usageAnchor" | "carried"> => {
      // Carried state describes the current window.
      tracker.follow(writer.projection);
      const usageAnchor = { ledger: ledger.snapshot(), fixedTokens: ledger.fixedTokens ?? null };
      const open = calls.snapshot(ledger.generation);
      const metadata = writer.metadata.values;
      return {
        usageAnchor,
        carried: {
          ...open,
          sentCount: tracker.sentCount,
          metadata,
          ...digests.carried,
          ...Object.fromEntries(carried),
        },
      };
    },
    beforeCheckpoint: async () => {
      const known =
        log.derived?.readPart === undefined && digests.isDue(writer.nextSeq)
          ? parts.digest().known
          : undefined;
      const position = known === undefined ? undefined : positions.get(known.throughSeq);
      if (known !== undefined && position !== undefined)
        await digests.save(known.state, { throughSeq: known.throughSeq, position });
    },
    onCheckpointFailed: (error) =>
      notify(options.observer, { type: "checkpoint-failed", error }, { sessionId: log.sessionId }),
  });
  return writer;
}

/** True if a message is in the host's conversation: on the current line, and not removed by the host. */
function isTheHosts(projection: Projection, seq: number): boolean {
  if (!isWithin(projection.lineRanges, seq)) return false;
  return !projection.activeEdits.some(
    ({ edit }) =>
      hasEffect(edit) &&
      edit.kind === "host" &&
      (edit.effect.hide ?? []).some((range) => seq >= range.from && seq <= range.to),
  );
}

/** Which entries up to `throughSeq` are in the host's conversation, as {@link isTheHosts} says; equal texts mean the same entries. */
function describeLine(projection: Projection, throughSeq: number): string {
  const hidden = projection.activeEdits.flatMap(({ edit }) =>
    hasEffect(edit) && edit.kind === "host" ? (edit.effect.hide ?? []) : [],
  );
  return JSON.stringify([joined(projection.lineRanges, throughSeq), joined(hidden, throughSeq)]);
}

/** The ranges up to a number in ascending order, each as long as it goes. */
function joined(ranges: readonly SeqRange[], throughSeq: number): readonly (readonly number[])[] {
  const found: [from: number, to: number][] = [];
  for (const { from, to } of [...ranges].sort((one, other) => one.from - other.from)) {
    if (from > throughSeq) break;
    const end = Math.min(to, throughSeq);
    const last = found.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], end);
    else found.push([from, end]);
  }
  return found;
}
