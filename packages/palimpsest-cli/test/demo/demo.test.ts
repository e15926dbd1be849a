/** The demo, in small: a tiny folder, a small window, everything else as it is. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runDemo } from "#demo/demo-command.ts";
import { writeStory } from "#demo/demo-facts.ts";
import type { DemoJson } from "#demo/demo-json.ts";
import { runDemoTool } from "#demo/demo-tools.ts";
import { readWorkspaceFile, surveyWorkspace } from "#demo/demo-workspace.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";

const SMALL = { targetTokens: 70_000, windowTokens: 16_000 };
const signal = new AbortController().signal;

function aFolder(): string {
  const folder = testFolder();
  mkdirSync(join(folder, "rooms"));
  for (let index = 1; index <= 6; index++) {
    const lines = Array.from(
      { length: 160 },
      (_, line) => `export function openRoom${index}_${line}(load: number) { return load * ${line}; }`,
    );
    writeFileSync(join(folder, "rooms", `room-${index}.ts`), lines.join("\n"));
  }
  return folder;
}

async function demoJson(folder: string): Promise<{ readonly code: number; readonly json: DemoJson }> {
  const context = cliDouble({ folder });
  const code = await runDemo({ folder: ".", json: true, ...SMALL }, context);
  return { code, json: JSON.parse(context.written.out) as DemoJson };
}

/** Programs on the path that make the story's first command end after the one that runs beside it. */
function slowFirstCommand(): string {
  const folder = testFolder();
  const script = (name: string, lines: string) =>
    writeFileSync(join(folder, name), `#!/bin/sh\nPATH="\${PATH#*:}"\n${lines}\nexec ${name} "$@"\n`, {
      mode: 0o755,
    });
  script("git", `[ "$1" != log ] || touch '${folder}/ended'`);
  script("wc", `while [ ! -e '${folder}/ended' ]; do sleep 0.01; done`);
  return folder;
}

