/**
 * The map that the arrows are checked against: rooms, their rows, and who may see whom.
 *
 * `ARCHITECTURE.md` shows the same rows to people; a test compares the two.
 */
import { dirname, join, normalize } from "node:path/posix";
import { importsOf, type SourceFile } from "./source.ts";

/** Rooms by row; imports go down only, and never sideways within a row. */
export const ROWS: readonly (readonly string[])[] = [
  ["base"],
  ["transcript"],
  ["ports", "formats"],
  ["tokens"],
  ["compaction", "notes", "memory", "tasks"],
  ["evaluation"],
  ["engine", "adapters"],
  ["hosts", "testing"],
  ["entries"],
];

/** Imports that the rows forbid and a reason allows. A door that nobody uses is closed again by a test. */
export const DOORS: readonly { readonly from: string; readonly to: string; readonly why: string }[] = [
  {
    from: "hosts",
    to: "src/testing/wire-oracle.ts",
    why: "`replay` reports what the oracle says; the oracle imports nothing, so nothing can come back",
  },
];

/** Rooms that only compute: values in, values out. */
export const PURE_ROOMS: ReadonlySet<string> = new Set([
  ...["base", "transcript", "ports", "formats", "tokens"],
  ...["compaction", "notes", "memory", "tasks", "evaluation"],
]);

/** `src/tokens/budget.ts` lies in `tokens`; `undefined` outside every room. */
export function roomOf(path: string): string | undefined {
  const room = /^src\/([^/]+)\//.exec(path)?.[1];
  return room !== undefined && ROWS.some((row) => row.includes(room)) ? room : undefined;
}

/** The path that a relative import names. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : undefined;
}

/** Files in no room, imports up or sideways, and imports that leave `src`. */
export function wrongArrows(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    if (room === undefined) return [`${file.path} lies in no room`];
    return importsOf(file).flatMap(({ specifier }) => {
      const target = resolveImport(file.path, specifier);
      if (target === undefined) return [];
      const targetRoom = roomOf(target);
      if (targetRoom === undefined) return [`${file.path} imports ${target}, which lies in no room`];
      return targetRoom === room || rowOf(targetRoom) < rowOf(room) || isDoor(room, target)
        ? []
        : [`${file.path} (${room}) imports ${target} (${targetRoom}), which is not below it`];
    });
  });
}

function isDoor(room: string, target: string): boolean {
  return DOORS.some(({ from, to }) => from === room && to === target);
}

/** Doors that no import goes through. */
export function unusedDoors(files: readonly SourceFile[]): readonly string[] {
  return DOORS.filter(
    ({ from, to }) =>
      !files.some(
        (file) =>
          roomOf(file.path) === from &&
          importsOf(file).some(({ specifier }) => resolveImport(file.path, specifier) === to),
      ),
  ).map(({ from, to }) => `nobody in ${from} imports ${to}`);
}

function rowOf(room: string): number {
  return ROWS.findIndex((row) => row.includes(room));
}

/** What the oracle may not do: look at anything of the library it judges. */
export function oracleImports(files: readonly SourceFile[]): readonly string[] {
  const isOracle = (path: string): boolean => path.startsWith("src/testing/wire-oracle");
  return files
    .filter((file) => isOracle(file.path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => !isOracle(resolveImport(file.path, specifier) ?? ""))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
}

/** The clock, randomness, timers, the network, the console, the process: effects that pure rooms are handed. */
const IMPURE: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: "Date.now()", pattern: /\bDate\s*\.\s*now\b/ },
  { what: "new Date()", pattern: /\bnew\s+Date\s*(?:\(\s*\)|;|,|\))/ },
  { what: "Date()", pattern: /(?<!new\s)(?<![.\w$])Date\s*\(/ },
  { what: "Math.random()", pattern: /\bMath\s*\.\s*random\b/ },
  { what: "a timer", pattern: /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\s*\(/ },
  { what: "the console", pattern: /(?<![.\w$])console\s*[.[]/ },
  { what: "the process", pattern: /(?<![.\w$])process\s*[.[]/ },
  { what: "the network", pattern: /(?<![.\w$])(?:fetch\s*\(|new\s+(?:WebSocket|XMLHttpRequest)\b)/ },
  { what: "performance", pattern: /(?<![.\w$])performance\s*[.[]/ },
  { what: "globalThis", pattern: /(?<![.\w$])globalThis\b/ },
  { what: "crypto", pattern: /(?<![.\w$])crypto\s*\./ },
  { what: "code from text", pattern: /(?<![.\w$])(?:eval\s*\(|new\s+Function\b|require\s*\()/ },
  { what: "import()", pattern: /(?<![.\w$])import\s*\(/ },
];

/** Effects in rooms that must have none. */
export function impurities(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => PURE_ROOMS.has(roomOf(file.path) ?? ""))
    .flatMap((file) => [
      ...importsOf(file)
        .filter(({ specifier }) => !specifier.startsWith("."))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
      ...IMPURE.filter(({ pattern }) => pattern.test(file.code)).map(
        ({ what }) => `${file.path} uses ${what}`,
      ),
    ]);
}

/**
 * Chains of imports that come back to where they began. Imports of types alone do not count: they
 * are gone when the code runs, and two shapes may well mention each other.
 */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ isTypeOnly }) => !isTypeOnly)
        .flatMap(({ specifier }) => resolveImport(file.path, specifier) ?? []),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) cycles.push([...trail.slice(start), path].join(" → "));
    if (start !== -1 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}

/** Packages that the published code needs and the package does not ask for. */
export function undeclaredPackages(
  files: readonly SourceFile[],
  declared: ReadonlySet<string>,
): readonly string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .map(({ specifier }) => packageOf(specifier))
      .filter((name) => !declared.has(name))
      .map((name) => `${file.path} imports ${name}, which is no dependency of the package`),
  );
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
