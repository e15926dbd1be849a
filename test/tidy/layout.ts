/**
 * The map that the arrows are checked against: packages, rooms, folders, their rows, and who may see whom.
 *
 * `ARCHITECTURE.md` shows the rows of the rooms to people; a test compares the two. The rows of the folders inside a
 * room are in `folder-rows.json`.
 */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { importsOf, ROOT, type SourceFile } from "./source.ts";

/** Packages by row: imports of siblings go down only. Nothing imports `evaluation`. */
export const PACKAGE_ROWS: readonly (readonly string[])[] = [
  ["palimpsest"],
  ["palimpsest-testing"],
  ["palimpsest-cli", "evaluation"],
];

/** Rooms of the library by row; imports go down only, and never sideways within a row. */
export const ROWS: readonly (readonly string[])[] = [
  ["base"],
  ["transcript"],
  ["ports"],
  ["wire"],
  ["tokens", "importers", "exporters"],
  ["compaction", "notes", "memory", "tasks"],
  ["session"],
  ["agent", "conversation", "stores", "models", "runtime"],
  ["host"],
  ["integrations"],
  ["entries"],
];

/** Rooms that implement ports see only the pure ones, up to this row. */
const IMPLEMENT_PORTS: ReadonlySet<string> = new Set(["stores", "models", "runtime"]);
const HIGHEST_PURE_ROW = 5;

/** Rooms that only compute: values in, values out. */
export const PURE_AREAS: ReadonlySet<string> = new Set(ROWS.slice(0, HIGHEST_PURE_ROW + 1).flat());

/** Rows of the folders of a room (`compaction`) or of a package (`palimpsest-cli`), lowest first; `.` is the room itself. */
export type FolderRows = Readonly<Record<string, readonly (readonly string[])[]>>;

export const FOLDER_ROWS = JSON.parse(
  readFileSync(`${ROOT}test/tidy/folder-rows.json`, "utf8"),
) as FolderRows;

export interface Place {
  readonly packageName: string;
  /** The first folder in the package's `src`; `.` for a file that lies in `src` itself. */
  readonly area: string;
  /** The folder inside the room; `.` for a file that lies in the room itself. */
  readonly folder: string;
}

/** Returns package, room and folder of a source file; `undefined` outside the sources of every package. */
export function placeOf(path: string): Place | undefined {
  const match = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?(.+)$/.exec(path);
  if (match === null) return undefined;
  const [, packageName = "", area = ".", rest = ""] = match;
  return { packageName, area, folder: dirname(rest) };
}

/** The path that a relative import names. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : undefined;
}

/** Files in no room, imports up or sideways, and imports that leave the sources of a package. */
export function wrongArrows(
  files: readonly SourceFile[],
  folderRows: FolderRows = FOLDER_ROWS,
): readonly string[] {
  return files.flatMap((file) => {
    const from = placeOf(file.path);
    if (from === undefined || !isOnMap(from)) return [`${file.path} lies in no room`];
    return importsOf(file).flatMap(({ specifier }) => {
      const target = resolveImport(file.path, specifier);
      if (target === undefined) return [];
      const to = placeOf(target);
      if (to === undefined || !isOnMap(to) || to.packageName !== from.packageName)
        return [`${file.path} imports ${target}, which lies in no room of its package`];
      return isBelow(from, to, folderRows) ? [] : [`${file.path} imports ${target}, which is not below it`];
    });
  });
}

function isOnMap({ packageName, area }: Place): boolean {
  return packageName === "palimpsest" ? rowOf(area) !== -1 : PACKAGE_ROWS.flat().includes(packageName);
}

function isBelow(from: Place, to: Place, folderRows: FolderRows): boolean {
  if (from.packageName !== "palimpsest") {
    const rows = folderRows[from.packageName];
    return (
      isBelowInside(rows, from.area, to.area) &&
      (from.area !== to.area ||
        isBelowInside(folderRows[`${from.packageName}.${from.area}`], from.folder, to.folder))
    );
  }
  if (from.area === to.area) return isBelowInside(folderRows[from.area], from.folder, to.folder);
  const isPort = IMPLEMENT_PORTS.has(from.area);
  return rowOf(to.area) < rowOf(from.area) && (!isPort || rowOf(to.area) <= HIGHEST_PURE_ROW);
}

