/**
 * Refuses to remember what the code or version control says already. Where the host has a working copy, it is looked
 * up there; without one, the form of the fact decides.
 */
import { type DerivableFact, derivableFact } from "../../../memory/extraction/derivable.ts";
import type { CurrentFile, FileRestorer } from "../../../ports/restorer.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askWithin } from "../../../session/model/ask-within.ts";

/** The log of the current branch's head, in the place where Git keeps it. */
const GIT_LOG = ".git/logs/HEAD";
/** Time in which one file is read, in milliseconds. Our choice: a file that takes longer decides nothing. */
const READ_MS = 2_000;
/** Files that one fact is looked up in. Our choice: a fact that names more is a list. */
const PATHS_COUNT = 8;

/** The working copy. */
interface CodePlace {
  readonly files?: FileRestorer | undefined;
  readonly deadline: Deadline;
  readonly signal?: AbortSignal | undefined;
}

/** Why a text is not to be remembered; `undefined` if nothing but a memory says it. */
export async function codeStates(text: string, place: CodePlace): Promise<string | undefined> {
  const fact = derivableFact(text);
  if (fact === undefined) return undefined;
  const byForm =
    fact.kind === "file" ? `The code says so: ${fact.paths.join(", ")}.` : "Version control says so.";
  if (place.files === undefined) return byForm;
  return fact.kind === "file" ? inFiles(fact, place) : inHistory(fact, place, byForm);
}

async function inFiles({ paths, details }: DerivableFact, place: CodePlace): Promise<string | undefined> {
  for (const path of paths.slice(0, PATHS_COUNT)) {
    const file = await readFile(path, place);
    const isThere = file?.state === "present" && details.every((detail) => file.text.includes(bare(detail)));
    if (isThere) return `${path} says so.`;
  }
  return undefined;
}

async function inHistory(
  { details }: DerivableFact,
  place: CodePlace,
  byForm: string,
): Promise<string | undefined> {
  const log = await readFile(GIT_LOG, place);
  // Another version control, or a linked working copy.
  if (log?.state !== "present") return byForm;
  const isThere = details.every((detail) => log.text.includes(bare(detail)));
  return isThere ? "The log of version control says so." : undefined;
}

/** A file that cannot be read confirms nothing. */
async function readFile(path: string, { files, ...limits }: CodePlace): Promise<CurrentFile | undefined> {
  const read = (signal: AbortSignal) => files?.read(path, { signal }) ?? Promise.resolve(undefined);
  return askWithin(read, { ...limits, timeoutMs: READ_MS }).catch(() => undefined);
}

/** A manifest may write `5.9.2` where people say `v5.9.2`. */
const bare = (detail: string): string => detail.replace(/^v(?=\d)/, "");