describe("demo", () => {
  it("remembers what its first command printed, also if another command ends before it", {
    timeout: 60_000,
  }, async () => {
    const folder = aFolder();
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const path = process.env["PATH"];
    process.env["PATH"] = `${slowFirstCommand()}:${path}`;
    try {
      const { code, json } = await demoJson(folder);
      expect(json.facts.find(({ name }) => name === "a tool's first answer")).toMatchObject({
        expected: "1600",
        isRight: true,
      });
      expect(code).toBe(0);
    } finally {
      process.env["PATH"] = path;
    }
  });

  it("says several times what its window holds, and remembers all of it", { timeout: 30_000 }, async () => {
    const { code, json } = await demoJson(aFolder());
    expect(json.facts.filter((fact) => !fact.isRight)).toEqual([]);
    expect(json).toMatchObject({
      version: 1,
      isSynthetic: false,
      hasPassed: true,
      session: {
        source: { format: "demo" },
        window: { tokens: 16_000 },
        overflows: 0,
        invariants: { broken: 0 },
        rebuild: { different: 0 },
      },
    });
    expect(code).toBe(0);
    expect(json.session.source.tokens).toBeGreaterThanOrEqual(70_000);
    expect(json.session.lossless.recovered).toBe(json.session.lossless.blocks);
    expect(json.billedPeakTokens).toBeLessThanOrEqual(16_000);
    expect(json.facts.map(({ name }) => name)).toEqual([
      "the ticket",
      "a port in a log",
      "the preference",
      "a rule among hundreds",
      "a person in a long paste",
      "the agent's own words",
      "the exact sentence",
      "a remark in passing",
      "a line of a long paste",
      "a tool's first answer",
    ]);
    expect(json.facts.at(-1)).toMatchObject({ expected: "1600" });
    expect(json.facts.some(({ foundBy }) => foundBy !== "window")).toBe(true);
  });

  it("brings its own files where the folder has none, and tells so in words", {
    timeout: 30_000,
  }, async () => {
    const folder = testFolder();
    const context = cliDouble({ folder });
    expect(await runDemo({ folder, ...SMALL }, context)).toBe(0);
    expect(context.written.out).toContain("40 synthetic files");
    expect(context.written.out).toContain("Everything held: nothing was lost, and every answer was right.");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("stops when it is told to and leaves nothing behind", async () => {
    // A folder of its own for temporary ones: other test files run commands at the same time.
    const temporary = testFolder();
    const shared = process.env["TMPDIR"];
    process.env["TMPDIR"] = temporary;
    try {
      const context = cliDouble({ folder: aFolder() });
      setTimeout(() => context.stop.abort(), 150);
      await expect(
        runDemo({ folder: ".", targetTokens: 50_000_000, windowTokens: 16_000 }, context),
      ).rejects.toThrow(expect.objectContaining({ code: "ABORTED" }));
      expect(readdirSync(temporary)).toEqual([]);
      expect(context.written.out).toBe("");
    } finally {
      if (shared === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = shared;
    }
  });

  it.each([
    { folder: "gone", code: "INPUT_NOT_FOUND", why: "there is no such folder" },
    { folder: "file.txt", code: "INPUT_UNREADABLE", why: "it is a file" },
  ])("refuses $folder: $why", async ({ folder, code }) => {
    const parent = testFolder();
    writeFileSync(join(parent, "file.txt"), "text");
    await expect(runDemo({ folder }, cliDouble({ folder: parent }))).rejects.toThrow(
      expect.objectContaining({ code }),
    );
  });
});

describe("the demo's workspace", () => {
  it("holds text files only, and nothing hidden, built, installed, linked or huge", () => {
    const folder = aFolder();
    const outside = testFolder();
    writeFileSync(join(outside, "secret.txt"), "outside");
    symlinkSync(join(outside, "secret.txt"), join(folder, "link.txt"));
    symlinkSync(outside, join(folder, "linked-folder"));
    writeFileSync(join(folder, ".env"), "SECRET=1");
    writeFileSync(join(folder, "data.bin"), new Uint8Array([1, 0, 2]));
    writeFileSync(join(folder, "huge.txt"), "x".repeat(400_001));
    writeFileSync(join(folder, "empty.txt"), "");
    for (const name of ["node_modules", "dist", ".git"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "a.txt"), "not ours");
    }
    const workspace = surveyWorkspace(folder);
    expect(workspace.files.map(({ path }) => path)).toEqual(
      [1, 2, 3, 4, 5, 6].map((index) => `rooms/room-${index}.ts`),
    );
    expect(workspace.folders).toEqual([".", "rooms"]);
    expect(workspace.isGitCheckout).toBe(true);
    for (const path of ["link.txt", "../secret.txt", "/etc/hostname", ".env", "linked-folder/secret.txt"])
      expect(readWorkspaceFile(workspace, path)).toBeUndefined();
  });

  it("does not follow a file that became a link after it was looked at", () => {
    const folder = testFolder();
    const outside = testFolder();
    writeFileSync(join(folder, "a.txt"), "inside");
    const workspace = surveyWorkspace(folder);
    expect(readWorkspaceFile(workspace, "a.txt")).toBe("inside");
    writeFileSync(join(outside, "b.txt"), "outside");
    symlinkSync(join(outside, "b.txt"), join(folder, "c.txt"));
    expect(
      readWorkspaceFile({ ...workspace, files: [{ path: "c.txt", bytes: 7 }] }, "c.txt"),
    ).toBeUndefined();
  });

  it("is told apart by what the user says: other files, other values; the same files, the same", () => {
    const first = surveyWorkspace(aFolder());
    expect(writeStory(first)).toEqual(writeStory({ ...first, root: "elsewhere" }));
    const values = (workspace: typeof first) =>
      writeStory(workspace)
        .facts.map(({ expected }) => expected)
        .join();
    expect(values(first)).not.toBe(values({ ...first, files: first.files.slice(1) }));
  });

  it("holds none of the answers where the workspace is this checkout, the demo's own sources included", () => {
    const source = surveyWorkspace(fileURLToPath(new URL("../../../..", import.meta.url)));
    const texts = source.files.map(({ path }) => readWorkspaceFile(source, path)).join("\n");
    for (const fact of writeStory(source).facts)
      expect(fact.pattern.exec(texts)?.[1], fact.name).toBeUndefined();
  });
});

describe("the demo's tools", () => {
  const folder = testFolder();
  writeFileSync(join(folder, "it's odd.txt"), "one harbour\ntwo\nharbour three\n");
  const workspace = surveyWorkspace(folder);
  it.each([
    { name: "LS", input: { path: "." }, answer: "      30  it's odd.txt", why: "sizes and names" },
    {
      name: "LS",
      input: { path: "gone" },
      answer: "There is no text file in gone.",
      why: "an unknown folder",
    },
    {
      name: "Read",
      input: { file_path: "it's odd.txt", offset: 3 },
      answer: "     3\tharbour three\n     4\t",
      why: "numbered lines",
    },
    {
      name: "Read",
      input: { file_path: "it's odd.txt", offset: 9 },
      answer: "it's odd.txt has 4 lines; there is nothing from line 9 on.",
      why: "behind the end",
    },
    { name: "Read", input: { file_path: "../x" }, answer: "There is no file ../x.", why: "outside" },
    {
      name: "Grep",
      input: { pattern: "harbour" },
      answer: "it's odd.txt:1:one harbour\nit's odd.txt:3:harbour three",
      why: "places",
    },
    { name: "Grep", input: { pattern: "pier" }, answer: "No file has pier.", why: "no place" },
    {
      name: "Bash",
      input: { command: "wc -l -- 'it'\\''s odd.txt'" },
      answer: "3 it's odd.txt\n",
      why: "a real command",
    },
    { name: "Bash", input: { command: "true" }, answer: "(no output)", why: "a silent one" },
    {
      name: "Bash",
      input: { command: "echo no >&2; exit 3" },
      answer: "no\n\n[exit code 3]",
      why: "one that fails",
    },
    { name: "Write", input: {}, answer: "There is no tool Write.", why: "nothing is ever changed" },
    { name: "Read", input: null, answer: "There is no file .", why: "no input at all" },
  ])("$name answers: $why", async ({ name, input, answer }) => {
    expect(await runDemoTool({ name, input }, workspace, signal)).toBe(answer);
  });
});

describe("the workspace", () => {
  it("leaves files alone that may hold secrets", () => {
    const folder = aFolder();
    const names = [
      ...["prod.env", "server.pem", "tls.key", "id_rsa", "aws-credentials.txt", "client_secret.json"],
      ...[".npmrc", ".netrc", "store.p12", "store.pfx", "all.kdbx", "Passwords.md"],
    ];
    for (const name of names) writeFileSync(join(folder, name), "do not read\n");
    expect(surveyWorkspace(folder).files.map(({ path }) => path)).toEqual(
      [1, 2, 3, 4, 5, 6].map((index) => `rooms/room-${index}.ts`),
    );
  });
});
