/** A person who saves files of a folder in the ways editors do, and knows what they saved. */
import {
  appendFileSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface Saved {
  readonly path: string;
  readonly marker: string;
}

type Way = (path: string, marker: string, random: () => number) => Promise<void>;

/** The whole text is theirs: what others wrote is overwritten, which is what they want. */
const OVER: readonly Way[] = [
  async (path, marker, random) => {
    writeFileSync(`${path}.swp`, `${marker}\n${"words ".repeat(random() * 3_000)}\n`);
    await pause(random() * 3);
    renameSync(`${path}.swp`, path);
  },
  async (path, marker, random) => writeFileSync(path, `${marker}\n${"words ".repeat(random() * 3_000)}\n`),
  async (path, marker, random) => {
    const file = openSync(path, "w");
    writeSync(file, marker.slice(0, 5));
    await pause(random() * 4);
    writeSync(file, `${marker.slice(5)}\n`);
    closeSync(file);
  },
];

/** They add to what is there. */
const ADDING: readonly Way[] = [
  async (path, marker) => appendFileSync(path, `${marker}\n`),
  async (path, marker, random) => {
    const file = openSync(path, "a");
    await pause(random() * 20);
    writeSync(file, `${marker}\n`);
    closeSync(file);
  },
  async (path, marker, random) => {
    try {
      renameSync(path, `${path}~`);
    } catch {
      // A program has it just then.
      return appendFileSync(path, `${marker}\n`);
    }
    await pause(random() * 3);
    const text = `${readFileSync(`${path}~`, "utf8")}${marker}\n`;
    writeFileSync(`${path}.swp`, text);
    try {
      linkSync(`${path}.swp`, path);
    } catch {
      // A program has made a new one meanwhile.
      appendFileSync(path, text);
    }
    rmSync(`${path}.swp`);
  },
];

/** Saves one file after the other until it is stopped. */
export async function savesUntil(
  folder: string,
  {
    over,
    adding,
    isOver,
  }: {
    /** Names of files that they write over. */
    readonly over: readonly string[];
    readonly adding: readonly string[];
    readonly isOver: () => boolean;
  },
): Promise<readonly Saved[]> {
  const saved: Saved[] = [];
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;
  while (!isOver()) {
    const isAll = Math.random() < 0.4;
    const path = join(folder, pick(isAll ? over : adding));
    const marker = `PERSON ${saved.length + 1}.`;
    await pick(isAll ? OVER : ADDING)(path, marker, Math.random);
    saved.push({ path, marker });
    await pause(Math.random() * 60);
  }
  return saved;
}
