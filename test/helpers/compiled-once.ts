/**
 * A temporary folder for all test files of a run. It holds the packages, compiled by the first file that asks, for
 * child processes: they need neither a build in the working tree nor a loader.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = resolve(fileURLToPath(import.meta.url), "../../..");
/** Environment variable with the folder of the run, for the processes of its test files. */
const FOLDER_VARIABLE = "PALIMPSEST_TEST_FOLDER";
const WAIT_MS = 50;
const WAIT_LIMIT_MS = 280_000;

/** Vitest calls this before the first test file, and the returned function after the last. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-tests-"));
  process.env[FOLDER_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The folder of this run. */
export function runFolder(): string {
  const folder = process.env[FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error("`globalSetup` of the vitest configuration names compiled-once.ts");
  return folder;
}

/** Creates a folder that is removed at the end of the run. */
export function testFolder(): string {
  return mkdtempSync(join(runFolder(), "folder-"));
}

/** The folder with the compiled packages: `palimpsest/dist`, `palimpsest-cli/dist` and so on. */
export function compiledLibrary(): string {
  return join(madeOnce("compiled", compile), "node_modules");
}

/** A folder of the run that the first test file which asks for it fills; `make` returns what went wrong, or nothing. */
export function madeOnce(name: string, make: (folder: string) => string): string {
  const folder = join(runFolder(), name);
  const done = `${folder}.done`;
  if (isFirst(folder)) {
    writeFileSync(`${done}.new`, make(folder));
    renameSync(`${done}.new`, done);
  }
  for (let waited = 0; !existsSync(done); waited += WAIT_MS) {
    if (waited > WAIT_LIMIT_MS) throw new Error(`Another test file did not finish what is ${name}.`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
  }
  const failure = readFileSync(done, "utf8");
  if (failure !== "") throw new Error(`The packages cannot be ${name}:\n${failure}`);
  return folder;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function compile(folder: string): string {
  const into = join(folder, "node_modules");
  mkdirSync(into);
  const args = [join(repository, "scripts/build.mjs"), "--compile-into", into];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, encoding: "utf8" });
  const ours = new Set(readdirSync(join(repository, "packages")));
  for (const name of readdirSync(join(repository, "node_modules")))
    if (!ours.has(name) && !existsSync(join(into, name)))
      symlinkSync(join(repository, "node_modules", name), join(into, name), "junction");
  return status === 0 ? "" : `${stdout}${stderr} `;
}
