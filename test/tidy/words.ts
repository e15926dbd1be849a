/**
 * Words that must not be in the repository: unfinished work, private machines, secrets, errors
 * without advice, tests that are switched off.
 */
import { lineOf, type SourceFile } from "./source.ts";

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
  /** Looks at code only, or at comments and strings as well. */
  readonly in: "code" | "text";
  readonly except?: (path: string) => boolean;
}

/** True for files that imitate the platform's own errors, for code that reads their `code`. */
const IMITATES_THE_PLATFORM = (path: string): boolean =>
  /^packages\/palimpsest-testing\/src\/|^packages\/palimpsest\/src\/(?:stores|adapters)\/in-memory\//.test(
    path,
  );

export const SOURCE_RULES: readonly Rule[] = [
  {
    what: "a plain Error, which nobody can tell from a bug: assert, or throw a PalimpsestError",
    pattern: /\bnew\s+(?:Type|Range|Syntax|Reference|Aggregate)?Error\s*\(/g,
    in: "code",
    except: IMITATES_THE_PLATFORM,
  },
  {
    what: "an error class of its own outside base/, what implements ports, and palimpsest-testing",
    pattern: /\bextends\s+(?:Type|Range|Syntax)?Error\b/g,
    in: "code",
    except: (path) =>
      /^packages\/palimpsest-testing\/src\/|^packages\/palimpsest\/src\/(?:(?:adapters|stores|models|runtime)\/|base\/(?:assert|errors)\.ts$)/.test(
        path,
      ),
  },
  { what: "a default export", pattern: /\bexport\s+default\b/g, in: "code" },
  { what: "export *", pattern: /\bexport\s*\*/g, in: "code" },
  {
    what: "an enum or a namespace, which types cannot be stripped from",
    pattern: /\b(?:enum|namespace)\s+\w+\s*\{/g,
    in: "code",
  },
  { what: "any", pattern: /[:<|&(,]\s*any\b(?!\s*[:(])|\bas\s+any\b/g, in: "code" },
  {
    what: "a list spread into arguments, of which a call takes a limited number: see base/lists.ts",
    pattern: /(?:\.(?:push|unshift)\(|\bMath\.(?:max|min)\()(?:[\w.!]+, )?\.\.\./g,
    in: "code",
    except: (path) => !path.startsWith("packages/palimpsest/src/"),
  },
  {
    what: "a switched-off check",
    pattern: /@ts-(?:ignore|nocheck|expect-error)|biome-ignore-all/g,
    in: "text",
  },
];

export const TEST_RULES: readonly Rule[] = [
  { what: "a test that runs alone", pattern: /\b(?:it|test|describe)\s*\.\s*only\b/g, in: "code" },
  {
    what: "a test that is switched off",
    pattern: /\b(?:it|test|describe)\s*\.\s*(?:skip|todo|fails)\b(?!If)|\bx(?:it|describe)\s*\(/g,
    in: "code",
  },
];

const slash = "/";
/** Written in pieces, so that this file does not break its own rules. */
export const TEXT_RULES: readonly Rule[] = [
  {
    what: "a reference to a document that readers do not have: name a section of where-the-numbers-come-from.md",
    pattern: new RegExp(
      `\\b(?:SP${"EC"}\\b|fact${"s"}/|performance ${"notes"}\\b)|Source:[^\\n]*\`fact${"s"}\``,
      "g",
    ),
    in: "text",
  },
  {
    what: "unfinished work",
    pattern: new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|")})\\b`, "g"),
    in: "text",
  },
  {
    what: "a path of somebody's machine",
    pattern: new RegExp(
      `(?<![\\w.~$}-])${slash}(?:work|root|(?:home|Users)${slash}(?!(?:user|dev|me|sessions)\\b)\\w+)${slash}`,
      "g",
    ),
    in: "text",
  },
  {
    what: "a secret",
    pattern:
      /\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}|gh[pousr]_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|xox[abp]-[0-9A-Za-z-]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY-----)/g,
    in: "text",
  },
];

/** Every place where a rule is broken, as `path:line: what`. */
export function wordsFound(files: readonly SourceFile[], rules: readonly Rule[]): readonly string[] {
  return files.flatMap((file) =>
    rules
      .filter((rule) => rule.except?.(file.path) !== true)
      .flatMap((rule) => {
        const text = rule.in === "code" ? file.code : file.text;
        return [...text.matchAll(rule.pattern)].map(
          (match) => `${file.path}:${lineOf(text, match.index)}: ${rule.what}`,
        );
      }),
  );
}
