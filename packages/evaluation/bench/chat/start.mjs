/** Starts `palimpsest chat` in a terminal, and times its first screens. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../../palimpsest-cli/bin/palimpsest.mjs", import.meta.url));
/** `prompt`: keys are taken. `open`: the session, its model and tools are there, and the status line says what is left. */
const MARKS = { prompt: "Opening", open: " left" };

export async function timeStart({ folder, env, args = [] }) {
  const words = [process.execPath, PROGRAM, "chat", ...args].map((word) => `'${word}'`).join(" ");
  const begun = performance.now();
  // `script` gives the program a terminal.
  const child = spawn("script", ["-qfec", words, "/dev/null"], {
    ...{ cwd: folder, env: { ...process.env, TERM: "xterm-256color", NODE_ENV: "production", ...env } },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const seen = {};
  let text = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error(`The chat ended: ${text}`)));
    child.stdout.on("data", (piece) => {
      text += piece;
      for (const [name, mark] of Object.entries(MARKS))
        if (seen[name] === undefined && text.includes(mark)) seen[name] = performance.now() - begun;
      if (Object.keys(seen).length === Object.keys(MARKS).length) resolve();
    });
  });
  // Ctrl-D in an empty input ends the chat.
  child.stdin.write("\u0004");
  await ended;
  return seen;
}
