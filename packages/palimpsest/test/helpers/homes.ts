/**
 * Homes in a temporary folder, with two working copies, removed after each test.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { HomeOptions, PalimpsestHome } from "#host/home/home-types.ts";
import { openHome } from "#host/home/open-home.ts";
import type { Session } from "#session/session.ts";
import { user } from "./histories.ts";

let folder: string;
let left: PalimpsestHome[];

/** To be called once in a test file. */
export function useHomes(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "palimpsest-home-"));
    left = [];
    for (const name of ["app", "other"]) mkdirSync(join(folder, name));
  });
  afterEach(async () => {
    for (const home of left) await home.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

export const at = (...names: readonly string[]): string => join(folder, ...names);

export function open(options: HomeOptions = {}): PalimpsestHome {
  const env = { PATH: process.env["PATH"], HOME: at("nobody") };
  const home = openHome({ home: at("home"), workingCopy: at("app"), env, ...options });
  left.push(home);
  return home;
}

export async function say(session: Session, ...words: readonly string[]): Promise<Session> {
  for (const word of words) await session.append(user(word));
  return session;
}

export async function leftBehind(home: PalimpsestHome, ...words: readonly string[]): Promise<string> {
  const session = await say(await home.create(), ...words);
  await session.close();
  return session.id;
}

export const texts = (session: Session): readonly string[] =>
  session.visible.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => (block.type === "text" ? [block.text] : [])),
  );

/** Every path below a folder with its mode. */
export function tree(root: string, below = ""): readonly string[] {
  return readdirSync(join(root, below))
    .sort()
    .flatMap((name) => {
      const path = below === "" ? name : `${below}/${name}`;
      const stat = statSync(join(root, path));
      const mode = (stat.mode & 0o777).toString(8);
      return [
        `${mode} ${path}${stat.isDirectory() ? "/" : ""}`,
        ...(stat.isDirectory() ? tree(root, path) : []),
      ];
    });
}
