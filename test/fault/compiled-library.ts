/** Compiles parts of the library for child processes, so that they need neither a build nor a loader. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Emits these files of `src`, and what they import, without checking types. */
export function compileLibrary(outDir: string, files: readonly string[]): void {
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, "package.json"), '{"type":"module"}');
  const config = {
    extends: join(repository, "tsconfig.build.json"),
    compilerOptions: {
      outDir,
      rootDir: join(repository, "src"),
      typeRoots: [join(repository, "node_modules/@types")],
      declaration: false,
      noCheck: true,
    },
    include: [],
    files: files.map((file) => join(repository, "src", file)),
  };
  writeFileSync(join(outDir, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(outDir, "tsconfig.json")], { stdio: "pipe" });
}
