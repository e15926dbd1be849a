/**
 * Builds every package: compiles all sources in one go into `build/node_modules/<package>/dist`, where benches and
 * child processes of tests find each file, and makes of it the `dist` of each package, which is what is published.
 *
 * `--into FOLDER` only compiles, and into that folder. Old builds are removed first, so that a file deleted in the
 * sources leaves the packages too.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const intoAt = process.argv.indexOf("--into");
const into = intoAt === -1 ? join(root, "build/node_modules") : process.argv[intoAt + 1];
const packages = readdirSync(join(root, "packages"));

compile();
if (intoAt === -1) for (const name of packages) publish(name);

/** Packages side by side, as npm would install them: the imports of one find the other. */
function compile() {
  const compiled = join(into, ".compiled");
  rmSync(compiled, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", compiled];
  // `npm run types` checks the sources; what is written is the same, in half the time.
  execFileSync(process.execPath, intoAt === -1 ? args : [...args, "--noCheck"], { stdio: "inherit" });
  for (const name of packages) {
    const from = join(root, "packages", name);
    const to = join(into, name);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    renameSync(join(compiled, name, "src"), join(to, "dist"));
    cpSync(join(from, "package.json"), join(to, "package.json"));
    if (existsSync(join(from, "bin"))) cpSync(join(from, "bin"), join(to, "bin"), { recursive: true });
    // The parts of the page that `replay --html` writes, and whatever else is shipped as it is.
    for (const file of readdirSync(join(from, "src"), { recursive: true, withFileTypes: true }))
      if (file.isFile() && !file.name.endsWith(".ts")) {
        const path = join(file.parentPath, file.name);
        cpSync(path, path.replace(join(from, "src"), join(to, "dist")));
      }
  }
  rmSync(compiled, { recursive: true, force: true });
}

function publish(name) {
  const dist = join(root, "packages", name, "dist");
  rmSync(dist, { recursive: true, force: true });
  cpSync(join(into, name, "dist"), dist, { recursive: true });
}
