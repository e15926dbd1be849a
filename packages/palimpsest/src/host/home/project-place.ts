/**
 * Finds the folder of a home, and in it the folder of a working copy.
 *
 * A project's folder is named by the end of its path, for people, and by the hash of all of it: two paths
 * never share a folder, however long they are, whatever they are written in, and also on a file system
 * that takes small and capital letters, or two spellings of one letter, for the same.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Hasher } from "../../ports/runtime.ts";
import { type Env, homeInEnvironment } from "./environment.ts";
import type { HomeProject } from "./home-types.ts";

/**
 * Characters of a project's path in the name of its folder. Source: our choice: the last two or three folders,
 * readable in a list.
 */
const PROJECT_PREFIX_CHARS = 48;
/**
 * Hex digits of the hash of a project's path in the name of its folder: 128 bits. Source: our choice: no two paths
 * ever meet.
 */
const PROJECT_HASH_DIGITS = 32;

const HOME_NAME = ".palimpsest";
const NAME_PATTERN = new RegExp(`^(?:[A-Za-z0-9][A-Za-z0-9._-]*-)?[0-9a-f]{${PROJECT_HASH_DIGITS}}$`);

/** The user's own folder. */
export function userFolder(env: Env): string {
  const named = process.platform === "win32" ? env["USERPROFILE"] : env["HOME"];
  return named === undefined || named === "" ? homedir() : resolve(named);
}

/** The home's folder: as asked for, as the environment says, or the usual one. */
export function homeFolder(asked: string | undefined, env: Env): string {
  const named = asked ?? homeInEnvironment(env);
  return named === undefined || named === "" ? join(userFolder(env), HOME_NAME) : resolve(named);
}

/** The folder as the file system knows it: links and other spellings lead to the same project. */
export function realWorkingCopy(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    // It is not there, or may not be looked at: then its name has to do.
    return resolve(folder);
  }
}

/** The name of the folder of a project, of its real path. */
export function projectName(workingCopy: string, hasher: Hasher): string {
  // As JSON, where half a character is written out: as UTF-8 any two of them would be the same.
  const hash = hasher.sha256(JSON.stringify(workingCopy)).slice(0, PROJECT_HASH_DIGITS);
  const readable = workingCopy
    .replace(/[^A-Za-z0-9._]+/g, "-")
    .slice(-PROJECT_PREFIX_CHARS)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return readable === "" ? hash : `${readable}-${hash}`;
}

/** True for the name of a folder below `projects/` that is ours. */
export function isProjectName(name: string): boolean {
  return NAME_PATTERN.test(name);
}

export const projectsFolder = (home: string): string => join(home, "projects");

export function projectOf(home: string, name: string): HomeProject {
  return {
    name,
    folder: join(projectsFolder(home), name),
    trashFolder: join(home, "trash", basename(name)),
  };
}
