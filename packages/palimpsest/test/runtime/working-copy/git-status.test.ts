import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readGitStatus } from "#runtime/working-copy/git-status.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";

let folder: string;
let repo: string;
/** Two files and a commit, which repositories of tests are copies of: a copy takes no process. */
let original: string;
beforeAll(() => {
  original = mkdtempSync(join(tmpdir(), "palimpsest-git-"));
  repo = original;
  git("init", "-q");
  writeFileSync(join(repo, "kept.txt"), "one\n");
  writeFileSync(join(repo, "same.txt"), "same\n");
  git("add", ".");
  git("commit", "-qm", "first");
});
afterAll(() => rmSync(original, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-git-"));
  repo = join(folder, "repo");
  mkdirSync(repo);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ENV = { PATH: process.env["PATH"], HOME: tmpdir() };
/** Git may take long on a busy machine; nothing is proved by a status that was given up. */
const statusOf = (workingCopy: string, env: Readonly<Record<string, string | undefined>>) =>
  readGitStatus(workingCopy, env, 100_000);
const git = (...args: readonly string[]): string =>
  execFileSync(
    "git",
    [
      "-C",
      repo,
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@example.org",
      "-c",
      "init.defaultBranch=main",
      ...args,
    ],
    {
      encoding: "utf8",
      env: { ...ENV, GIT_CONFIG_GLOBAL: "/dev/null" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );

const aRepository = (): void => cpSync(original, repo, { recursive: true, preserveTimestamps: true });

/** Adds to the settings of the repository, as `git config` does. */
const configure = (section: string, ...settings: readonly string[]): void =>
  appendFileSync(
    join(repo, ".git", "config"),
    `[${section}]\n${settings.map((one) => `\t${one}\n`).join("")}`,
  );

describe("the state of version control", () => {
  it("is branch and changed files, in short", async () => {
    aRepository();
    writeFileSync(join(repo, "kept.txt"), "two\n");
    writeFileSync(join(repo, "größe.txt"), "");
    expect(await statusOf(repo, ENV)).toEqual({ text: "## main\n M kept.txt\n?? größe.txt" });
  });

  it("is told from below the top of the working copy, and of one without a commit", async () => {
    git("init", "-q");
    mkdirSync(join(repo, "below"));
    writeFileSync(join(repo, "below", "a"), "");
    expect(await statusOf(join(repo, "below"), ENV)).toEqual({
      text: "## No commits yet on main\n?? ./",
    });
  });

  it("is absent without a repository, without git, and for a folder that is not there", async () => {
    expect(await statusOf(repo, { ...ENV, GIT_CEILING_DIRECTORIES: folder })).toEqual({});
    expect(await statusOf(repo, { PATH: folder })).toEqual({});
    const { text, problem } = await statusOf(join(folder, "gone"), ENV);
    expect({ text, reason: problem?.reason }).toEqual({ text: undefined, reason: "unreadable" });
  });

  it("ends at its limit with whole lines and the number of those left out", async () => {
    git("init", "-q");
    const names = Array.from({ length: 300 }, (_, index) => `file-${String(index).padStart(3, "0")}.txt`);
    for (const name of names) writeFileSync(join(repo, name), "");
    const { text = "" } = await statusOf(repo, ENV);
    const lines = text.split("\n");
    const listed = lines.slice(1, -1);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text.length).toBeGreaterThan(1_900);
    expect(listed).toEqual(names.slice(0, listed.length).map((name) => `?? ${name}`));
    expect(lines.at(-1)).toBe(`[… ${300 - listed.length} more lines]`);
  });

  it("shows what hides in the name of a file", async () => {
    git("init", "-q");
    writeFileSync(join(repo, "a\u202Eb.txt"), "");
    expect((await statusOf(repo, ENV)).text).toContain("?? a\\u{202E}b.txt");
  });

  it("takes no settings from inherited variables", async () => {
    aRepository();
    const mark = join(folder, "mark");
    const script = hostileScript(mark);
    const env = { ...ENV, GIT_DIR: folder, GIT_EXTERNAL_DIFF: script, GIT_PAGER: script, GIT_TRACE: mark };
    expect(await statusOf(repo, env)).toEqual({ text: "## main" });
    expect(existsSync(mark)).toBe(false);
  });
});

/** A change, and a file that only looks changed: a plain status writes the index for it, whenever it is run. */
function aChange(): void {
  writeFileSync(join(repo, "kept.txt"), "six\n");
  utimesSync(join(repo, "same.txt"), 1, 1);
}

function hostileScript(mark: string): string {
  const script = join(folder, "hostile.sh");
  writeFileSync(script, `#!/bin/sh\necho ran >> '${mark}'\nexit 1\n`);
  chmodSync(script, 0o700);
  return script;
}

/** Each has something run by a plain `git status`, or by one that only the first two settings protect. */
const HOSTILE: readonly { readonly why: string; readonly set: (script: string) => void }[] = [
  { why: "a file-system monitor", set: (script) => configure("core", `fsmonitor = ${script}`) },
  {
    why: "hooks",
    set: (script) => {
      const hooks = join(repo, "hooks");
      mkdirSync(hooks);
      for (const name of ["post-index-change", "fsmonitor-watchman", "pre-auto-gc"])
        writeFileSync(join(hooks, name), `#!/bin/sh\n'${script}' </dev/null\n`, { mode: 0o700 });
      configure("core", `hooksPath = ${hooks}`);
    },
  },
  { why: "a content filter", set: (script) => setFilter("evil", script) },
  { why: "a filter whose name holds an equals sign", set: (script) => setFilter("a=b", script) },
  {
    why: "a filter whose name holds the words of a key",
    set: (script) => setFilter("a.clean.b", script),
  },
  {
    why: "a filter of an included file",
    set: (script) => {
      const included = join(repo, ".git", "more");
      writeFileSync(included, `[filter "far"]\n\tclean = ${script}\n`);
      configure("include", `path = ${included}`);
      useFilter("far");
    },
  },
  {
    why: "a filter that speaks the long protocol",
    set: (script) => {
      configure('filter "long"', `process = ${script}`);
      useFilter("long");
    },
  },
  {
    why: "a transport of a partial clone",
    set: (script) => {
      configure("extensions", "partialClone = origin");
      configure("core", "repositoryFormatVersion = 1");
      configure('remote "origin"', `url = ext::${script}`, "promisor = true");
      configure('protocol "ext"', "allow = always");
      const tree = git("rev-parse", "HEAD^{tree}").trim();
      rmSync(join(repo, ".git", "objects", tree.slice(0, 2), tree.slice(2)), { force: true });
    },
  },
  {
    why: "a submodule with a monitor of its own",
    set: (script) => {
      const inner = join(repo, "inner");
      const inInner = (...args: readonly string[]): string =>
        git("-C", inner, "-c", "core.fsmonitor=false", ...args);
      mkdirSync(inner);
      inInner("init", "-q");
      inInner("commit", "-qm", "inner", "--allow-empty");
      git("-c", "advice.addEmbeddedRepo=false", "add", "inner");
      inInner("config", "core.fsmonitor", script);
    },
  },
];

function setFilter(name: string, script: string): void {
  configure(`filter "${name}"`, `clean = ${script}`, "required = true");
  useFilter(name);
}

function useFilter(name: string): void {
  writeFileSync(join(repo, ".git", "info", "attributes"), `* filter=${name}\n`);
}

describe("a hostile repository", () => {
  it.each(HOSTILE)("has nothing run: $why", async ({ set }) => {
    aRepository();
    const mark = join(folder, "mark");
    set(hostileScript(mark));
    aChange();
    await statusOf(repo, ENV);
    expect(existsSync(mark)).toBe(false);
    // Nor is anything written.
    expect(readdirSync(join(repo, ".git")).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  it.each(usualFew(HOSTILE, 4))("would have run it with a plain status: $why", ({ set }) => {
    aRepository();
    const mark = join(folder, "mark");
    set(hostileScript(mark));
    aChange();
    try {
      git("status", "--short");
    } catch {
      // What the script answers need not please git.
    }
    expect(existsSync(mark)).toBe(true);
  });
});
