/** A context for commands under test: it keeps their output, is not interactive, and has no colours. */
import { createStyles } from "#palimpsest-cli/terminal/styles.ts";
import type { CliContext, Environment, Terminal } from "#palimpsest-cli/terminal/terminal.ts";

export interface CliDouble extends CliContext {
  readonly written: { out: string; err: string };
  readonly stop: AbortController;
}

export function cliDouble({
  folder = "/nowhere",
  env = {},
  columns = 100,
  isInteractive = false,
}: {
  readonly folder?: string;
  readonly env?: Environment;
  readonly columns?: number;
  readonly isInteractive?: boolean;
} = {}): CliDouble {
  const written = { out: "", err: "" };
  const stop = new AbortController();
  const terminal = (name: "out" | "err"): Terminal => ({
    columns,
    isInteractive,
    styles: createStyles({ isColored: false }),
    write: (text) => {
      written[name] += text;
    },
  });
  return { out: terminal("out"), err: terminal("err"), folder, env, signal: stop.signal, written, stop };
}
