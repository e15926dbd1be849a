/** Changing files: whole, or not at all. */
import { constants } from "node:fs";
import { chmod, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Place } from "../permissions/workspace.ts";
import type { FileState } from "./file-ledger.ts";

/** Replaces a file, or makes it with its folders. Its mode stays. Resolves with its new state. */
export async function replaceWhole(place: Place, content: string | Buffer, id: string): Promise<FileState> {
  const folder = dirname(place.path);
  await mkdir(folder, { recursive: true });
  const mode = await stat(place.path).then(
    (found) => found.mode & 0o777,
    () => undefined,
  );
  const temporary = join(
    folder,
    `.${basename(place.path).slice(0, 100)}.${id.replace(/\W/g, "").slice(-16)}.tmp`,
  );
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode ?? 0o666);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    if (mode !== undefined) await chmod(temporary, mode);
    await rename(temporary, place.path);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
  const { size, mtimeMs } = await stat(place.path);
  return { bytes: size, modifiedAt: mtimeMs };
}
