/**
 * Formats errors for users: a code, what happened, what to do.
 */

import type { PalimpsestError, WindowTooSmallError } from "palimpsest";
import {
  AssertionError,
  ERROR_CODES,
  environmentSwitch,
  errorMessage,
  showOnOneLine,
  unclearSwitch,
} from "palimpsest/internal";
import type { Styles } from "./styles.ts";
import type { Environment } from "./terminal.ts";

export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const BUG_HINT =
  "This is a bug in palimpsest. Run it again with PALIMPSEST_DEBUG=1 and report what it prints.";

const ELSEWHERE = "choose another place (TMPDIR, --home, --output, --keep or --html)";

/** Codes that every platform uses for trouble with the disk, with what helps. */
const PLATFORM_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: `The disk is full: free some space on it, or ${ELSEWHERE}.`,
  EDQUOT: `Your disk quota is used up: free some space, or ${ELSEWHERE}.`,
  EROFS: `The disk is read-only: ${ELSEWHERE}.`,
  EACCES: `Check the permissions of the file or folder, or ${ELSEWHERE}.`,
  EPERM: `Check the permissions of the file or folder, or ${ELSEWHERE}.`,
  ENOENT: `A file or folder does not exist: ${ELSEWHERE}.`,
  ENOTDIR: `A file is in the place of a folder: ${ELSEWHERE}.`,
  EIO: `The disk reports an error: ${ELSEWHERE}.`,
  EMFILE: "Too many files are open: raise the limit (ulimit -n) or replay fewer files at once.",
  ENFILE: "The system has too many files open: close some programs and run it again.",
};

export function describeError(error: unknown): ErrorReport {
  if (isPalimpsestError(error)) {
    if (error.code === "WINDOW_TOO_SMALL") return tooSmall(error as WindowTooSmallError);
    const { code, message, hint } = error;
    return { code, message, hint: (code === "STORE_FAILED" ? platformHint(error.cause) : undefined) ?? hint };
  }
  const message = errorMessage(error);
  const hint = error instanceof AssertionError ? undefined : platformHint(error);
  return hint === undefined
    ? { code: "BUG", message, hint: BUG_HINT }
    : { code: "STORE_FAILED", message, hint };
}

/** True for every error of the library. A worker shares the library of its agent, whose classes are others than ours. */
export function isPalimpsestError(error: unknown): error is PalimpsestError {
  const codes: readonly unknown[] = ERROR_CODES;
  return error instanceof Error && codes.includes((error as { readonly code?: unknown }).code);
}

/** Hint for an error of the disk; `undefined` for other errors. */
function platformHint(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  // Making a temporary folder says more exactly what to do.
  if (isPalimpsestError(error) || (error as { syscall?: unknown } | undefined)?.syscall === "mkdtemp")
    return undefined;
  return code !== undefined && Object.hasOwn(PLATFORM_HINTS, code) ? PLATFORM_HINTS[code] : undefined;
}

/** A replay has a recorded prompt and newest round: the window is what can be changed. */
function tooSmall({ code, message, fixedTokens, neededTokens }: WindowTooSmallError): ErrorReport {
  const words =
    fixedTokens === 0
      ? message.replace(
          "system prompt and tools (0) with the newest round need",
          "the newest round alone needs",
        )
      : message;
  // What a window keeps free for a summary is a tenth of it; a quarter more is room to work in.
  const largerK = Math.ceil((neededTokens * 1.25) / 8_000) * 8;
  return { code, message: words, hint: `Replay it in a larger window, such as --window ${largerK}k.` };
}

/** The report in one line, and the stack below it where `PALIMPSEST_DEBUG` asks for it. */
export function formatError(
  error: unknown,
  { styles, env }: { readonly styles: Styles; readonly env: Environment },
): string {
  const line = formatReport(describeError(error), styles);
  const debugging = environmentSwitch(env, "PALIMPSEST_DEBUG");
  if (debugging === "unclear")
    return `${line}\n${unclearSwitch(env, "PALIMPSEST_DEBUG")}; no stack is shown.`;
  return debugging === "on" && error instanceof Error ? `${line}\n${stackOf(error)}` : line;
}

export function formatReport({ code, message, hint }: ErrorReport, styles: Styles): string {
  // The platform's own words, at the end of a message, have no full stop.
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return `${styles.bold(styles.red(code))} ${showOnOneLine(sentence)} ${styles.dim(showOnOneLine(hint))}`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
