/**
 * Plans what a new fact becomes: a new memory, an existing one, or one that supersedes older ones.
 *
 * Nothing is deleted: a superseded memory keeps its file and names its successor. Only a source that is at least as
 * trusted supersedes a fact. A model's conclusion or a tool result does not correct a user's words: both stay, and
 * the receipt says so. An older fact never supersedes a newer one, for example after an import. A quarantined fact
 * only notes what it would supersede, and does so once a person confirms it.
 */

import { DAY_MS } from "../../base/durations.ts";
import { addAll } from "../../base/lists.ts";
import { firstLine } from "../../base/text/text.ts";
import type { MemoryChange } from "../../ports/memory-store.ts";
import {
  doesFade,
  type KnownMemory,
  type Memory,
  type MemorySource,
  type MemoryType,
  TRUST,
  trustOf,
} from "../files/memory.ts";
import { formatMemoryFile, updateMemoryFile } from "../files/memory-file.ts";
import { memoryFileName } from "../files/memory-file-name.ts";
import type { IndexLine } from "../files/memory-index.ts";
import { cleanMemoryText } from "../trust/clean-memory.ts";

/** A fact, cleaned, that is to be remembered. */
export interface FreshMemory {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType;
  readonly body: string;
  readonly source: MemorySource;
  readonly isConfirmed: boolean;
  readonly isQuarantined: boolean;
  readonly decays: boolean;
  /** Time at which it was first said; absent if that is now. */
  readonly createdAtMs?: number | undefined;
  /** Time at which it was last said, if that was later. */
  readonly updatedAtMs?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly messageId?: string | undefined;
  readonly follows?: string | undefined;
  /** Its folder: the directory itself, or a subfolder. */
  readonly folder: string;
}

/** The memories at the time of planning. */
interface RememberSituation {
  readonly known: ReadonlyMap<string, KnownMemory>;
  /** True if a memory in the folder has a name with this `fileNameKey`. @defaultValue the paths of `known` tell it */
  readonly hasName?: (folder: string, key: string) => boolean;
  /** Paths that are taken by something else: files that cannot be read, names that were not free. */
  readonly taken?: readonly string[];
  /** Paths of memories that say the same. */
  readonly repeated: readonly string[];
  /** Paths of memories that contradict it on the same subject. */
  readonly corrected: readonly string[];
  /** Paths of memories that it likely corrects. */
  readonly revised?: readonly string[];
  /** True if the caller named the `corrected` ones: they are superseded, whatever their source. */
  readonly mustSupersede?: boolean;
  readonly nowMs: number;
}

export interface RememberPlan {
  readonly status: "written" | "merged" | "superseded" | "quarantined" | "rejected";
  readonly path: string;
  readonly reason: string;
  /** Changes of memories; the caller writes the index, with `lines` and without superseded ones. */
  readonly changes: readonly MemoryChange[];
  readonly lines: readonly PlannedLine[];
  readonly superseded: readonly string[];
}

/** A line of the index, and the path of its memory. */
export interface PlannedLine extends Omit<IndexLine, "file"> {
  readonly path: string;
}

/** Plans the changes; touches nothing. */
export function planRemember(fresh: FreshMemory, situation: RememberSituation): RememberPlan {
  const repeated = situation.repeated
    .map((path) => situation.known.get(path))
    .find((known) => known !== undefined);
  if (repeated !== undefined) return planMerge(fresh, repeated, situation);
  const newer = newerOf(fresh, situation);
  return newer === undefined ? planNew(fresh, situation) : leaveAsHistory(newer);
}

/** Finds a newer memory, at least as trusted, that contradicts the fact. The fact is then outdated already. */
function newerOf(fresh: FreshMemory, situation: RememberSituation): KnownMemory | undefined {
  if (situation.mustSupersede === true || fresh.isQuarantined) return undefined;
  return situation.corrected
    .flatMap((path) => situation.known.get(path) ?? [])
    .find(
      ({ memory }) =>
        !memory.isQuarantined &&
        trustOf(memory) >= trustOf(fresh) &&
        isStatedBefore(fresh, memory, situation.nowMs),
    );
}

function leaveAsHistory({ memory: { path } }: KnownMemory): RememberPlan {
  const reason = `It is history: ${path}, which is newer, says otherwise.`;
  return { status: "rejected", path, reason, changes: [], lines: [], superseded: [] };
}

