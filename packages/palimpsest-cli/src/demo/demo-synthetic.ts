/**
 * Files to work on where the demo's folder has none: modules of a made-up program, the same every
 * time. They are written into the demo's own temporary folder, never into the user's.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";

const THINGS = ["Invoice", "Harbour", "Cargo", "Tariff", "Berth", "Manifest", "Pilot", "Customs"] as const;
const DEEDS = ["plan", "settle", "assign", "inspect", "release", "estimate"] as const;

/** Writes the files below `folder` and returns it. */
export function writeSyntheticWorkspace(folder: string): string {
  for (let index = 0; index < DEMO_DEFAULTS.syntheticFilesCount; index++) {
    const thing = THINGS[index % THINGS.length]!;
    const subfolder = join(folder, `room-${Math.floor(index / THINGS.length) + 1}`);
    mkdirSync(subfolder, { recursive: true, mode: 0o700 });
    writeFileSync(join(subfolder, `${thing.toLowerCase()}.ts`), moduleText(thing, index), { mode: 0o600 });
  }
  return folder;
}

function moduleText(thing: string, index: number): string {
  const lines = [
    `/** Part ${index + 1} of a made-up harbour office: everything about one ${thing.toLowerCase()}. */`,
    "",
  ];
  for (let part = 0; lines.length < DEMO_DEFAULTS.syntheticLinesCount; part++) {
    const deed = DEEDS[part % DEEDS.length]!;
    const name = `${deed}${thing}${index * 31 + part}`;
    const limit = (index * 7_919 + part * 104_729) % 9_973;
    lines.push(
      `/** Says whether ${thing.toLowerCase()} number ${part} may pass, given what the others need. */`,
      `export function ${name}(load: number, waiting: readonly number[]): number | undefined {`,
      `  const ${name}Limit = ${limit};`,
      `  if (load > ${name}Limit) return undefined;`,
      `  return waiting.reduce((sum, next) => sum + Math.min(next, ${name}Limit), load);`,
      "}",
      "",
    );
  }
  return lines.join("\n");
}
