/** Builds `dist/` from `src/`: removes the old build first, so that a file deleted in `src/` leaves the package too. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
const cli = "dist/hosts/cli/main.js";
if (existsSync(cli)) chmodSync(cli, 0o755);
