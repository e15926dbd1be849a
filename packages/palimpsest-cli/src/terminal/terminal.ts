/**
 * The terminal as commands see it: interactive or not, its width, its colours. Commands get it as an argument,
 * so they run the same in a test. Also prints JSON that is safe for a terminal.
 */
import { type PostgresQueryable, showHidden } from "palimpsest/internal";
import type { PostgresPool } from "palimpsest/postgres";
import { createStyles, type Styles } from "./styles.ts";

/** Reports are never wider: longer lines are hard to follow. */
const MAX_COLUMNS = 120;
/** Columns of a terminal that does not report its width: those of a VT100. */
const FALLBACK_COLUMNS = 80;

export type Environment = Readonly<Record<string, string | undefined>>;

/** One of the two places to write to. */
export interface Terminal {
  readonly columns: number;
  /** Someone is watching: a line may be drawn again. */
  readonly isInteractive: boolean;
  readonly styles: Styles;
  write(text: string): void;
  /** Resolves once what was written has left this process's memory, as far as its reader takes it. */
  drained?(): Promise<void>;
}

/** A pool that the command opened and ends. */
export interface ConnectedPostgres {
  readonly pool: PostgresPool | PostgresQueryable;
  /** Server and database, without a password. */
  readonly place: string;
  end(): Promise<void>;
}

/** The surroundings of a command. */
export interface CliContext {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly folder: string;
  readonly env: Environment;
  /** Aborted when the user presses Ctrl-C or the reader of the output exits. */
  readonly signal: AbortSignal;
  /** Standard input. @defaultValue the process's */
  readonly stdin?: (AsyncIterable<Buffer | string> & { readonly isTTY?: boolean | undefined }) | undefined;
  /** Opens the database that a URL names. @defaultValue with `pg` */
  readonly connectPostgres?: (url: string | undefined) => Promise<ConnectedPostgres>;
}

/** The used part of the process's streams. */
interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
  /** True if the stream holds more unread output than it should. */
  readonly writableNeedDrain?: boolean;
  once?(event: "drain" | "close", listener: () => void): unknown;
}

export function openTerminal(stream: OutputStream, env: Environment): Terminal {
  const isInteractive = stream.isTTY === true && env["TERM"] !== "dumb";
  return {
    columns: columnsOf(stream, env),
    isInteractive,
    styles: createStyles({ isColored: isColored(env, isInteractive) }),
    write: (text) => {
      stream.write(text);
    },
    drained: () => drainedOf(stream),
  };
}

async function drainedOf(stream: OutputStream): Promise<void> {
  if (stream.writableNeedDrain !== true || stream.once === undefined) return;
  // If the reader has exited, the stream's error ends the process.
  await new Promise<void>((resolve) => {
    stream.once?.("drain", resolve);
    stream.once?.("close", resolve);
  });
}

/** Width and colours of what is written there; never wider than a reader can follow. */
export function layoutOf({ columns, styles }: Terminal): {
  readonly columns: number;
  readonly styles: Styles;
} {
  return { columns: Math.min(columns, MAX_COLUMNS), styles };
}

/** `NO_COLOR` wins over `FORCE_COLOR`, and both over what the stream is. See no-color.org, force-color.org. */
function isColored(env: Environment, isInteractive: boolean): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force } = env;
  if (no !== undefined && no !== "") return false;
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return isInteractive;
}

function columnsOf(stream: OutputStream, env: Environment): number {
  const given = Number(env["COLUMNS"]);
  const columns = stream.columns ?? (Number.isInteger(given) ? given : 0);
  return columns > 0 ? columns : FALLBACK_COLUMNS;
}

const HIDDEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u007F-\u009F]/gu;

export function printJson(out: Terminal, value: unknown): void {
  const text = JSON.stringify(value, undefined, 2);
  out.write(`${text.replace(HIDDEN, escapeUnits)}\n`);
}

/** A value as one line of JSON, which cannot control a terminal. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(HIDDEN, escapeUnits)}\n`;
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** A stored text. Pipes and files get it as it is; for a terminal, characters that could control it are escaped. */
export function terminalText(text: string, { isInteractive }: Terminal): string {
  const shown = isInteractive ? showHidden(text.replaceAll("\r\n", "\n")) : text;
  return shown.endsWith("\n") ? shown : `${shown}\n`;
}
