/** The chat in a real terminal: tmux, a scripted provider over HTTP, and the compiled command. */
import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { compiledLibrary, testFolder } from "../../../../../test/helpers/compiled-once.ts";
import type { ChatPlace } from "../chat-double.ts";

/** A net against hanging, in milliseconds; nothing is judged by it. */
const LIMIT_MS = 120_000;
/** Between two looks at a screen. */
const LOOK_MS = 50;
const inBackground = promisify(execFile);

/** A terminal of a test. Close it. */
export class TmuxChat {
  readonly #socket = join(testFolder(), "tmux");

  /** Starts `palimpsest chat` with these arguments. */
  constructor(
    place: ChatPlace,
    {
      columns = 80,
      rows = 30,
      args,
      env = {},
    }: {
      readonly columns?: number;
      readonly rows?: number;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    },
  ) {
    const main = join(compiledLibrary(), "palimpsest-cli/dist/program/main.js");
    const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
    const all = { ...place.env, LANG: "C.UTF-8", NODE_ENV: "production", ...env };
    const script = join(testFolder(), "start.sh");
    const exports = Object.entries(all).map(([name, value]) => `export ${name}='${value}'\n`);
    writeFileSync(
      script,
      `${exports.join("")}cd '${place.folder}'\n${quoted([process.execPath, main, "chat", ...args])}\necho "exit code $?"\nexec cat\n`,
    );
    this.run(
      "-f",
      "/dev/null",
      "-u",
      "new-session",
      "-d",
      "-x",
      `${columns}`,
      "-y",
      `${rows}`,
      `sh '${script}'`,
    );
  }

  run(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args], { encoding: "utf8", maxBuffer: 1e9 });
  }

  /** Types a text, then keys by their tmux names. */
  type(text: string, ...keys: readonly string[]): void {
    if (text !== "") this.run("send-keys", "-l", text);
    if (keys.length > 0) this.run("send-keys", ...keys);
  }

  /** Pastes as a terminal does. */
  paste(text: string): void {
    const file = join(testFolder(), "pasted");
    writeFileSync(file, text);
    this.run("load-buffer", file);
    this.run("paste-buffer", "-p");
  }

  /** The lines on the screen; with `all`, those that scrolled out as well. */
  screen(all: "visible" | "all" = "visible"): string {
    const from = all === "all" ? ["-S", "-"] : [];
    return this.run("capture-pane", "-p", ...from).trimEnd();
  }

  /** The screen with the escape sequences of its colours. */
  coloured(): string {
    return this.run("capture-pane", "-p", "-e");
  }

  /** Resolves with the screen once it has this, and nothing runs. */
  idle(what: RegExp): Promise<string> {
    return this.until(what, (screen) => !/[◐◓◑◒]/.test(screen));
  }

  /** Resolves with the screen once it has this. The provider runs in this process, so looking must not block it. */
  async until(what: RegExp, isAll: (screen: string) => boolean = () => true): Promise<string> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const looking = ["-S", this.#socket, "capture-pane", "-p"];
      const { stdout } = await inBackground("tmux", looking, { encoding: "utf8", maxBuffer: 1e9 });
      const screen = stdout.trimEnd();
      if (what.test(screen) && isAll(screen)) return screen;
      if (performance.now() > end) throw new Error(`${what} did not come:\n${screen}`);
      await sleep(LOOK_MS);
    }
  }

  close(): void {
    this.run("kill-server");
  }
}
