/**
 * Starts the user's editor. The command is split into words here and started without a shell, so that a path is
 * never run as a command.
 */
import { spawn } from "node:child_process";
import { InputError, OptionError } from "palimpsest";
import type { CliContext, Environment } from "../terminal/terminal.ts";

/** The editor if no variable names one: POSIX requires `vi`. */
const USUAL_EDITOR = process.platform === "win32" ? "notepad" : "vi";

/** The editor's command and its arguments. @throws `OptionError` if a quote is not closed. */
function editorWords(env: Environment): readonly [string, ...string[]] {
  const name = [env["VISUAL"], env["EDITOR"]].find((value) => value !== undefined && value.trim() !== "");
  const [command, ...words] = splitWords(name ?? USUAL_EDITOR);
  return command === undefined ? [USUAL_EDITOR] : [command, ...words];
}

/** Words as a shell splits them: blanks between them, quotes around what holds one, a backslash before what is meant. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\\" && quote !== "'" && at + 1 < text.length && process.platform !== "win32")
      word = (word ?? "") + text[++at]!;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined)
    throw new OptionError({
      message: `The editor ${JSON.stringify(text)} has an unclosed quote.`,
      hint: "Set VISUAL or EDITOR to a command, such as: code --wait",
    });
  return word === undefined ? words : [...words, word];
}

/** Edits a file and resolves once the editor has ended. @throws `InputError` if it cannot be started or fails. */
export async function editFile(path: string, { env, folder }: CliContext): Promise<void> {
  const [command, ...words] = editorWords(env);
  const ended = await new Promise<string | undefined>((resolve, reject) => {
    const child = spawn(command, [...words, path], { stdio: "inherit", cwd: folder, env: { ...env } });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : (signal ?? String(code))));
  }).catch((cause: unknown) => {
    throw failed(`The editor ${JSON.stringify(command)} could not be started`, cause);
  });
  if (ended !== undefined) throw failed(`The editor ${JSON.stringify(command)} ended with ${ended}`);
}

function failed(what: string, cause?: unknown): InputError {
  return new InputError("INPUT_UNREADABLE", {
    message: `${what}.`,
    hint: "Set VISUAL or EDITOR to a command that edits a file, or edit what palimpsest notes path prints.",
    cause,
  });
}
