/** The effects of calls on files: paths, views by the shell, uses in order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnownPaths, normalisePath, shellViews } from "#compaction/restore/restore-paths.ts";
import { NamedFiles } from "#compaction/restore/restore-rank.ts";
import { findFileUses } from "#compaction/restore/restore-uses.ts";
import { called, resulted } from "../../../../../test/helpers/restore-messages.ts";

describe("normalisePath", () => {
  it("is the same for a plain path and for one that has to be taken apart", () => {
    const unit = fc.constantFrom("a", "Z", "4", "_", "-", ".", "/", ":", " ", "ж", "\\");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (path) => {
        // Doubled slashes and `./` before a path have no meaning, but are not plain.
        const spelt = path.startsWith("/") ? `/${path}` : `./${path}`;
        if (path.trim() !== "") expect(normalisePath(spelt)).toBe(normalisePath(path));
      }),
      { numRuns: 2_000, examples: [["\\/a:/"]] },
    );
  });

  it.each([
    { path: "\\/a:/", normal: "a:", why: "a backslash does not begin an absolute path, as behind a `./`" },
    { path: "/a/./b//c.ts", normal: "/a/b/c.ts", why: "dots and doubled separators say nothing" },
    { path: "file:///a/b.ts", normal: "/a/b.ts", why: "an address of a file is its path" },
    { path: "/a/../../b.ts", normal: "/b.ts", why: "nothing lies above the root" },
    { path: "../b.ts", normal: "../b.ts", why: "what lies above a relative path is kept" },
    { path: "D:\\x\\y.ts", normal: "D:/x/y.ts", why: "both separators stand in one log on Windows" },
    { path: "a\\b.ts", normal: "a\\b.ts", why: "elsewhere a backslash is part of a name" },
    { path: "  ", normal: undefined, why: "an empty path is none" },
    { path: "a\nb", normal: undefined, why: "two lines are no path" },
  ])("makes $path into $normal: $why", ({ path, normal }) => {
    expect(normalisePath(path)).toBe(normal);
  });

  it.each([" /", "./ ", " / / "])("is none where only spaces are left: '%s'", (text) => {
    expect(normalisePath(text)).toBeUndefined();
  });

  it("is the same the second time, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = normalisePath(text);
        expect(once === undefined ? undefined : normalisePath(once)).toBe(once);
      }),
    );
  });
});

it("takes a relative path for the one absolute path that ends with it", () => {
  const known = new KnownPaths();
  for (const path of ["/p/src/a.ts", "/p/src/index.ts", "/p/lib/index.ts"]) known.add(path);
  expect(known.resolve("src/a.ts")).toBe("/p/src/a.ts");
  expect(known.resolve("index.ts")).toBe("index.ts");
  expect(known.resolve("lib/index.ts")).toBe("/p/lib/index.ts");
});

describe("shellViews", () => {
  it.each([
    {
      command: "cat src/a.ts",
      views: [{ path: "src/a.ts", first: 1, isPlain: true }],
      why: "a file shown whole",
    },
    {
      command: "cd /p && sed -n '10,20p' src/a.ts",
      views: [{ path: "/p/src/a.ts", first: 10, last: 20, isPlain: true }],
      why: "lines of a file, seen from the folder gone to",
    },
    {
      command: "head -n 5 a.ts; cat b.ts",
      views: [
        { path: "a.ts", first: 1, last: 5, isPlain: true },
        { path: "b.ts", first: 1, isPlain: true },
      ],
      why: "two files, one after the other",
    },
    {
      command: "cat a.ts | head -3",
      views: [{ path: "a.ts", first: 1, last: 3, isPlain: true }],
      why: "the first lines of a whole file",
    },
    {
      command: "nl -ba a.ts | sed -n '5,9p'",
      views: [{ path: "a.ts", first: 5, last: 9, isPlain: true }],
      why: "lines of a whole file",
    },
    {
      command: "sed -n '5,9p' a.ts | head -3",
      views: [{ path: "a.ts", first: 5, last: 9, isPlain: false }],
      why: "cut twice, so that the lines are not known",
    },
    {
      command: "git status; cat a.ts",
      views: [{ path: "a.ts", first: 1, isPlain: false }],
      why: "the output is not only the file's",
    },
    {
      command: 'Get-Content -Path "src/a.ts" -TotalCount 80',
      views: [{ path: "src/a.ts", first: 1, last: 80, isPlain: true }],
      why: "the first lines in PowerShell",
    },
    {
      command: "Set-Location -Path C:\\p; Get-Content -Raw -Encoding utf8 src\\a.ts",
      views: [{ path: "C:/p/src/a.ts", first: 1, isPlain: true }],
      why: "a file shown whole, seen from the folder gone to",
    },
    {
      command: "gc a.ts | Select-Object -Skip 10 -First 5",
      views: [{ path: "a.ts", first: 11, last: 15, isPlain: true }],
      why: "lines of a whole file in PowerShell",
    },
    { command: "Get-Content a.ts -Tail 20", views: [], why: "the place of the last lines is not known" },
    { command: "Get-Content a.ts | Select-String x", views: [], why: "a search in PowerShell" },
    { command: "cat a.ts | grep x", views: [], why: "what another program lets through is no reading" },
    { command: "cat a.ts > b.ts", views: [], why: "a copy shows nothing" },
    { command: "cat <<EOF\na.ts\nEOF", views: [], why: "a text typed in is no file" },
    { command: "sed -i s/a/b/ a.ts", views: [], why: "a change in place shows nothing" },
    { command: "head -c 100 a.json", views: [], why: "bytes are a look at what kind of file it is" },
    { command: "cat src/*.ts", views: [], why: "a pattern names no file" },
    { command: "npm test a.ts", views: [], why: "another program" },
  ])("$command: $why", ({ command, views }) => {
    expect(shellViews(command)).toEqual(views);
  });
});

describe("NamedFiles", () => {
  it.each([
    {
      text: "look at a.ts, then `src/a.ts`.",
      path: "/p/src/a.ts",
      isShared: false,
      count: 2,
      why: "by name and by path",
    },
    { text: "data.ts and a.tsx", path: "/p/a.ts", isShared: false, count: 0, why: "parts of other names" },
    {
      text: "index.ts and lib/index.ts",
      path: "/p/lib/index.ts",
      isShared: true,
      count: 1,
      why: "a shared name alone says nothing",
    },
    { text: "src/a.ts", path: "/p/lib/a.ts", isShared: false, count: 0, why: "another folder" },
    {
      text: "./a.ts (a.ts)\n../a.ts",
      path: "/p/a.ts",
      isShared: false,
      count: 3,
      why: "at every place where a name begins",
    },
    { text: "a b.ts.a b.ts", path: "/p/a b.ts", isShared: false, count: 1, why: "a name with a blank" },
    { text: "D:\\p\\a.ts", path: "D:/p/a.ts", isShared: false, count: 1, why: "either separator" },
  ])("counts $count in “$text”: $why", ({ text, path, isShared, count }) => {
    expect(new NamedFiles(text).countMentions(path, isShared)).toBe(count);
  });
});

describe("findFileUses", () => {
  it("takes an approved plan for a file that was written where the answer says that it was saved", () => {
    const answer =
      "User has approved your plan.\n\nYour plan has been saved to: /plans/a-plan.md\n\n## Approved Plan:\n# Title\n\nSteps";
    const { uses } = findFileUses([called(1, "ExitPlanMode", {}), resulted(2, answer)]);
    expect(uses).toMatchObject([
      { path: "/plans/a-plan.md", how: "written", input: { content: "# Title\n\nSteps" } },
    ]);
    expect(findFileUses([called(1, "ExitPlanMode", { plan: "x" }), resulted(2, "Approved.")]).uses).toEqual(
      [],
    );
  });

  it("tells each use with its place, and one that failed as such", () => {
    const { uses, callsCount } = findFileUses([
      called(1, "Read", { file_path: "/p/a.ts", offset: 5, limit: 2 }),
      resulted(2, "     5→five\n     6→six"),
      called(3, "Edit", { file_path: "/p/a.ts", old_string: "x", new_string: "y" }),
      resulted(4, "String not found", true),
      called(5, "Bash", { command: "cd /p && cat a.ts" }),
      resulted(6, "text"),
      called(7, "Bash", { command: "npm test" }),
      resulted(8, "ok"),
    ]);
    expect(callsCount).toBe(4);
    expect(
      uses.map(({ path, how, call, pointer, hasWorked }) => [path, how, call, pointer, hasWorked]),
    ).toEqual([
      ["/p/a.ts", "read", 0, "m2.0", true],
      ["/p/a.ts", "edited", 1, "m3.0", false],
      ["/p/a.ts", "read", 2, "m6.0", true],
    ]);
    expect(uses[0]).toMatchObject({ first: 5, last: 6, text: "     5→five\n     6→six" });
  });

  it.each([
    {
      command: "sed -n '1,2p' a.ts && sed -n '7,7p' b.ts",
      output: "one\ntwo\nseven\n",
      texts: ["one\ntwo", "seven"],
      why: "as many lines as were asked for, so each file's can be told apart",
    },
    {
      command: "sed -n '1,20p' a.ts && sed -n '7,7p' b.ts",
      output: "one\ntwo\nseven\n",
      texts: [undefined, undefined],
      why: "one of them ended earlier",
    },
    {
      command: "cat a.ts",
      output: "Chunk ID: 1f2e3d\nWall time: 0.0 seconds\nProcess exited with code 0\nOutput:\none\n",
      texts: ["one\n"],
      why: "a header is no text of the file",
    },
    {
      command: "cat a.ts",
      output: "one\n…12 tokens truncated…\nend",
      texts: [undefined],
      why: "its middle is missing",
    },
  ])("takes from `$command` what is the file's: $why", ({ command, output, texts }) => {
    const { uses } = findFileUses([called(1, "Bash", { command }), resulted(2, output)]);
    expect(uses.map(({ text }) => text)).toEqual(texts);
  });

  it("knows a file that a command read in its own folder by the path that a patch names, among other copies", () => {
    const patch = "*** Begin Patch\n*** Update File: /b/src/a.ts\n@@\n-one\n+two\n*** End Patch";
    const { uses } = findFileUses([
      called(1, "Read", { file_path: "/a/src/a.ts" }),
      resulted(2, "     1→other"),
      called(3, "exec_command", { cmd: "sed -n '1,5p' src/a.ts", workdir: "/b" }),
      resulted(4, "one\n"),
      called(5, "apply_patch", { input: patch }),
      resulted(6, "Success"),
      called(7, "exec_command", { cmd: "cd src && cat a.ts", workdir: "/b" }),
      resulted(8, "two\n"),
      called(9, "exec_command", { cmd: "cat /c/a.ts", workdir: "/b" }),
      resulted(10, "three\n"),
    ]);
    expect(uses.map(({ path, how }) => [path, how])).toEqual([
      ["/a/src/a.ts", "read"],
      ["/b/src/a.ts", "read"],
      ["/b/src/a.ts", "edited"],
      ["/b/src/a.ts", "read"],
      ["/c/a.ts", "read"],
    ]);
  });

  it.each([
    {
      answer: "Script completed\nWall time 0.1 seconds\nOutput:\n\none\ntwo\n",
      uses: [["/p/src/a.ts", true, 1, 2, "one\ntwo\n"]],
      why: "the command's output is the file's text",
    },
    {
      answer: `Script completed\nWall time 0.1 seconds\nOutput:\n\n${JSON.stringify({ chunk_id: "1f", exit_code: 0, output: "one\ntwo\n" })}`,
      uses: [["/p/src/a.ts", true, 1, 2, "one\ntwo\n"]],
      why: "the whole answer of the command holds its output",
    },
    {
      answer: "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\nno such tool",
      uses: [["/p/src/a.ts", false, 1, 2, undefined]],
      why: "a script that failed showed nothing",
    },
  ])("reads a file that a script shows: $why", ({ answer, uses }) => {
    const script = `const r = await tools.exec_command({cmd:"sed -n '1,2p' src/a.ts","workdir":"/p"}); text(r.output);`;
    const found = findFileUses([called(1, "exec", script), resulted(2, answer)]).uses;
    expect(
      found.map(({ path, hasWorked, first, last, text }) => [path, hasWorked, first, last, text]),
    ).toEqual(uses);
  });

  it("takes a call that nobody answered for a use that did nothing", () => {
    const { uses } = findFileUses([called(1, "Read", { file_path: "/p/a.ts" })]);
    expect(uses.map(({ hasWorked, text }) => [hasWorked, text])).toEqual([[false, undefined]]);
  });
});
