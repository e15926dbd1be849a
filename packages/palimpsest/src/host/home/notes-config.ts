/**
 * A user's own template and prompt of session notes, read from the home: `config/session-memory/template.md`
 * and `prompt.md`. What cannot be used never stops a start: it is reported, and the usual one is used.
 */
import { join } from "node:path";
import { errorMessage } from "../../base/errors.ts";
import { readTemplate } from "../../notes/template.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { withFile } from "../../stores/files/replace/whole-file.ts";
import type { HomeProblem, NotesConfig } from "./home-types.ts";

/**
 * Largest template or prompt of session notes that is read, in bytes. Source: our choice: twenty times the usual
 * template.
 */
const NOTES_CONFIG_LIMIT_BYTES = 65_536;

type Found = { readonly text?: string; readonly problem?: string };

/** Their paths in a home. */
const notesConfigPaths = (home: string): { readonly template: string; readonly prompt: string } => ({
  template: join(home, "config", "session-memory", "template.md"),
  prompt: join(home, "config", "session-memory", "prompt.md"),
});

/** Reads both. Never throws. */
export function readNotesConfig(home: string, fs: FileSystem): NotesConfig {
  const paths = notesConfigPaths(home);
  const template = usable(readWhole(paths.template, fs), whyNoTemplate);
  const prompt = usable(readWhole(paths.prompt, fs), (text) =>
    text.trim() === "" ? "It is empty" : undefined,
  );
  const problem = (path: string, { problem: why }: Found): readonly HomeProblem[] =>
    why === undefined ? [] : [{ path, detail: `${why}; the usual one is used.` }];
  return {
    template: template.text,
    prompt: prompt.text,
    problems: [...problem(paths.template, template), ...problem(paths.prompt, prompt)],
  };
}

function usable(found: Found, whyNot: (text: string) => string | undefined): Found {
  const why = found.text === undefined ? undefined : whyNot(found.text);
  return why === undefined ? found : { problem: why };
}

function whyNoTemplate(text: string): string | undefined {
  const read = readTemplate(text);
  if (read.ok) return undefined;
  return read.problem === "no-headings" ? "It has no headings" : "It has two sections of one title";
}

function readWhole(path: string, fs: FileSystem): Found {
  try {
    const stat = fs.stat(path);
    if (stat === undefined) return {};
    if (stat.isLink) return { problem: "It is a symbolic link, which is not followed" };
    return withFile(fs, path, "read", (file) => {
      const bytes = file.size();
      if (bytes > NOTES_CONFIG_LIMIT_BYTES)
        return { problem: `It has ${bytes} bytes, more than ${NOTES_CONFIG_LIMIT_BYTES}` };
      return { text: new TextDecoder("utf-8", { fatal: true }).decode(file.read(0, bytes)) };
    });
  } catch (error) {
    if (error instanceof TypeError) return { problem: "It is not UTF-8 text" };
    return { problem: `It cannot be read (${errorMessage(error)})` };
  }
}
