/** Loads SDKs of vendors when a model needs them: those that come along, and those that the user installed. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { OptionError } from "palimpsest";
import { type Fields, fieldsOf } from "../base/values.ts";

/**
 * The exports of a package: as this program finds it, or as a program in one of these folders would.
 * @throws `OptionError` if it is not installed
 */
export async function loadPackage(name: string, folders: readonly string[]): Promise<Fields> {
  const own = await import(name).catch(missing);
  if (own !== undefined) return fieldsOf({ ...(own as object) });
  for (const folder of folders) {
    const path = resolveFrom(folder, name);
    if (path !== undefined) return fieldsOf({ ...((await import(pathToFileURL(path).href)) as object) });
  }
  throw new OptionError({
    message: `The package ${name} is not installed.`,
    hint: `Install it: npm install --global ${name}, or npm install ${name} in this folder.`,
  });
}

function missing(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return undefined;
  throw error;
}

function resolveFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(name);
  } catch {
    return undefined;
  }
}
