#!/usr/bin/env node
/** The command. Prints its version without loading anything else, and builds first in a checkout without a build. */
import { existsSync, readFileSync } from "node:fs";

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.on("error", (error) => {
    process.exitCode = error.code === "EPIPE" ? 141 : 1;
    if (error.code !== "EPIPE") process.stderr.write(`The output could not be written: ${error.message}\n`);
  });
  process.stdout.write(`${version}\n`);
} else {
  const main = new URL("../dist/program/main.js", import.meta.url);
  if (!existsSync(main)) await import("../../../scripts/build.mjs");
  await import(main.href);
}
