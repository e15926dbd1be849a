/**
 * The work of the demo's agent: which tool it calls next, given what the last ones answered.
 *
 * It reads file by file, looks up names it met, counts lines and looks at the history of the
 * checkout; when it has seen everything it begins again at other places. The same folder gives the
 * same work.
 */
import { DEMO_DEFAULTS } from "../defaults/cli.ts";
import type { DemoStory } from "./demo-facts.ts";
import { HAS_SHELL, shellQuote } from "./demo-shell.ts";
import type { DemoToolCall } from "./demo-tools.ts";
import type { Workspace, WorkspaceFile } from "./demo-workspace.ts";

/** What the agent does in one response: a few words, and calls that run side by side. */
interface WorkStep {
  readonly words: string;
  readonly calls: readonly DemoToolCall[];
}

/** Steps without an end. Each is given the answers to the calls of the step before. */
export type DemoWork = Generator<WorkStep, never, readonly string[]>;

/** Files that are read side by side. */
const FILES_A_STEP = 2;
/** Places of a file that the agent notes down. */
const FINDINGS_A_FILE = 10;
/** A numbered line that begins a definition in one of the usual languages, or a heading. */
const DEFINITION =
  /^ *(\d+)\t *((?:export |public |pub |async |static )*(?:function|class|interface|type|const|def|func|fn|struct|enum|impl|module|#{1,3}) [^\s(={:;][^(={:;\n]{0,60})/gm;
/** After so many steps of reading, the agent counts lines or looks at a folder. */
const STEPS_BETWEEN_COUNTS = 4;

export function* planWork(
  workspace: Workspace,
  { firstWords, firstCommand }: Pick<DemoStory, "firstWords" | "firstCommand">,
): DemoWork {
  yield { words: firstWords, calls: overview(workspace, firstCommand) };
  let learned = "";
  for (let pass = 0; ; pass++) {
    for (let index = 0; index < workspace.files.length; index += FILES_A_STEP) {
      const files = workspace.files.slice(index, index + FILES_A_STEP);
      const answers = yield withWords(learned, readStep(files, pass));
      learned = files.map((file, at) => findings(file.path, answers[at] ?? "")).join("\n");
      const name = rarestName(answers.join("\n"), index + pass);
      if (name !== undefined) {
        yield withWords(learned, lookUp(name));
        learned = "";
      }
      const stepsDone = index / FILES_A_STEP;
      if (stepsDone % STEPS_BETWEEN_COUNTS === STEPS_BETWEEN_COUNTS - 1)
        yield lookAround(workspace, files, stepsDone);
    }
  }
}

function withWords(before: string, step: WorkStep): WorkStep {
  return before === "" ? step : { ...step, words: `${before}\n\n${step.words}` };
}

function lookUp(name: string): WorkStep {
  return {
    words: `${name} matters here; where else is it used?`,
    calls: [{ name: "Grep", input: { pattern: name } }],
  };
}

function overview({ isGitCheckout }: Workspace, firstCommand: string | undefined): readonly DemoToolCall[] {
  const history = "git log --oneline | head -n 20";
  return [
    ...(firstCommand === undefined ? [] : [shell(firstCommand)]),
    { name: "LS", input: { path: "." } },
    ...(isGitCheckout && HAS_SHELL ? [shell(history)] : []),
  ];
}

/** The first time from the top, later from further down, where a file is long enough. */
function readStep(files: readonly WorkspaceFile[], pass: number): WorkStep {
  const offset = 1 + pass * Math.floor(DEMO_DEFAULTS.readLinesCount / 4);
  const again = pass === 0 ? "" : " once more";
  return {
    words: `Now ${files.map((file) => file.path).join(" and ")}${again}.`,
    calls: files.map((file) => ({
      name: "Read",
      // A file that ends before the offset is read from its start: there is always something to see.
      input: { file_path: file.path, ...(pass > 0 && file.bytes > offset * 30 ? { offset } : {}) },
    })),
  };
}

function lookAround(workspace: Workspace, files: readonly WorkspaceFile[], turn: number): WorkStep {
  const folder = workspace.folders[Math.floor(turn / STEPS_BETWEEN_COUNTS) % workspace.folders.length] ?? ".";
  const listing: DemoToolCall = { name: "LS", input: { path: folder } };
  const counting = shell(`wc -l -- ${files.map((file) => shellQuote(file.path)).join(" ")}`);
  return { words: `A look at ${folder} before I go on.`, calls: HAS_SHELL ? [listing, counting] : [listing] };
}

function shell(command: string): DemoToolCall {
  return { name: "Bash", input: { command } };
}

/** What the agent notes down of a file it has just read: what is defined where. */
function findings(path: string, answer: string): string {
  const definitions = [...answer.matchAll(DEFINITION)].slice(0, FINDINGS_A_FILE);
  const places = definitions.map(([, line, what]) => `line ${line} ${what}`);
  return `${path}: ${places.length === 0 ? "nothing is defined there" : places.join("; ")}.`;
}

/** A name that occurs seldom in what was just read, and so is probably defined or decided there. */
function rarestName(text: string, turn: number): string | undefined {
  const counts = new Map<string, number>();
  for (const [name] of text.matchAll(/\b[A-Za-z_][A-Za-z0-9_]{7,39}\b/g)) {
    if (/[a-z][A-Z]|_/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].filter(([, count]) => count >= 2 && count <= 4).map(([name]) => name);
  return names[turn % Math.max(1, names.length)];
}
