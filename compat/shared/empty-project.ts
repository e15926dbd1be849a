/**
 * An empty project in which the packages are installed from their tarballs, as `npm install` would unpack them.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");
/** Longer than anything takes here, however busy the machine is. */
const TIME_LIMIT_MS = 280_000;

export interface ProgramOutcome {
  readonly exitCode: number | null;
  /** Standard output and error, as they came. */
  readonly output: string;
}

export class EmptyProject {
  readonly folder = mkdtempSync(join(tmpdir(), "palimpsest-project-"));
  /** Paths of the tarballs, by package. */
  readonly tarballs: ReadonlyMap<string, string>;

  /** `programs` are copied into the project, from `compat/runtimes/`. */
  constructor(...programs: readonly string[]) {
    const work = join(this.folder, ".work");
    const compiled = join(work, "node_modules");
    const published = join(work, "published");
    mkdirSync(compiled, { recursive: true });
    for (const args of [
      ["--compile-into", compiled],
      ["--publish", compiled, published],
    ])
      execFileSync(process.execPath, [join(ROOT, "scripts/build.mjs"), ...args], { cwd: ROOT });
    this.tarballs = new Map(readdirSync(published).map((name) => [name, this.#install(published, name)]));
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ type: "module", private: true }));
    for (const name of programs) cpSync(join(ROOT, "compat/runtimes", name), join(this.folder, name));
  }

  #install(published: string, name: string): string {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", published];
    const packed = execFileSync("npm", args, { cwd: join(published, name), encoding: "utf8" });
    const tarball = join(published, (JSON.parse(packed) as { filename: string }[])[0]!.filename);
    const installed = join(this.folder, "node_modules", name);
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
    for (const dependency of Object.keys(manifestOf(installed).dependencies ?? {})) {
      const link = join(this.folder, "node_modules", dependency);
      mkdirSync(join(link, ".."), { recursive: true });
      if (!dependency.startsWith("palimpsest")) symlinkSync(join(ROOT, "node_modules", dependency), link);
    }
    return tarball;
  }

  /** The paths that a package can be imported by, without those for sibling packages. */
  entriesOf(name: string): readonly string[] {
    const { exports } = manifestOf(join(this.folder, "node_modules", name));
    return Object.keys(exports ?? {})
      .filter((path) => path !== "./package.json" && path !== "./internal")
      .map((path) => name + path.slice(1));
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ProgramOutcome {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: this.folder,
      encoding: "utf8",
      timeout: TIME_LIMIT_MS,
      env: { PATH: process.env["PATH"], HOME: this.folder, NO_COLOR: "1", ...env },
    });
    if (error !== undefined) throw error;
    return { exitCode: status, output: `${stdout}${stderr}` };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
