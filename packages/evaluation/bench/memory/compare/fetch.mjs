/**
 * Fetches the public sets that the comparison reads, into a folder of yours; never into the repository.
 *
 *   node packages/evaluation/bench/memory/compare/fetch.mjs DIR
 *
 * Needs git. Licences: LoCoMo and PrefEval CC BY-NC 4.0, XQuAD CC BY-SA 4.0, BEAM CC BY-SA 4.0 on its card; the
 * others name none. Cranfield, CISI, Medline and ADI are Cornell's collections, in copies that anyone can clone.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const HOME = "https://github.com/";
const SETS = {
  locomo: "snap-research/locomo",
  REALTALK: "danny911kr/REALTALK",
  BEAM: "mohammadtavakoli78/BEAM",
  MemSim: "nuster1128/MemSim",
  PrefEval: "amazon-science/PrefEval",
  xquad: "deepmind/xquad",
  cranfield: "Chetan-Prasad/IR-Lucene_Cran",
  cisi: "PsychoProg/tf-idf",
  MADial: "hejunqing/MADial-Bench",
  irs: "lailaglez/belief-network-irs",
};

const [folder, home = HOME] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Name a folder.");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const [name, repository] of Object.entries(SETS)) {
  const into = join(folder, name);
  if (existsSync(into)) continue;
  execFileSync("git", ["clone", "--quiet", "--depth", "1", `${home}${repository}`, into], {
    stdio: "inherit",
  });
}
// LoCoMo's conversations come in one archive in some versions, and as one file in others.
const archive = join(folder, "locomo", "data", "locomo10.zip");
if (
  existsSync(archive) &&
  !readdirSync(join(folder, "locomo", "data")).some((name) => name.endsWith(".json"))
)
  execFileSync("unzip", ["-o", "-q", archive, "-d", join(folder, "locomo", "data")], { stdio: "inherit" });
