/** The published packages are small and quick to load. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../helpers/compiled-once.ts";
import { BuiltPackage, type RunOutcome } from "./built-package.ts";
import { ROOT } from "./source.ts";

const UNPACKED_BYTES = 2_500_000;
const LOADED_FILES = 30;
const PROMPT_FILES = 10;
const PROMPT_BYTES = 300_000;

const ONE_ERROR_CLASS = `
  import { PalimpsestError } from "palimpsest";
  import { createMemory } from "palimpsest/memory";
  import { importSessions } from "palimpsest/formats";
  const caught = [() => createMemory({ folder: 5 }), () => importSessions("")].map((run) => {
    try { run(); } catch (error) { return error; }
  });
  if (!caught.every((error) => error instanceof PalimpsestError)) throw caught;
`;
const NOTHING_INTERNAL = `
  import { createSession, InMemorySessionStore, nodeHasher, randomIds, systemClock } from "palimpsest";
  const store = new InMemorySessionStore();
  const session = await createSession({ store, hasher: nodeHasher, ids: randomIds, clock: systemClock });
  const members = ["parts", "builder", "preparer", "inTurn", "appendWith", "settle"];
  const found = members.filter((name) => name in session);
  await session.close();
  if (found.length > 0) throw found;
`;

let installed: BuiltPackage;
let oneErrorClass: RunOutcome;
let nothingInternal: RunOutcome;
beforeAll(() => {
  installed = new BuiltPackage();
  // In one process, which loads the library once.
  [oneErrorClass, nothingInternal] = installed.runModules([ONE_ERROR_CLASS, NOTHING_INTERNAL]) as [
    RunOutcome,
    RunOutcome,
  ];
});
afterAll(() => installed?.remove());

/** The files that a module loads before it runs, itself included. */
function filesLoaded(module: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const code = readFileSync(path, "utf8");
    for (const [, specifier = ""] of code.matchAll(/^(?:import|export)\b[^"';]*["'](\.[^"']+)["'];/gm))
      load(join(path, "..", specifier));
  };
  load(module);
  return loaded;
}

/** The published JavaScript in a folder. */
function codeOf(folder: string): readonly { readonly path: string; readonly code: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js") && !path.includes("assets"))
    .map((path) => ({ path, code: readFileSync(join(folder, path), "utf8") }));
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestAt(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** The package of a module's name: `@scope/name/part` is of `@scope/name`. */
function packageOf(name: string): string {
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/");
}

describe("the published library", () => {
  it("is at most 2.5 MB unpacked", () => {
    const folder = installed.folderOf("palimpsest");
    const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => statSync(join(item.parentPath, item.name)).size);
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(UNPACKED_BYTES);
  });

  it("loads at most 30 files", () => {
    const loaded = filesLoaded(join(installed.folderOf("palimpsest"), "dist/entries/index.js"));
    expect(loaded.size).toBeGreaterThan(1);
    expect(loaded.size).toBeLessThanOrEqual(LOADED_FILES);
  });

  it("has one class of an error, whichever entry it comes from", () => {
    expect(oneErrorClass.exitCode, oneErrorClass.output).toBe(0);
  });
});

describe("the published declarations", () => {
  it("lead to public entries only, since `internal` has no declarations", () => {
    for (const name of ["palimpsest", "palimpsest-testing"]) {
      const dist = join(installed.folderOf(name), "dist");
      const declarations = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) =>
        path.endsWith(".d.ts"),
      );
      expect(declarations.length, name).toBeGreaterThan(10);
      const wrong = declarations.filter((path) =>
        /["'](?:#|palimpsest(?:-testing)?\/internal["'])/.test(readFileSync(join(dist, path), "utf8")),
      );
      expect(wrong, name).toEqual([]);
    }
  });
});

describe("what users see of a session", () => {
  it("holds nothing internal, in the declarations and in the object", () => {
    const declarations = readFileSync(
      join(installed.folderOf("palimpsest"), "dist/session/session.d.ts"),
      "utf8",
    );
    expect(declarations).toContain("export declare class Session");
    expect(declarations).not.toMatch(/\b(?:parts|budgets|builder|inTurn|appendWith|settle|internalsOf)\b/);
    expect(nothingInternal.exitCode, nothingInternal.output).toBe(0);
  });

  it("compiles where libraries are checked, too", () => {
    const outcome = installed.checkDeclarations("palimpsest");
    expect(outcome.exitCode, outcome.output).toBe(0);
  });
});

describe("the command", () => {
  it("prints its version without loading anything else", () => {
    const folder = join(testFolder(), "palimpsest-cli");
    mkdirSync(folder);
    const from = installed.folderOf("palimpsest-cli");
    for (const name of ["bin", "package.json"])
      cpSync(join(from, name), join(folder, name), { recursive: true });
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    const { stdout } = spawnSync(process.execPath, [join(folder, "bin/palimpsest.mjs"), "--version"]);
    expect(String(stdout)).toBe(`${version}\n`);
  });

  it("imports nothing but its dependencies, and has the licences of what is within", () => {
    const from = installed.folderOf("palimpsest-cli");
    const imported = codeOf(join(from, "dist")).flatMap(({ code }) =>
      [...code.matchAll(/(?:from ?|\bimport\()"([^".][^"]*)"/g)].map(([, name = ""]) => name),
    );
    const { dependencies, peerDependencies, devDependencies } = manifestAt(from);
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    const packages = new Set(imported.filter((name) => !isBuiltin(name)).map(packageOf));
    expect(packages.size).toBeGreaterThan(1);
    expect([...packages].filter((name) => !declared.includes(name))).toEqual([]);
    const notices = readFileSync(join(from, "NOTICES.md"), "utf8");
    const within = Object.keys(devDependencies ?? {}).filter((name) => !name.startsWith("palimpsest"));
    expect(within).toContain("@earendil-works/pi-tui");
    for (const name of within) {
      const parts = Object.keys(manifestAt(`${ROOT}node_modules/${name}`).dependencies ?? {});
      for (const part of [name, ...parts]) expect(notices).toContain(`## ${part}\n`);
    }
  });

  it("shows the prompt of a chat after it has read few files", () => {
    const dist = join(installed.folderOf("palimpsest-cli"), "dist/program");
    const chunks = ["main.js", "chunks/chat-command.js", "chunks/chat-screen.js"];
    const loaded = new Set(chunks.flatMap((name) => [...filesLoaded(join(dist, name))]));
    const bytes = [...loaded].reduce((sum, path) => sum + statSync(path).size, 0);
    expect(loaded.size).toBeGreaterThan(chunks.length);
    expect(loaded.size).toBeLessThanOrEqual(PROMPT_FILES);
    expect(bytes).toBeLessThanOrEqual(PROMPT_BYTES);
  });

  it("has the classes of the agent's library in a worker", () => {
    const worker = codeOf(join(installed.folderOf("palimpsest-cli"), "dist")).filter(({ code }) =>
      /from ?"palimpsest(?:\/[a-z-]+)?"/.test(code),
    );
    expect(worker.map(({ path }) => path)).toEqual(["program/chunks/worker-command.js"]);
    // The worker has to know the error of the store, which says that there is no session yet.
    const outcome = installed.runShell(`
      (umask 077; echo a-token-of-more-than-16-characters > token)
      cat > agent.mjs <<'END'
      import { functionModel, InMemorySessionStore } from "palimpsest";
      const write = process.stderr.write;
      process.stderr.write = (text) => {
        if (String(text).startsWith("Listening")) process.kill(process.pid, "SIGTERM");
        return write.call(process.stderr, text);
      };
      export default { model: functionModel(async () => "Done."), store: new InMemorySessionStore() };
END
      palimpsest worker --port 0 --token-file token --agent agent.mjs || echo "exit code $?"
      palimpsest worker --port 0 --token-file token --agent token || echo "exit code $?"
    `);
    expect(outcome.output).toMatch(/^exit code 143\nexit code 2\nListening on .*\nOPTION_INVALID .*\n$/);
  });
});
