/** The packages from their tarballs in every runtime: the library, its files and the command. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmptyProject } from "../shared/empty-project.ts";

const INSTALLED = resolve(import.meta.dirname, "../node_modules");
const bun = join(INSTALLED, "@oven", `bun-${osName()}-${process.arch}`, "bin/bun");
const deno = join(INSTALLED, "@deno", denoPlatform(), "deno");
const RUNTIMES = [
  { name: `Node ${process.versions.node}`, command: process.execPath, args: [] },
  ...["22", "24"].map((version) => ({
    name: `Node ${version}`,
    command: join(INSTALLED, `node-${version}/bin/node`),
    args: [],
  })),
  { name: "Bun", command: bun, args: [] },
  { name: "Deno", command: deno, args: ["run", "-A"] },
];
for (const { name, command } of RUNTIMES)
  if (!existsSync(command))
    console.warn(`There is no ${name} for this platform in compat/: it is not tested.`);

let project: EmptyProject;
beforeAll(() => {
  project = new EmptyProject("smoke.mjs");
});
afterAll(() => project?.remove());

describe.each(RUNTIMES.filter(({ command }) => existsSync(command)))("With $name", ({ command, args }) => {
  it("the library keeps a session, a memory and a conversation in files", () => {
    expect(project.run(command, [...args, "smoke.mjs"])).toEqual({ exitCode: 0, output: "ok\n" });
  });

  it("the command works", () => {
    const program = join("node_modules/palimpsest-cli/bin/palimpsest.mjs");
    const home = { PALIMPSEST_HOME: join(project.folder, "home") };
    const run = (...rest: readonly string[]) => project.run(command, [...args, program, ...rest], home);
    expect(run("--version")).toEqual({ exitCode: 0, output: "0.1.0\n" });
    const remembered = run("memory", "add", "We deploy on Tuesdays only.");
    expect(remembered.exitCode, remembered.output).toBe(0);
    expect(run("memory", "recall", "When is the deploy?").output).toContain("Tuesdays");
    expect(run("sessions", "list", "--json")).toEqual({
      exitCode: 0,
      output: '{\n  "version": 1,\n  "sessions": []\n}\n',
    });
    expect(run("doctor").output).toContain("Nothing is wrong.");
    expect(run("nonsense").exitCode).not.toBe(0);
  });
});

function osName(): string {
  return process.platform === "win32" ? "windows" : process.platform;
}

function denoPlatform(): string {
  return process.platform === "linux" ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
}
