/**
 * A folder of the memory directory is exchanged for a link that leads out, and put back, before any call of the file
 * system: what `confinement: "looks"` promises where the platform offers no handles of folders (macOS, Windows).
 *
 * The exchanges are made inside the process, between two calls, so that every moment is tried and none by chance.
 */
import fs, { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { outsideOf, type TrapPlace, trapPlace } from "#test/helpers/memory-traps.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

/** Resolution of the file system's times of folders: fine enough to count changes, or not. */
type Times = "fine" | "coarse";
type Verb = "read" | "append" | "list";

const CALLS = ["lstatSync", "openSync", "fstatSync", "readdirSync", "readSync", "writeSync"] as const;
const real = Object.fromEntries(CALLS.map((name) => [name, fs[name]])) as Pick<
  typeof fs,
  (typeof CALLS)[number]
>;

function place(): TrapPlace {
  const made = trapPlace();
  mkdirSync(join(made.memory, "sub"));
  writeFileSync(join(made.memory, "sub/a.md"), "# Mine\n");
  return made;
}

/** Exchanges `sub` for a link, or puts it back. */
class Exchange {
  readonly #sub: string;
  readonly #outside: string;
  isLink = false;
  count = 0;

  constructor({ memory, outside }: TrapPlace) {
    this.#sub = join(memory, "sub");
    this.#outside = outside;
  }

  toggle(): void {
    if (this.isLink) {
      unlinkSync(this.#sub);
      renameSync(`${this.#sub}.real`, this.#sub);
    } else {
      renameSync(this.#sub, `${this.#sub}.real`);
      symlinkSync(this.#outside, this.#sub);
    }
    this.isLink = !this.isLink;
    this.count++;
  }
}

/** Does the work with an exchange before each of these calls; returns how many calls it made. */
function during(moments: readonly number[], exchange: Exchange, times: Times, work: () => void): number {
  let calls = 0;
  const before = () => {
    calls++;
    for (const moment of moments) if (moment === calls) exchange.toggle();
  };
  const patched = fs as unknown as Record<string, unknown>;
  for (const name of CALLS)
    patched[name] = (...input: readonly unknown[]) => {
      before();
      const result = (real[name] as (...input: readonly unknown[]) => unknown)(...input);
      if (name === "lstatSync" && typeof result === "object" && result !== null) {
        const changes = times === "fine" ? BigInt(exchange.count) : 0n;
        Object.assign(result, { mtimeNs: changes, ctimeNs: changes });
      }
      return result;
    };
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
    if (exchange.isLink) exchange.toggle();
  }
  return calls;
}

function perform(files: FileSystem, verb: Verb): string {
  if (verb === "list") return files.list("sub").join(" ");
  const file = files.open("sub/a.md", verb);
  try {
    if (verb === "append") file.write(Buffer.from("mine\n"));
    return verb === "read" ? Buffer.from(file.read(0, 100)).toString("utf8") : "";
  } finally {
    file.close();
  }
}

/** True if the verb reached what lies outside although it was done or refused as promised otherwise. */
function isLedAstray(made: TrapPlace, moments: readonly number[], times: Times, verb: Verb): boolean {
  const outside = outsideOf(made);
  const files = confinedFileSystem(made.memory, { confinement: "looks" });
  let seen = "";
  during(moments, new Exchange(made), times, () => {
    try {
      seen = perform(files, verb);
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
    }
  });
  return /Not yours|secret/.test(seen) || outsideOf(made).join("\n") !== outside.join("\n");
}

/** All rising lists of `size` numbers from 1 to `most`. */
function risingLists(most: number, size: number, from = 1): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  const lists: (readonly number[])[] = [];
  for (let first = from; first <= most; first++)
    for (const rest of risingLists(most, size - 1, first + 1)) lists.push([first, ...rest]);
  return lists;
}

/** The calls of one undisturbed try. */
function callsOf(made: TrapPlace, verb: Verb): number {
  const files = confinedFileSystem(made.memory, { confinement: "looks" });
  return during([], new Exchange(made), "coarse", () => perform(files, verb));
}

describe.runIf(process.platform !== "win32")(
  "a folder that is exchanged for a link between two calls",
  () => {
    it.each([
      "read",
      "append",
    ] as const)("does not lead a %s out when it is exchanged and put back once, at any two moments", (verb) => {
      const made = place();
      const calls = callsOf(made, verb);
      expect(calls).toBeGreaterThan(10);
      const exchanges = bySize({ usual: [1, 2], long: [1, 2, 3], soak: [1, 2, 3, 4] }).flatMap((size) =>
        risingLists(calls, size),
      );
      for (const moments of exchanges)
        expect(isLedAstray(made, moments, "coarse", verb), `exchanged before the calls ${moments}`).toBe(
          false,
        );
      expect(readFileSync(join(made.memory, "sub/a.md"), "utf8")).toMatch(/^# Mine\n(mine\n)*$/);
    });

    it.each([
      "read",
      "append",
      "list",
    ] as const)("never leads a %s out where the file system tells every change of a folder", (verb) => {
      const made = place();
      const moment = fc.nat({ max: 2 * callsOf(made, verb) });
      fc.assert(
        fc.property(fc.uniqueArray(moment, { maxLength: 20 }), (moments) => {
          expect(isLedAstray(made, moments, "fine", verb)).toBe(false);
        }),
        { numRuns: bySize({ usual: 150, long: 1_200, soak: 5_000 }) },
      );
    });

    it("is told as such when it happens at each of several tries, and leaves the file readable afterwards", () => {
      const made = place();
      const files = confinedFileSystem(made.memory, { confinement: "looks" });
      const always = Array.from({ length: 1_000 }, (_, index) => index * 3);
      during(always, new Exchange(made), "fine", () => {
        expect(() => perform(files, "read")).toThrow(/ECONFINED|ENOENT/);
      });
      expect(perform(files, "read")).toBe("# Mine\n");
    });
  },
);
