/**
 * Checks the surroundings of sessions: settings, permissions of files, the kind of disk and its free space, and the
 * memory directory. A person decides about memories, so their findings are not repaired here.
 */

import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, type StatsFs } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  addAll,
  type EventLoopYielder,
  errorMessage,
  findNetworkFileSystem,
  type HealthKind,
  type HomeProblem,
  isProjectName,
  sessionPaths,
} from "palimpsest/internal";
import { createMemory, memoryFolder } from "palimpsest/memory";
import { formatBytes, formatCount } from "../terminal/figures.ts";
import type { DoctorFinding, Found } from "./doctor-finding.ts";

/** Read and write for the owner, nothing for anybody else. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

/** A disk with less free space is a problem: some hundred long sessions. */
const LOW_DISK_BYTES = 200_000_000;

/** Settings that were found and not used. */
export function checkSettings(problems: readonly HomeProblem[]): readonly Found[] {
  return problems.map(({ path, setting, detail }) => ({
    finding: {
      kind: "settings",
      level: "problem",
      path,
      advice: setting === undefined ? detail : `${setting}: ${detail}`,
      isMendable: false,
    },
  }));
}

/** The disk that a folder is on, or will be when it is made. */
export async function checkDisk(folder: string): Promise<{
  readonly found: readonly Found[];
  readonly freeBytes: number | undefined;
}> {
  const disk = await statOfDisk(folder);
  if (disk === undefined) return { found: [], freeBytes: undefined };
  const freeBytes = disk.bavail * disk.bsize;
  const found: Found[] = [];
  const network = findNetworkFileSystem(folder);
  if (network !== undefined) {
    const advice = `It is on ${network}: leases and the promise to survive a power loss are only as good as that server. Keep the home on a local disk.`;
    found.push({
      finding: { kind: "network-file-system", level: "problem", path: folder, advice, isMendable: false },
    });
  }
  if (freeBytes < LOW_DISK_BYTES) {
    const advice = `Only ${formatBytes(freeBytes)} are free. Make room on this disk. palimpsest sessions clean frees space only later: the trash is on it, too, and is kept for a while.`;
    found.push({
      finding: { kind: "disk-space", level: "problem", path: folder, advice, isMendable: false },
    });
  }
  return { found, freeBytes };
}

async function statOfDisk(folder: string): Promise<StatsFs | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      await stat(at);
      return await statfs(at);
    } catch {
      // It does not exist yet, or cannot be read: its parent is on the same disk.
      if (dirname(at) === at) return undefined;
    }
  }
}

/** Private files and folders of a place. Nothing else is changed, so that a wrong folder given by mistake stays as it is. */
export interface PrivatePlaces {
  /** Files and folders by themselves. */
  readonly single: readonly string[];
  /** Folders with everything in them. */
  readonly whole: readonly string[];
}

/** Lists private files of a home: those with names that only this library gives. */
export function privateInHome(home: string): PrivatePlaces {
  const roots = [join(home, "projects"), join(home, "trash")];
  const whole = roots.flatMap((root) => childrenOf(root).filter((path) => isProjectName(basename(path))));
  return { single: whole.length === 0 ? [] : [home, ...roots, join(home, "settings.json")], whole };
}

/** Lists private files of a plain folder: sessions, their trash and their index. The folder itself belongs to its owner. */
export function privateInFolder(folder: string, sessionIds: readonly string[]): PrivatePlaces {
  const paths = sessionIds.map((sessionId) => sessionPaths(folder, sessionId));
  return {
    single: [
      ...paths.map(({ logFile }) => logFile),
      ...(paths.length === 0 ? [] : [join(folder, ".index.jsonl")]),
    ],
    whole: paths.map(({ sessionFolder }) => sessionFolder),
  };
}

/** One finding for all files and folders that other users may read or change. `--fix` makes them private. */
export async function checkModes(
  place: string,
  { single, whole }: PrivatePlaces,
  yielder: EventLoopYielder,
): Promise<readonly Found[]> {
  // The modes of this platform say nothing about who may read.
  if (process.platform === "win32") return [];
  const open: { readonly path: string; readonly mode: number }[] = [];
  const look = (path: string): Stats | undefined => {
    const found = lookAt(path);
    const isOurs = found?.isFile() === true || found?.isDirectory() === true;
    // A link's own mode means nothing, and its target belongs to others.
    if (isOurs && (found.mode & OTHERS) !== 0)
      open.push({ path, mode: found.isDirectory() ? FOLDER_MODE : FILE_MODE });
    return found;
  };
  for (const path of single) look(path);
  const waiting = [...whole];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    await yielder.take();
    if (look(at)?.isDirectory() === true) addAll(waiting, childrenOf(at));
  }
  const first = open[0];
  if (first === undefined) return [];
  const others = open.length === 1 ? "" : ` and ${formatCount(open.length - 1)} more`;
  const advice = `Others on this machine may read or change ${first.path}${others}: made private.`;
  const repair = () => {
    for (const { path, mode } of open) chmodSync(path, mode);
  };
  return [{ finding: { kind: "mode", level: "problem", path: place, advice, isMendable: true }, repair }];
}

function childrenOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // It cannot be listed; the check of its sessions reports that.
    return [];
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // Gone in the meantime.
    return undefined;
  }
}

/** Findings that are problems: the memory cannot be used or should not be there. The others are notes. */
const PROBLEMS: ReadonlySet<HealthKind> = new Set([
  ...(["unreadable", "secret", "hidden-characters"] as const),
  ...(["index-too-large", "index-leads-nowhere", "lost-successor"] as const),
]);

/** Checks the memory directory of a project's folder. Without one, returns no findings and creates nothing. */
export async function checkMemory(folder: string): Promise<readonly DoctorFinding[]> {
  const path = join(folder, "memory");
  if (!existsSync(path)) return [];
  const memory = createMemory({ store: memoryFolder(path) });
  try {
    const { findings } = await memory.audit();
    return findings.map(({ kind, paths, detail }) => ({
      kind: "memory",
      level: PROBLEMS.has(kind) ? "problem" : "note",
      path: join(path, paths[0] ?? ""),
      advice: `${kind}: ${paths.length > 1 ? `with ${paths.slice(1).join(", ")}: ` : ""}${detail}`,
      isMendable: false,
    }));
  } catch (error) {
    const advice = `The memory cannot be read: ${errorMessage(error)}`;
    return [{ kind: "memory", level: "problem", path, advice, isMendable: false }];
  } finally {
    await memory.close();
  }
}
