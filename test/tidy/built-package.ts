/**
 * The package as npm would install it, in a separate folder. A user's code imports it by name, so that a
 * document's example runs against the published files and not against `src`. Nothing in the working tree is touched.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { compiledLibrary, madeOnce } from "../helpers/compiled-once.ts";
import { ROOT } from "./source.ts";
import { standInArguments } from "./stand-in-provider.ts";

/** The published packages. */
const INSTALLED: readonly string[] = ["palimpsest", "palimpsest-testing", "palimpsest-cli"];
const TIME_LIMIT_MS = 280_000;
const TSC = `${ROOT}node_modules/typescript/bin/tsc`;

/** A block of code in a document. */
export interface Block {
  /** `ts`, `js` or `sh`. */
  readonly language: string;
  readonly code: string;
}

export interface RunOutcome {
  readonly exitCode: number | null;
  /** Standard output and error, as they came. */
  readonly output: string;
}

/** Makes the published packages in a folder, with their dependencies and commands; returns what went wrong, or nothing. */
function install(folder: string): string {
  const into = join(folder, "node_modules");
  const args = [`${ROOT}scripts/build.mjs`, "--publish", compiledLibrary(), into];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) return `${stderr} `;
  const manifests = INSTALLED.map((name) => {
    const manifest = JSON.parse(readFileSync(join(into, name, "package.json"), "utf8")) as Manifest;
    return { folder: join(into, name), ...manifest };
  });
  for (const name of [
    ...manifests.flatMap(({ dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !INSTALLED.includes(name)),
    ),
    "@types/node",
    "@electric-sql/pglite", // A guide keeps sessions in it.
    "zod", // They type a tool with it.
    "@ai-sdk/provider",
    "@ai-sdk/anthropic", // A guide asks a model through it.
    "@opentelemetry/api", // A guide writes spans through it; it comes with an SDK above.
  ]) {
    const link = join(into, name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(`${ROOT}node_modules/${name}`, link, "junction");
  }
  const commands = join(into, ".bin");
  mkdirSync(commands);
  for (const { folder, bin } of manifests)
    for (const [name, target] of Object.entries(bin ?? {})) {
      const script = `#!/bin/sh\nexec "${process.execPath}" "${join(folder, target)}" "$@"\n`;
      writeFileSync(join(commands, name), script, { mode: 0o755 });
    }
  return "";
}

/** A folder in which `palimpsest` is installed, once for all test files of the run; examples run in it. */
export class BuiltPackage {
  readonly #folder = mkdtempSync(join(tmpdir(), "palimpsest-package-"));
  readonly #installed = join(madeOnce("installed", install), "node_modules");

  constructor() {
    symlinkSync(this.#installed, join(this.#folder, "node_modules"), "junction");
    writeFileSync(join(this.#folder, "package.json"), JSON.stringify({ type: "module" }));
  }

  /** The folder of an installed package. */
  folderOf(name: string): string {
    return join(this.#installed, name);
  }

  /**
   * Runs blocks of a document. TypeScript is checked in one go; what compiles and the JavaScript run in one process,
   * shell lines one block after the other.
   */
  runBlocks(blocks: readonly Block[]): readonly RunOutcome[] {
    const outcomes = new Map<Block, RunOutcome>();
    const modules = new Map<Block, string>();
    const typed = blocks.filter(({ language }) => language === "ts");
    const compiled = this.#compile(typed.map(({ code }) => code));
    typed.forEach((block, index) => {
      const { code, errors } = compiled[index]!;
      if (errors === "") modules.set(block, code);
      else outcomes.set(block, { exitCode: 1, output: errors });
    });
    for (const block of blocks)
      if (block.language === "js") modules.set(block, block.code);
      else if (block.language === "sh") outcomes.set(block, this.runShell(block.code));
    const ran = this.runModules([...modules.values()]);
    [...modules.keys()].forEach((block, index) => {
      outcomes.set(block, ran[index]!);
    });
    return blocks.map((block) => outcomes.get(block)!);
  }

  /** Compiles TypeScript: the JavaScript of each, and what is wrong with it. */
  #compile(codes: readonly string[]): readonly { readonly code: string; readonly errors: string }[] {
    const names = codes.map((_, index) => `typed-${index}`);
    names.forEach((name, index) => {
      writeFileSync(join(this.#folder, `${name}.ts`), codes[index]!);
    });
    const files = names.map((name) => `${name}.ts`);
    writeFileSync(
      join(this.#folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: EXAMPLE_CONFIG, files }),
    );
    const { exitCode, output } = this.#run(process.execPath, [TSC, "-p", this.#folder]);
    // An error is a line that begins with its file, and indented lines.
    const errors = output.split(/^(?!\s)/m);
    const isPlaced = errors.every((error) => files.some((file) => error.startsWith(`${file}(`)));
    return names.map((name) => {
      if (exitCode !== 0 && !isPlaced) return { code: "", errors: output };
      return {
        code: readFileSync(join(this.#folder, `${name}.js`), "utf8"),
        errors: errors.filter((error) => error.startsWith(`${name}.ts(`)).join(""),
      };
    });
  }

  /** Compiles the declarations of an installed package, all of them. */
  checkDeclarations(name: string): RunOutcome {
    const config = join(this.#folder, "tsconfig.declarations.json");
    const compilerOptions = { ...EXAMPLE_CONFIG, skipLibCheck: false, noEmit: true };
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions, include: [`node_modules/${name}/dist/**/*.d.ts`], exclude: [] }),
    );
    return this.#run(process.execPath, [TSC, "-p", config]);
  }

  runJavaScript(code: string): RunOutcome {
    writeFileSync(join(this.#folder, "example.mjs"), code);
    return this.#run(process.execPath, [...standInArguments(this.#folder, code), "example.mjs"]);
  }

  /**
   * Runs modules one after the other in one process, which reads the package once; one that fails does not keep
   * the next from running, one that ends the process does.
   */
  runModules(codes: readonly string[]): readonly RunOutcome[] {
    const names = codes.map((_, index) => `example-${index}.mjs`);
    names.forEach((name, index) => {
      writeFileSync(join(this.#folder, name), codes[index]!);
    });
    const report = join(this.#folder, "outcomes.jsonl");
    writeFileSync(report, "");
    writeFileSync(join(this.#folder, "run-modules.mjs"), RUN_MODULES);
    const standIn = standInArguments(this.#folder, codes.join("\n"));
    const whole = this.#run(process.execPath, [...standIn, "run-modules.mjs", ...names]);
    const lines = readFileSync(report, "utf8").split("\n").slice(0, -1);
    const reported = lines.map((line) => JSON.parse(line) as RunOutcome);
    // What ended the process before its time, or made it fail at its end, is the last one's that ran.
    const isWhole = reported.length === codes.length && whole.exitCode === 0;
    const sound = isWhole ? reported : reported.slice(0, codes.length - 1);
    const failed = { exitCode: whole.exitCode === 0 ? null : whole.exitCode, output: whole.output };
    return codes.map((_, index) => sound[index] ?? failed);
  }

  /** Runs shell lines; the first that fails ends them. `npx palimpsest` and `palimpsest` are this package. */
  runShell(code: string): RunOutcome {
    return this.#run("sh", ["-e", "-u", "-c", code]);
  }

  #run(command: string, args: readonly string[]): RunOutcome {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.#folder,
      encoding: "utf8",
      timeout: TIME_LIMIT_MS,
      env: {
        ...process.env,
        HOME: this.#folder,
        PATH: [join(this.#folder, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter),
      },
    });
    return { exitCode: status, output: `${stdout}${stderr}` };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Tells in a file what became of each module and what it wrote, as soon as it is known. */
const RUN_MODULES = `
import { appendFileSync } from "node:fs";
import { inspect } from "node:util";
let output = "";
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream);
  stream.write = (text, ...more) => {
    output += text;
    return write(text, ...more);
  };
}
for (const name of process.argv.slice(2)) {
  output = "";
  try {
    await import("./" + name);
  } catch (error) {
    output += inspect(error);
    process.exitCode = 1;
  }
  appendFileSync("outcomes.jsonl", JSON.stringify({ exitCode: process.exitCode ?? 0, output }) + "\\n");
  process.exitCode = 0;
}
`;

interface Manifest {
  readonly bin?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

const EXAMPLE_CONFIG = {
  target: "ES2023",
  lib: ["ES2023"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  types: ["node"],
  strict: true,
  skipLibCheck: true,
};