/** True if one folder of a room may import the other. Without rows, any folder may. */
function isBelowInside(rows: readonly (readonly string[])[] | undefined, from: string, to: string): boolean {
  if (rows === undefined || from === to) return true;
  const own = nearest(rows, from);
  const other = nearest(rows, to);
  if (own === undefined || other === undefined) return false;
  return other.row < own.row || other.name === own.name;
}

/** The longest listed folder that holds this one. */
function nearest(
  rows: readonly (readonly string[])[],
  folder: string,
): { readonly row: number; readonly name: string } | undefined {
  const found = rows.flatMap((names, row) =>
    names
      .filter((name) => name === folder || (name !== "." && folder.startsWith(`${name}/`)))
      .map((name) => ({ row, name })),
  );
  return found.sort((a, b) => b.name.length - a.name.length)[0];
}

function rowOf(area: string): number {
  return ROWS.findIndex((row) => row.includes(area));
}

/** Imports of sibling packages that go up or sideways, and those of a sibling's files instead of its entries. */
export function wrongPackages(files: readonly SourceFile[]): readonly string[] {
  const rowOfPackage = (name: string): number => PACKAGE_ROWS.findIndex((row) => row.includes(name));
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier }) => {
      if (specifier.startsWith("#")) return [`${file.path} imports ${specifier}, as only tests do`];
      const sibling = specifier.split("/")[0] ?? "";
      const from = placeOf(file.path)?.packageName ?? "";
      if (rowOfPackage(sibling) === -1) return [];
      return rowOfPackage(sibling) < rowOfPackage(from) ? [] : [`${file.path} imports ${specifier}`];
    }),
  );
}

/** Imports of the wire oracle from outside itself: it must not depend on the library that it judges. */
export function oracleImports(files: readonly SourceFile[]): readonly string[] {
  const isOracle = (path: string): boolean => path.startsWith("packages/palimpsest-testing/src/wire-oracle");
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

/** Effects in rooms that must have none. `evaluation` is pure too. */
export function impurities(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => isPure(path))
    .flatMap((file) => [
      ...importsOf(file)
        .filter(({ specifier }) => !/^(?:\.|palimpsest(?:-testing)?(?:\/|$))/.test(specifier))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
      ...IMPURE.filter(({ pattern }) => pattern.test(file.code)).map(
        ({ what }) => `${file.path} uses ${what}`,
      ),
    ]);
}

function isPure(path: string): boolean {
  const place = placeOf(path);
  if (place?.packageName === "evaluation") return true;
  return place?.packageName === "palimpsest" && PURE_AREAS.has(place.area);
}

/**
 * Chains of imports that end where they began. Imports of types alone do not count: they
 * are gone when the code runs.
 */
export function importCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = importGraph(files, ({ isTypeOnly }) => !isTypeOnly);
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

function importGraph(
  files: readonly SourceFile[],
  counts: (found: ReturnType<typeof importsOf>[number]) => boolean,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(counts)
        .flatMap(({ specifier }) => resolveImport(file.path, specifier) ?? []),
    ]),
  );
}

/** Files from which a chain of imports, imports of types included, leads back to them; in order. */
export function filesInTypeCycles(files: readonly SourceFile[]): readonly string[] {
  const graph = importGraph(files, () => true);
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    numbers.set(path, numbers.size);
    lowest.set(path, numbers.get(path)!);
    stack.push(path);
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue;
      if (!numbers.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(next)!));
    }
    if (lowest.get(path) !== numbers.get(path)) return;
    const circle = stack.splice(stack.indexOf(path));
    if (circle.length > 1) found.push(...circle);
  };
  for (const path of graph.keys()) if (!numbers.has(path)) visit(path);
  return found.sort();
}

/** Packages that the published code needs and its package does not ask for. */
export function undeclaredPackages(
  files: readonly SourceFile[],
  declared: ReadonlySet<string>,
): readonly string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => !/^(?:\.|#|node:)/.test(specifier))
      .map(({ specifier }) => packageOf(specifier))
      .filter((name) => !declared.has(name))
      .map((name) => `${file.path} imports ${name}, which is no dependency of the package`),
  );
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
