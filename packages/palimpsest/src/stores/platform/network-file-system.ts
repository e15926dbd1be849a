/**
 * Detects network file systems.
 *
 * On them, appending and exclusive creation are weaker than on a local disk: both of two machines may succeed, and a size
 * may be seconds old. One writer at a time is safe; two may notice each other too late. So a host that opens sessions
 * warns once.
 *
 * On Linux the kernel gives a number for the kind of file system, and `/proc` gives its name for file systems in user
 * space, which share one number. On macOS, Windows and elsewhere Node does not tell the kind: no warning there.
 */
import { readFileSync, realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** Kinds by the number that `statfs` gives (`linux/magic.h`, and the modules' own sources). */
const NETWORK_KINDS: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0x517b, "smb"],
  [0xfe534d42, "smb2"],
  [0xff534d42, "cifs"],
  [0x5346414f, "afs"],
  [0x6b414653, "afs"],
  [0x73757245, "coda"],
  [0x00c36400, "ceph"],
  [0x01021997, "9p"],
  [0x0bd00bd0, "lustre"],
  [0x47504653, "gpfs"],
  [0x01161970, "gfs2"],
  [0x7461636f, "ocfs2"],
  [0x786f4256, "vboxsf"],
  [0xbacbacbc, "vmhgfs"],
]);
const FUSE = 0x65735546;
/** Names of local file systems in user space; any other may be remote. */
const LOCAL_FUSE =
  /^fuse(?:blk|\.(?:fuseblk|ntfs.*|exfat.*|fuse-overlayfs|portal|lxcfs|gocryptfs|encfs|bindfs|mergerfs))$/;

/** The kind of network file system that a folder lies on (`nfs`, `cifs`, `fuse.sshfs` …); `undefined` where it is none, or not known. */
export function findNetworkFileSystem(folder: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  const path = existing(folder);
  if (path === undefined) return undefined;
  try {
    const { type } = statfsSync(path);
    return networkKind(type, () => mountedAs(path, readFileSync("/proc/self/mountinfo", "utf8")));
  } catch {
    // A warning that cannot be given must not be what keeps a session from opening.
    return undefined;
  }
}

/** Judges the number that `statfs` gave; `mountName` is asked where that says only "in user space". */
export function networkKind(type: number, mountName: () => string | undefined): string | undefined {
  // The number is a signed word on some machines.
  const kind = type >>> 0;
  if (kind !== FUSE) return NETWORK_KINDS.get(kind);
  const name = mountName() ?? "fuse";
  return LOCAL_FUSE.test(name) ? undefined : name;
}

/** The name of the file system that a path lies on, from the lines of `/proc/self/mountinfo`. */
export function mountedAs(path: string, mountInfo: string): string | undefined {
  let longest = -1;
  let name: string | undefined;
  for (const line of mountInfo.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before
      ?.split(" ")[4]
      ?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
    if (point === undefined || after === undefined || point.length < longest) continue;
    if (path !== point && !path.startsWith(point.endsWith("/") ? point : `${point}/`)) continue;
    longest = point.length;
    name = after.split(" ")[0];
  }
  return name;
}

/** The folder itself, or the nearest one above it that is there already. */
function existing(folder: string): string | undefined {
  for (let path = folder; ; path = dirname(path)) {
    try {
      return realpathSync(path);
    } catch {
      // Not there yet.
      if (dirname(path) === path) return undefined;
    }
  }
}
