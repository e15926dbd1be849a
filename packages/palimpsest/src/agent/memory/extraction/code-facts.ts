/**
 * Refuses to remember what the code or version control says already. Where the host has a working copy, it is looked
 * up there; without one, the form of the fact decides.
 */
import { type DerivableFact, derivableFact } from "../../../memory/extraction/derivable.ts";
import type { FileRestorer } from "../../../ports/restorer.ts";

/** The log of the current branch's head, in the place where Git keeps it. */
const GIT_LOG = ".git/logs/HEAD";

/** Why a text is not to be remembered; `undefined` if nothing but a memory says it. */
export async function saidByCode(text: string, files: FileRestorer | undefined): Promise<string | undefined> {
  const fact = derivableFact(text);
  if (fact === undefined) return undefined;
  const byForm =
    fact.kind === "file" ? `The code says so: ${fact.paths.join(", ")}.` : "Version control says so.";
  if (files === undefined) return byForm;
  return fact.kind === "file" ? inFiles(fact, files) : inHistory(fact, files, byForm);
}

async function inFiles({ paths, details }: DerivableFact, files: FileRestorer): Promise<string | undefined> {
  for (const path of paths) {
    const file = await files.read(path).catch(() => undefined);
    const isSaid = file?.state === "present" && details.every((detail) => file.text.includes(bare(detail)));
    if (isSaid) return `${path} says so.`;
  }
  return undefined;
}

async function inHistory(
  { details }: DerivableFact,
  files: FileRestorer,
  byForm: string,
): Promise<string | undefined> {
  const log = await files.read(GIT_LOG).catch(() => undefined);
  // Another version control, or a linked working copy.
  if (log?.state !== "present") return byForm;
  return details.every((detail) => log.text.includes(bare(detail)))
    ? "The log of version control says so."
    : undefined;
}

/** A manifest may write `5.9.2` where people say `v5.9.2`. */
const bare = (detail: string): string => detail.replace(/^v(?=\d)/, "");
