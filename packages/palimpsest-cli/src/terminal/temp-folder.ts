/**
 * A temporary folder for one command. It is removed when the command ends: normally, by an error, or by a signal
 * that leaves no time for asynchronous work.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreError } from "palimpsest";

const PREFIX = "palimpsest-run-";
/** Age from which a folder counts as left behind by a killed run: a day. */
const STALE_MS = 86_400_000;
/** Names that `mkdtemp` makes from the prefix; nothing else is ever removed. */
const OURS = new RegExp(`^${PREFIX}[A-Za-z0-9]{6}$`);

const left = new Set<string>();
let hasSwept = false;

/** Runs `work` with a new, private folder below the system's own for such things (`TMPDIR`). */
export async function withTempFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = makeFolder();
  left.add(folder);
  try {
    return await work(folder);
  } finally {
    remove(folder);
  }
}

/** Removes what is still there; for the moment before the process ends. */
export function removeTempFolders(): void {
  for (const folder of left) remove(folder);
}

function makeFolder(): string {
  const root = tmpdir();
  if (!hasSwept) sweep(root, Date.now() - STALE_MS);
  hasSwept = true;
  try {
    return mkdtempSync(join(root, PREFIX));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new StoreError("STORE_FAILED", {
      message: `No temporary folder can be created in ${root} (${code}).`,
      hint: "Set TMPDIR to a writable folder with free space.",
      cause,
    });
  }
}

/** Removes folders of the same user that a killed run left behind before `beforeMs`. @internal */
export function sweep(root: string, beforeMs: number): void {
  for (const name of namesIn(root)) {
    const path = join(root, name);
    try {
      const found = lstatSync(path);
      const isOwn = process.getuid === undefined || found.uid === process.getuid();
      if (found.isDirectory() && isOwn && found.mtimeMs < beforeMs) rmSync(path, { recursive: true });
    } catch {
      // Someone else was faster, or may do what we may not: the next run tries again.
    }
  }
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root).filter((name) => OURS.test(name));
  } catch {
    // If the folder is missing, creating a temporary one in it reports that.
    return [];
  }
}

function remove(folder: string): void {
  left.delete(folder);
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 });
  } catch {
    // The result of the command is worth more than its rubbish, which a later run sweeps.
  }
}
