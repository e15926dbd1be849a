/**
 * Anything that was thrown, as a user can act on it: a code, what happened, what to do.
 */
import { AssertionError } from "../../base/assert.ts";
import { PalimpsestError } from "../../base/errors.ts";
import { printable, type Styles } from "./styles.ts";
import type { Environment } from "./terminal.ts";

export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const BUG_HINT =
  "This is a bug in palimpsest. Run it again with PALIMPSEST_DEBUG=1 and report what it prints.";

/** Codes that every platform uses for trouble with the disk, with what helps. */
const PLATFORM_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "Free some space on the disk, or choose another place with TMPDIR or --keep.",
  EACCES: "Check the permissions of the file or folder.",
  EPERM: "Check the permissions of the file or folder.",
  EROFS: "The disk is read-only: choose another place with TMPDIR or --keep.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n) or replay fewer files at once.",
};

export function describeError(error: unknown): ErrorReport {
  if (error instanceof PalimpsestError) return { code: error.code, message: error.message, hint: error.hint };
  if (error instanceof AssertionError) return { code: "BUG", message: error.message, hint: BUG_HINT };
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const hint = code === undefined ? undefined : PLATFORM_HINTS[code];
  return hint === undefined ? { code: "BUG", message, hint: BUG_HINT } : { code: code!, message, hint };
}

/** The report in one line, and the stack below it where `PALIMPSEST_DEBUG` asks for it. */
export function formatError(
  error: unknown,
  { styles, env }: { readonly styles: Styles; readonly env: Environment },
): string {
  const line = formatReport(describeError(error), styles);
  const isDebugging = env["PALIMPSEST_DEBUG"] === "1";
  return isDebugging && error instanceof Error ? `${line}\n${stackOf(error)}` : line;
}

export function formatReport({ code, message, hint }: ErrorReport, styles: Styles): string {
  return `${styles.bold(styles.red(code))} ${printable(message)} ${styles.dim(printable(hint))}`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
