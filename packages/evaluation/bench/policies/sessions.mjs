/**
 * The recorded sessions that are long enough to need a policy, in groups whose tools are alike.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { importerOf } from "../import-recording.mjs";

/** Shorter sessions fit into any window. In tokens of the estimator's own tokenizer. */
const LEAST_TOKENS = 60_000;

/** Formats with a separate table; all others share one. */
const OWN_TABLE = { "claude-code": "Claude Code", codex: "Codex" };

export const GROUP_NAMES = { ...OWN_TABLE, other: "Other formats" };

/** Loads the tools that measure a session from the built package. */
export async function loadTools(dist) {
  const load = (file) => import(new URL(file, dist).href);
  const [importFile, trajectories, sources, families] = await Promise.all([
    importerOf(load),
    ...[
      "palimpsest-testing/dist/metering/trajectory-of-session.js",
      "palimpsest-cli/dist/replay/measure/source-figures.js",
      "palimpsest/dist/tokens/models/model-id.js",
    ].map(load),
  ]);
  return { importFile, ...trajectories, ...sources, ...families };
}

/** The trajectories of one file that are long enough, each with its model and where it lies. */
export async function readSessions(path, tools) {
  const { sessions } = await tools.importFile(path);
  const stem = basename(path).replace(/\.jsonl?(?:\.gz)?$/, "");
  return sessions.flatMap((session, index) => {
    const name = sessions.length === 1 ? stem : `${stem}#${index + 1}`;
    const model = tools.mainModel(session);
    const trajectory = tools.trajectoryOf(session, { name, model });
    if (trajectory.tokens / tools.tokenizerRatio(model) < LEAST_TOKENS) return [];
    return [{ path, name, model, trajectory, group: session.format in OWN_TABLE ? session.format : "other" }];
  });
}

/** @throws what is not about the file. */
function leftOut(error) {
  if (error?.name !== "InputError") throw error;
  process.stderr.write(`Left out: ${error.message}\n`);
  return [];
}

/**
 * Every long session of the corpora together, without its messages: `group`, `name`, `path`, `half`, sizes. Settings
 * are chosen on the even sessions of each group, by order of name; the odd ones are held out. Files that cannot be
 * imported are left out, and named on standard error.
 */
export async function listSessions(corpora, half, tools) {
  const found = [];
  for (const corpus of [corpora].flat()) {
    const folder = join(corpus, "trajectories");
    if (!existsSync(folder)) continue;
    for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      if (!/\.jsonl?(?:\.gz)?$/.test(path)) continue;
      const sessions = await readSessions(join(folder, path), tools).catch((error) => leftOut(error));
      for (const { trajectory, ...session } of sessions) {
        const { tokens, fixedTokens, messages } = trajectory;
        const requests = messages.filter(({ author }) => author === "assistant").length;
        found.push({ ...session, tokens, fixedTokens, requests });
      }
    }
  }
  return Object.keys(GROUP_NAMES).flatMap((group) =>
    found
      .filter((session) => session.group === group)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((session, index) => ({ ...session, half: index % 2 === 0 ? "even" : "odd" }))
      .filter((session) => half === "all" || session.half === half),
  );
}
