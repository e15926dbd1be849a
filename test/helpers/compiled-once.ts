/**
 * What all test files of a run share: a folder that goes when the run is over, and in it the library,
 * compiled once by the first file that asks: for child processes, which need neither a build in the
 * working tree nor a loader.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = resolve(fileURLToPath(import.meta.url), "../../..");
/** Where the folder of a run stands, for the processes of its test files. */
const FOLDER_VARIABLE = "PALIMPSEST_TEST_FOLDER";
const WAIT_MS = 50;
const WAIT_LIMIT_MS = 110_000;

/** Vitest calls this before the first test file; what it returns, after the last. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-tests-"));
  process.env[FOLDER_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The folder of this run. */
function runFolder(): string {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error("`globalSetup` of the vitest configuration names compiled-once.ts");
  return folder;
}

/** A new folder that goes when the run is over. */
export function testFolder(): string {
  return mkdtempSync(join(runFolder(), "folder-"));
}

/** The folder that stands for `dist`. */
export function compiledLibrary(): string {
  const folder = join(runFolder(), "compiled");
  if (isFirst(folder)) compile(folder);
  const done = join(folder, "done");
  for (let waited = 0; !existsSync(done); waited += WAIT_MS) {
    if (waited > WAIT_LIMIT_MS) throw new Error("Another test file did not finish compiling the library.");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  const failure = readFileSync(done, "utf8");
  if (failure !== "") throw new Error(`The library does not compile:\n${failure}`);
  return join(folder, "dist");
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function compile(folder: string): void {
  const args = [
    "node_modules/typescript/bin/tsc",
    "-p",
    "tsconfig.build.json",
    // `npm run types` checks them; what is written is the same, in half the time.
    "--noCheck",
    "--outDir",
    join(folder, "dist"),
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: repository, encoding: "utf8" });
  const assets = "hosts/cli/page/assets";
  cpSync(join(repository, "src", assets), join(folder, "dist", assets), { recursive: true });
  cpSync(join(repository, "package.json"), join(folder, "package.json"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "done"), status === 0 ? "" : `${stdout} `);
}
