/**
 * The surroundings of the sessions: settings, who may read the files, what kind of disk they are on, and
 * how much room there is.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, type StatsFs } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findNetworkFileSystem } from "../../../adapters/node/network-file-system.ts";
import { CLI_DEFAULTS } from "../../../base/defaults/cli.ts";
import type { HomeProblem } from "../../palimpsest-home.ts";
import type { Breath } from "../breath.ts";
import { formatBytes, formatCount } from "../figures.ts";
import type { Found } from "./finding.ts";

/** Read and write for the owner, nothing for anybody else. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

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
  if (freeBytes < CLI_DEFAULTS.lowDiskBytes) {
    const advice = `Only ${formatBytes(freeBytes)} are free. Make room: palimpsest sessions clean moves old sessions to the trash.`;
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
      // It is not there yet, or cannot be looked at: the folder above lies on the same disk.
      if (dirname(at) === at) return undefined;
    }
  }
}

/** Files and folders that others may read or change; one finding for all of a folder, which mending sets right. */
export async function checkModes(folder: string, breath: Breath): Promise<readonly Found[]> {
  // The modes of this platform say nothing about who may read.
  if (process.platform === "win32") return [];
  const open: { readonly path: string; readonly mode: number }[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    await breath.take();
    for (const path of [at, ...childrenOf(at)]) {
      const found = lookAt(path);
      // A link's own mode means nothing, and what it leads to is somebody else's.
      if (found === undefined || found.isSymbolicLink()) continue;
      if (found.isDirectory() && path !== at) folders.push(path);
      else if ((found.mode & OTHERS) !== 0 && (found.isFile() || found.isDirectory()))
        open.push({ path, mode: found.isDirectory() ? FOLDER_MODE : FILE_MODE });
    }
  }
  const first = open[0];
  if (first === undefined) return [];
  const others = open.length === 1 ? "" : ` and ${formatCount(open.length - 1)} more`;
  const advice = `Others on this machine may read or change ${first.path}${others}: made private.`;
  const mend = () => {
    for (const { path, mode } of open) chmodSync(path, mode);
  };
  return [{ finding: { kind: "mode", level: "problem", path: folder, advice, isMendable: true }, mend }];
}

function childrenOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // It cannot be listed; that it cannot be read is told where its sessions are looked at.
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
