/**
 * Reads what an entry file gives to the users of the package, and how it is documented.
 */
import { resolveImport } from "./layout.ts";
import type { SourceFile } from "./source.ts";

export interface ExportedName {
  readonly name: string;
  /** The file that it is exported from, and its name there. */
  readonly from: string;
  readonly original: string;
  readonly isType: boolean;
}

const RE_EXPORT = /\bexport\s+(type\s+)?\{([^}]*)\}\s*from\s*(["'])/g;
const DECLARED =
  /^export\s+(?:declare\s+)?(?:async\s+)?(function\*?|const|let|class|abstract\s+class|interface|type)\s+([A-Za-z_$][\w$]*)/gm;

/** The names that `file` exports, its own declarations and what it passes on. */
export function exportsOf({ path, text, code }: SourceFile): readonly ExportedName[] {
  const passedOn = [...code.matchAll(RE_EXPORT)].flatMap((match) => {
    const start = match.index + match[0].length;
    const specifier = text.slice(start, code.indexOf(match[3] ?? '"', start));
    const from = resolveImport(path, specifier) ?? specifier;
    return (match[2] ?? "")
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map((item) => {
        const [original = "", name = original] = item.replace(/^type\s+/, "").split(/\s+as\s+/);
        return { name, from, original, isType: match[1] !== undefined || /^type\s/.test(item) };
      });
  });
  const declared = [...code.matchAll(DECLARED)].map(([, keyword, name = ""]) => ({
    name,
    from: path,
    original: name,
    isType: keyword === "interface" || keyword === "type",
  }));
  return [...passedOn, ...declared];
}

/** Names that two files of a package declare and export, as `package: name`, in order. */
export function namesExportedTwice(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files)
    for (const { name, from } of exportsOf(file)) {
      const key = `${file.path.split("/")[1]}: ${name}`;
      if (from === file.path) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return [...counts].flatMap(([key, count]) => (count > 1 ? [key] : [])).sort();
}

/** Exported names that no other file mentions, as `path: name`. */
export function unusedExports(
  files: readonly SourceFile[],
  others: readonly SourceFile[] = [],
): readonly string[] {
  const mentions = new Map<string, number>();
  for (const { text } of [...files, ...others])
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
      mentions.set(word, (mentions.get(word) ?? 0) + 1);
  return files.flatMap((file) =>
    exportsOf(file)
      .filter(({ name, from }) => from === file.path && mentions.get(name) === 1)
      .map(({ name }) => `${file.path}: ${name}`),
  );
}

/** Exported names whose declaration has no doc comment in front of it. */
export function undocumented(
  entries: readonly SourceFile[],
  files: ReadonlyMap<string, SourceFile>,
): readonly string[] {
  const missing = new Set<string>();
  for (const entry of entries) {
    for (const exported of exportsOf(entry)) {
      const found = declarationOf(exported, files);
      if (found === undefined) missing.add(`${entry.path}: ${exported.name} is declared nowhere`);
      else if (!/\*\/\s*$/.test(found.file.text.slice(0, found.index)))
        missing.add(`${found.file.path}: ${exported.original} has no doc comment`);
      else if (/@internal\b/.test(commentBefore(found.file.text, found.index)))
        missing.add(`${found.file.path}: ${exported.original} is internal and exported`);
    }
  }
  return [...missing];
}

function commentBefore(text: string, index: number): string {
  return text.slice(text.lastIndexOf("/**", index), index);
}

/** Follows re-exports to the file that declares the name. */
function declarationOf(
  exported: ExportedName,
  files: ReadonlyMap<string, SourceFile>,
  depth = 0,
): { readonly file: SourceFile; readonly index: number } | undefined {
  const file = files.get(exported.from);
  if (file === undefined || depth > 8) return undefined;
  for (const match of file.code.matchAll(DECLARED))
    if (match[2] === exported.original) return { file, index: match.index };
  const next = exportsOf(file).find(({ name, from }) => name === exported.original && from !== file.path);
  return next === undefined ? undefined : declarationOf(next, files, depth + 1);
}