type Times = Pick<FreshMemory, "createdAtMs" | "updatedAtMs">;

/** Returns the time at which it was last said, now at the latest: imported facts may have a date in the future. */
function lastStatedAtMs({ createdAtMs, updatedAtMs }: Times, nowMs: number): number | undefined {
  if (createdAtMs === undefined && updatedAtMs === undefined) return undefined;
  return Math.min(nowMs, Math.max(createdAtMs ?? 0, updatedAtMs ?? 0));
}

/** A fresh fact of unknown age is said now; a memory of unknown age is older than all others. */
function isStatedBefore(fresh: Times, known: Times, nowMs: number): boolean {
  return (lastStatedAtMs(fresh, nowMs) ?? nowMs) < (lastStatedAtMs(known, nowMs) ?? Number.NEGATIVE_INFINITY);
}

/** Plans the update of a memory that says it already: it may become more trusted, and its date moves forward. */
function planMerge(fresh: FreshMemory, known: KnownMemory, situation: RememberSituation): RememberPlan {
  const { memory, text, version } = known;
  const path = memory.path;
  const isMoreTrusted = trustOf(fresh) > trustOf(memory);
  const says = `${path} says so already`;
  // Only a user confirms a quarantined memory: a model may just repeat the tool result.
  const isLeftAlone = memory.isQuarantined ? trustOf(fresh) < TRUST.user : trustOf(fresh) < trustOf(memory);
  if (fresh.isQuarantined || isLeftAlone) {
    const kept = memory.isQuarantined ? ", and is shown to no model until a person confirms it" : "";
    const reason = `${says}${kept}; nothing was changed.`;
    return { status: "merged", path, reason, changes: [], lines: [], superseded: [] };
  }
  const { nowMs } = situation;
  const statedAtMs = lastStatedAtMs(fresh, nowMs) ?? nowMs;
  // A repeated fact is current: it supersedes contradicting ones like a new memory.
  const corrected = situation.corrected
    .flatMap((one) => situation.known.get(one) ?? [])
    .filter((one) => one.memory.path !== path && isBelievedOver(fresh, one, nowMs));
  const claimed = memory.isQuarantined ? claimedBy(memory, situation.known) : [];
  const old = [...new Set([...corrected, ...claimed])];
  const superseded = old.map((one) => one.memory.path);
  const updated = updateMemoryFile(text, {
    // An older statement does not make a memory newer.
    ...(statedAtMs > (lastStatedAtMs(memory, nowMs) ?? 0) ? { updatedAtMs: statedAtMs } : {}),
    ...(isMoreTrusted
      ? { source: fresh.source, isConfirmed: fresh.isConfirmed, isQuarantined: false }
      : { isConfirmed: memory.isConfirmed || fresh.isConfirmed }),
    ...(fresh.decays ? {} : { decays: false }),
    ...(corrected.length > 0 ? { supersedes: [...new Set([...memory.supersedes, ...superseded])] } : {}),
  });
  const changes: MemoryChange[] = updated === text ? [] : [{ path, base: version, text: updated }];
  const lines = memory.isQuarantined ? [lineFor(fresh, path)] : [];
  const reason = [
    isMoreTrusted ? `${says}; it is better founded now.` : `${says}; it was said again.`,
    ...(superseded.length > 0 ? [`It takes the place of ${superseded.join(", ")}.`] : []),
  ].join(" ");
  addAll(changes, markSuperseded(old, path, nowMs));
  return { status: "merged", path, reason, changes, lines, superseded };
}

/** True if a fact is at least as trusted as a memory that contradicts it, and not older. */
function isBelievedOver(fresh: FreshMemory, { memory }: KnownMemory, nowMs: number): boolean {
  return trustOf(fresh) >= trustOf(memory) && !isStatedBefore(fresh, memory, nowMs);
}

/** The memories that a quarantined one supersedes once a person confirms it. */
export function claimedBy(
  { path, supersedes }: Memory,
  known: Pick<ReadonlyMap<string, KnownMemory>, "get">,
): readonly KnownMemory[] {
  return [...new Set(supersedes)].flatMap((old) => {
    const found = known.get(old);
    return found === undefined || old === path || found.memory.supersededBy !== undefined ? [] : [found];
  });
}

