/** The tarballs, in an empty project: every version of TypeScript and both ways of resolving find every type. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../../test/tidy/markdown.ts";
import { EmptyProject } from "../shared/empty-project.ts";

const FRAMEWORKS = resolve(import.meta.dirname, "../node_modules");
/** Needs the package `fast-check`, whose types are in its own. */
const WITH_A_PEER = "palimpsest-testing/arbitraries";

let project: EmptyProject;
beforeAll(() => {
  project = new EmptyProject();
});
afterAll(() => project?.remove());

describe.each(["5.4", "5", "6", "7"])("With TypeScript %s", (version) => {
  it.each([
    ["NodeNext", "NodeNext"],
    ["ESNext", "Bundler"],
  ])("every entry has its types, module %s, resolution %s", (module, moduleResolution) => {
    const names = ["palimpsest", "palimpsest-testing"]
      .flatMap((name) => project.entriesOf(name))
      .filter((name) => name !== WITH_A_PEER);
    expect(names.length).toBeGreaterThanOrEqual(12);
    const outcome = compile(version, { module, moduleResolution }, importsOf(names));
    expect(outcome).toEqual({ exitCode: 0, output: "" });
  });

  it("would be caught where a type is missing", () => {
    const outcome = compile(
      version,
      { module: "NodeNext", moduleResolution: "NodeNext" },
      `import { notThere } from "palimpsest";\nexport const found = notThere;\n`,
    );
    expect(outcome.exitCode).not.toBe(0);
    expect(outcome.output).toContain("notThere");
  });
});

/** Compiles with nothing installed but the packages: no types of Node, no peers; declarations are checked, too. */
function compile(version: string, options: Readonly<Record<string, string>>, code: string) {
  project.write("index.ts", code);
  const compilerOptions = {
    ...options,
    target: "ES2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: [],
    noEmit: true,
  };
  project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  return project.run(process.execPath, [join(FRAMEWORKS, `typescript-${version}/bin/tsc`), "-p", "."]);
}

function importsOf(names: readonly string[]): string {
  return names
    .map(
      (name, index) =>
        `import * as entry${index} from "${name}";\nexport const all${index} = entry${index};\n`,
    )
    .join("");
}

describe("The tarballs", () => {
  it.each(["palimpsest", "palimpsest-testing", "palimpsest-cli"])("of %s are clean for publint", (name) => {
    const outcome = project.run(process.execPath, [
      join(FRAMEWORKS, "publint/src/cli.js"),
      "--strict",
      project.tarballs.get(name)!,
    ]);
    expect(outcome.output).toContain("All good!");
    expect(outcome.exitCode).toBe(0);
  });

  it.each(["palimpsest", "palimpsest-testing"])("of %s are clean for Are The Types Wrong", (name) => {
    const outcome = project.run(process.execPath, [
      join(FRAMEWORKS, "@arethetypeswrong/cli/dist/index.js"),
      "--profile",
      "esm-only",
      "--format",
      "ascii",
      "--no-emoji",
      project.tarballs.get(name)!,
    ]);
    expect(outcome.output).toMatch(/node16 \(from ESM\): OK \(ESM\)\s+bundler: OK/);
    expect(outcome.exitCode, outcome.output).toBe(0);
  });

  it.each(["palimpsest", "palimpsest-testing"])("of %s have a README whose program runs", (name) => {
    const readme = readFileSync(join(project.folder, "node_modules", name, "README.md"), "utf8");
    const [program] = codeBlocks(readme).filter(({ language }) => language === "ts");
    project.write("readme.ts", program?.code ?? "");
    const types = resolve(import.meta.dirname, "../../node_modules/@types");
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2023",
      strict: true,
      typeRoots: [types],
      types: ["node"],
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["readme.ts"] }));
    const compiled = project.run(process.execPath, [join(FRAMEWORKS, "typescript-7/bin/tsc"), "-p", "."]);
    expect(compiled).toEqual({ exitCode: 0, output: "" });
    const { exitCode, output } = project.run(process.execPath, ["readme.js"]);
    expect(exitCode, output).toBe(0);
    expect(output).toContain("Yes.");
  });

  it("have a README without dead links", () => {
    // A relative link leads nowhere in a tarball: links go to the web or into the page itself.
    for (const name of project.tarballs.keys()) {
      const { output } = project.run("cat", [join("node_modules", name, "README.md")]);
      const targets = [...output.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
      expect(targets.filter((target) => !/^(?:https:\/\/|#)/.test(target))).toEqual([]);
    }
  });
});
