/**
 * The corpus' large sessions, imported: more than 60,000 tokens as every model would count them.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ImportedSession } from "#palimpsest/importers/registry.ts";
import { importFile } from "#palimpsest/runtime/input-files/input-file.ts";
import { estimateMessage } from "#palimpsest/tokens/estimate/estimate-block.ts";
import { corpusFolder } from "../helpers/corpus.ts";

const LEAST_TOKENS = 60_000;

export interface RecordedSession {
  readonly name: string;
  readonly session: ImportedSession;
}

/** In the order of folders and names; of files, each `step`-th. */
export async function recordedSessions({ step = 1 } = {}): Promise<readonly RecordedSession[]> {
  const folder = join(corpusFolder, "trajectories");
  const found: RecordedSession[] = [];
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .filter((path) => /\.jsonl?(?:\.gz)?$/.test(path));
  for (const path of paths.filter((_, index) => index % step === 0)) {
    const { sessions } = await importFile(join(folder, path));
    for (const session of sessions) {
      const tokens = session.items.reduce(
        (sum, item) => sum + (item.type === "message" ? estimateMessage(item.message) : 0),
        0,
      );
      const name = path.replace(/^.*\//, "").replace(/\.jsonl?(?:\.gz)?$/, "");
      if (tokens >= LEAST_TOKENS) found.push({ name, session });
    }
  }
  return found;
}