/** Marks memories as superseded: each keeps its file and names its successor. */
export function markSuperseded(
  old: readonly KnownMemory[],
  path: string,
  nowMs: number,
): readonly MemoryChange[] {
  return old.map(({ memory, text, version }) => ({
    path: memory.path,
    base: version,
    text: updateMemoryFile(text, { supersededBy: path, updatedAtMs: nowMs }),
  }));
}

function planNew(fresh: FreshMemory, situation: RememberSituation): RememberPlan {
  const { known, nowMs, mustSupersede = false } = situation;
  const path = fresh.folder + freeNameIn(fresh.folder, fresh.name, situation);
  const isOlder = ({ memory }: KnownMemory): boolean =>
    mustSupersede || !isStatedBefore(fresh, memory, nowMs);
  const isBelieved = (one: KnownMemory): boolean =>
    !fresh.isQuarantined && isOlder(one) && (mustSupersede || trustOf(fresh) >= trustOf(one.memory));
  const sameSubject = situation.corrected.flatMap((old) => known.get(old) ?? []);
  const old = sameSubject.filter(isBelieved);
  const kept = sameSubject.filter((one) => !isBelieved(one));
  const superseded = old.map(({ memory }) => memory.path);
  const claimed = fresh.isQuarantined ? kept.filter(isOlder).map(({ memory }) => memory.path) : superseded;
  const createdAtMs = fresh.createdAtMs ?? nowMs;
  // An old statement that arrives only now, for example by import, must not be archived before it was of use.
  const isOld = nowMs - (lastStatedAtMs({ ...fresh, createdAtMs }, nowMs) ?? nowMs) >= DAY_MS;
  const keptAtMs = isOld && doesFade(fresh) ? nowMs : undefined;
  const revises = (situation.revised ?? []).filter(
    (one) => !claimed.includes(one) && known.get(one)?.memory.supersededBy === undefined,
  );
  const text = formatMemoryFile({ ...fresh, createdAtMs, keptAtMs, supersedes: claimed, revises });
  const changes: readonly MemoryChange[] = [
    { path, base: undefined, text },
    ...markSuperseded(old, path, nowMs),
  ];
  return {
    status: fresh.isQuarantined ? "quarantined" : superseded.length > 0 ? "superseded" : "written",
    path,
    reason: reasonOf(fresh, { superseded, kept, revises }),
    changes,
    lines: fresh.isQuarantined ? [] : [lineFor(fresh, path)],
    superseded,
  };
}

function freeNameIn(folder: string, name: string, situation: RememberSituation): string {
  const { known, hasName, taken = [] } = situation;
  const others = hasName === undefined ? [...known.keys(), ...taken] : taken;
  const near = others.filter((path) => path.startsWith(folder) && !path.includes("/", folder.length));
  return memoryFileName(name, near, (key) => hasName?.(folder, key) === true);
}

const SAYERS: Readonly<Record<MemorySource, string>> = {
  user: "a user",
  agent: "an agent",
  tool: "a tool",
  web: "the web",
  import: "another program",
  unknown: "an unknown source",
};

interface Relations {
  readonly superseded: readonly string[];
  readonly kept: readonly KnownMemory[];
  readonly revises: readonly string[];
}

function reasonOf(fresh: FreshMemory, { superseded, kept, revises }: Relations): string {
  const { isQuarantined, source } = fresh;
  if (isQuarantined)
    return `Only ${SAYERS[source]} said so: it is kept, and shown to no model until a person confirms it.`;
  const paths = kept.map(({ memory }) => memory.path).join(", ");
  const advantage = kept.every(({ memory }) => trustOf(memory) > trustOf(fresh)) ? "better founded" : "newer";
  const parts = [
    superseded.length > 0 ? `It takes the place of ${superseded.join(", ")}.` : "It is new.",
    ...(kept.length > 0 ? [`It says otherwise than ${paths}, which is ${advantage}: both stay.`] : []),
    ...(revises.length > 0 ? [`It may correct ${revises.join(", ")}: both stay.`] : []),
  ];
  return parts.join(" ");
}

/** Makes the line of the index for a memory. */
export function lineFor(
  { name, description, body, type }: Pick<Memory, "name" | "description" | "body" | "type">,
  path: string,
): PlannedLine {
  const hook = cleanMemoryText(description === "" ? firstLine(body) : description, "hook").text;
  return { path, title: name, hook, type };
}
