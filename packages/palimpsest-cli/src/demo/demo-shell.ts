/**
 * The demo's shell: runs a harmless command in the workspace, for a limited time and output.
 */
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { cutHead } from "palimpsest/internal";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";

/** Whether there is a shell that understands the demo's commands. */
export const HAS_SHELL = process.platform !== "win32";

/** What the command printed, both streams together. Never rejects: trouble is part of the answer, as in any shell. */
export function runShell(
  command: string,
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], {
      cwd: root,
      env: environment(root),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: DEMO_DEFAULTS.shellTimeoutMs,
      signal,
    });
    let output = "";
    const keep = (chunk: string): void => {
      if (output.length < DEMO_DEFAULTS.shellCharacters) output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.on("error", (error) => resolve(`sh: ${error.message}`));
    child.on("close", (code) => {
      const text = cutHead(output, DEMO_DEFAULTS.shellCharacters);
      resolve(code === 0 ? text : `${text}\n[exit code ${code ?? "none: it was stopped"}]`);
    });
  });
}

/** A name as one word of a command. */
export function shellQuote(name: string): string {
  return `'${name.replaceAll("'", "'\\''")}'`;
}

function environment(root: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    LC_ALL: "C",
    // Git looks for a checkout in every folder above, and a checkout's own settings can name programs to run.
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "log.showSignature",
    GIT_CONFIG_VALUE_0: "false",
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_VALUE_1: "false",
  };
}
