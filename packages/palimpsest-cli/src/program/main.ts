#!/usr/bin/env node
/**
 * The process around the command line: streams, signals, exit codes. Everything else is in
 * `program.ts`, which does not touch the process.
 */
import { readFileSync } from "node:fs";
import { formatError, formatReport } from "../terminal/error-report.ts";
import { removeTempFolders } from "../terminal/temp-folder.ts";
import { type CliContext, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { runCli } from "./program.ts";

/** Signals that stop the command, with the exit code that shells expect (128 + number). */
const EXIT_CODE_OF_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;

type EndingSignal = keyof typeof EXIT_CODE_OF_SIGNAL;

const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

const stop = new AbortController();
let stoppedBy: EndingSignal | undefined;
/** The exit code once the output cannot be written. */
let codeOfLostOutput: number | undefined;

/** Time to clean up after the first signal, in milliseconds: users do not wait longer for a command to stop. */
const GRACE_MS = 2_000;
/** The same once the output is lost: the user did not ask it to stop, and a slow disk may need the time. */
const LOST_OUTPUT_GRACE_MS = 15_000;

/**
 * The first signal asks the command to clean up and end; if it cannot (a disk that does not answer), it
 * ends after `GRACE_MS`. The second signal does not wait.
 */
function onSignal(signal: EndingSignal): void {
  if (stoppedBy !== undefined) endNow(signal);
  stoppedBy = signal;
  stop.abort();
  setTimeout(() => endNow(signal), GRACE_MS).unref();
}

/**
 * The output cannot be written: the command stops as after a signal, so that its session is closed. If only the reader has
 * exited (`| head`), that is not an error to report.
 */
function onLostOutput(error: NodeJS.ErrnoException, err: Terminal): void {
  if (codeOfLostOutput !== undefined) return;
  const isReaderGone = error.code === "EPIPE";
  codeOfLostOutput = isReaderGone ? EXIT_CODE_OF_SIGNAL.SIGPIPE : 1;
  process.exitCode = codeOfLostOutput;
  const report = {
    code: "STORE_FAILED",
    message: `The output could not be written: ${error.message}`,
    hint: "Write it to another place, or free some space on its disk.",
  };
  if (!isReaderGone) process.stderr.write(`${formatReport(report, err.styles)}\n`);
  stop.abort();
  setTimeout(() => exitNow(codeOfLostOutput ?? 1), LOST_OUTPUT_GRACE_MS).unref();
}

function endNow(signal: EndingSignal): never {
  removeTempFolders();
  for (const name of SIGNALS) process.removeAllListeners(name);
  // A file call that hangs would block an orderly exit forever. The signal itself, which has no
  // listener now, does not wait; shells see the same code.
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

/** The shell's current folder may have been removed: then paths of the command line mean nothing. */
function workingFolder(err: Terminal): string {
  try {
    return process.cwd();
  } catch {
    const report = {
      code: "INPUT_NOT_FOUND",
      message: "The current folder was removed.",
      hint: "Change to another folder and run it again.",
    };
    process.stderr.write(`${formatReport(report, err.styles)}\n`);
    return exitNow(1);
  }
}

async function main(): Promise<void> {
  const terminal = openTerminal(process.stderr, process.env);
  // A command that stops because its output is lost has nothing else to say.
  const err: Terminal = {
    ...terminal,
    write: (text) => {
      if (codeOfLostOutput === undefined) terminal.write(text);
    },
  };
  const context: CliContext = {
    out: openTerminal(process.stdout, process.env),
    err,
    folder: workingFolder(err),
    env: process.env,
    signal: stop.signal,
  };
  for (const signal of SIGNALS) process.on(signal, () => onSignal(signal));
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => onLostOutput(error, err));
  const onBug = (error: unknown): never => {
    process.stderr.write(`${formatError(error, { styles: context.err.styles, env: process.env })}\n`);
    return exitNow(1);
  };
  process.on("uncaughtException", onBug);
  process.on("unhandledRejection", onBug);
  process.on("exit", removeTempFolders);

  const code = await runCli(process.argv.slice(2), context, packageVersion());
  // Set instead of calling `process.exit`: output that is still buffered for a pipe must arrive.
  process.exitCode = codeOfLostOutput ?? (stoppedBy === undefined ? code : EXIT_CODE_OF_SIGNAL[stoppedBy]);
}

await main();
