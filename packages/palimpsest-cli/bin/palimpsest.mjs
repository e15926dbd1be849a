#!/usr/bin/env node
/** The command. In a checkout that was not built yet it builds first; the published package is built. */
import { existsSync } from "node:fs";

const main = new URL("../dist/program/main.js", import.meta.url);
if (!existsSync(main)) await import("../../../scripts/build.mjs");
await import(main.href);
