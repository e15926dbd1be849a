/** Builds `dist/` from `src/`: removes the old build first, so that a file deleted in `src/` leaves the package too. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
// The parts of the page that `replay --html` writes: they are shipped as they are.
const assets = "hosts/cli/page/assets";
cpSync(`src/${assets}`, `dist/${assets}`, { recursive: true });
const cli = "dist/hosts/cli/main.js";
if (existsSync(cli)) chmodSync(cli, 0o755);
