#!/usr/bin/env node
/**
 * The process around the command line: streams, signals, exit codes. Everything else is in
 * `program.ts`, which knows nothing of the process.
 */
import { readFileSync } from "node:fs";
import { formatError, formatReport } from "../terminal/error-report.ts";
import { removeTempFolders } from "../terminal/temp-folder.ts";
import { type CliContext, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { runCli } from "./program.ts";

/** Signals that ask for an end, with the exit code that shells expect after them (128 + number). */
const EXIT_CODE_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;

type EndingSignal = keyof typeof EXIT_CODE_OF_SIGNAL;

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

const stop = new AbortController();
let stoppedBy: EndingSignal | undefined;

/** Time for tidying up after the first signal, in milliseconds: whoever stops a command waits no longer. */
const GRACE_MS = 2_000;

/**
 * The first signal asks the command to end, which tidies up; if it does not get to it (a disk that does
 * not answer), it ends anyway. The second one does not wait.
 */
function onSignal(signal: EndingSignal): void {
  if (stoppedBy !== undefined) endNow(signal);
  stoppedBy = signal;
  stop.abort();
  setTimeout(() => endNow(signal), GRACE_MS).unref();
}

function endNow(signal: EndingSignal): never {
  removeTempFolders();
  for (const name of SIGNALS) process.removeAllListeners(name);
  // A file call that hangs would hold up an orderly exit for ever. The signal itself, which nobody
  // catches any more, does not; shells see the same code.
  const isWaiting = process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
  if (isWaiting) process.kill(process.pid, signal);
  process.exit(EXIT_CODE_OF_SIGNAL[signal]);
}

function exitNow(code: number): never {
  removeTempFolders();
  process.exit(code);
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** The folder that the shell stands in may have been removed: then no path of the command line means anything. */
function workingFolder(err: Terminal): string {
  try {
    return process.cwd();
  } catch {
    const report = {
      code: "INPUT_NOT_FOUND",
      message: "The folder you are in is not there any more.",
      hint: "Change to another folder and run it again.",
    };
    process.stderr.write(`${formatReport(report, err.styles)}\n`);
    return exitNow(1);
  }
}

async function main(): Promise<void> {
  const err = openTerminal(process.stderr, process.env);
  const context: CliContext = {
    out: openTerminal(process.stdout, process.env),
    err,
    folder: workingFolder(err),
    env: process.env,
    signal: stop.signal,
  };
  for (const signal of SIGNALS) process.on(signal, () => onSignal(signal));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // Whoever read the output has gone (`| head`): there is nobody left to work for.
      exitNow(error.code === "EPIPE" ? EXIT_CODE_OF_SIGNAL.SIGPIPE : 1);
    });
  }
  const onBug = (error: unknown): never => {
    process.stderr.write(`${formatError(error, { styles: context.err.styles, env: process.env })}\n`);
    return exitNow(1);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  process.on("exit", removeTempFolders);

  const code = await runCli(process.argv.slice(2), context, packageVersion());
  // Set, not forced: output that is still on its way to a pipe must arrive.
  process.exitCode = stoppedBy === undefined ? code : EXIT_CODE_OF_SIGNAL[stoppedBy];
}

await main();
