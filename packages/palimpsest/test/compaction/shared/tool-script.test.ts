/** Scripts that call tools: which commands and patches are in them. */
import { describe, expect, it } from "vitest";
import { touchedFiles } from "#compaction/digest/touched-files.ts";
import { commandOf, mainArgument, startFolderOf, toolKind } from "#compaction/shared/tool-kinds.ts";
import { scriptedCalls } from "#compaction/shared/tool-script.ts";

describe("scriptedCalls", () => {
  it.each([
    {
      script: `const r = await tools.exec_command({cmd:"ls \\"a\\"","workdir":'/p', yield_time_ms: 1_000}); text(r.output);`,
      calls: [{ name: "exec_command", input: { cmd: 'ls "a"', workdir: "/p", yield_time_ms: 1000 } }],
      why: "an object with bare and quoted keys",
    },
    {
      script: "const patch = String.raw`*** Begin Patch\\n`;\ntext(await tools.apply_patch(patch));",
      calls: [{ name: "apply_patch", input: "*** Begin Patch\\n" }],
      why: "a name that the script gives to a string",
    },
    {
      script: "const cmd = 'a\\u0062';\nawait tools.exec_command({ cmd });",
      calls: [{ name: "exec_command", input: { cmd: "ab" } }],
      why: "a member that is named like its string",
    },
    {
      script: "await Promise.all([tools.a({ x: [1, -2, true, null] }), tools.b({ y: `c\nd` })])",
      calls: [
        { name: "a", input: { x: [1, -2, true, null] } },
        { name: "b", input: { y: "c\nd" } },
      ],
      why: "several calls, a list, and a template on two lines",
    },
    {
      script: "ids.map(id => tools.exec_command({ cmd: `gh pr view ${id}` }))",
      calls: [{ name: "exec_command", input: {} }],
      why: "an expression is not evaluated",
    },
    {
      script: `// tools.a({ x: 1 }), don't\ntext("tools.b({ y: 2 })"); tools.c()`,
      calls: [{ name: "c", input: {} }],
      why: "strings and comments hold no calls",
    },
    {
      script: `const patch = "one\\n" +\n  "two"; // three\ntools.apply_patch(patch); tools.a({ x: 'a' + "b" });`,
      calls: [
        { name: "apply_patch", input: "one\ntwo" },
        { name: "a", input: { x: "ab" } },
      ],
      why: "strings that are joined",
    },
    {
      script: `const patch = "one" + rest; const text = "one".trim(); tools.a("one" + rest); tools.b("one".trim()); tools.c(patch); tools.d(text);`,
      calls: ["a", "b", "c", "d"].map((name) => ({ name, input: {} })),
      why: "the beginning of an expression is not the whole of it",
    },
    {
      script: `{ const cmd = "a"; tools.x({ cmd }); } { const cmd = "b"; tools.x({ cmd }); } { const cmd = made(); tools.x({ cmd }); }`,
      calls: [
        { name: "x", input: { cmd: "a" } },
        { name: "x", input: { cmd: "b" } },
        { name: "x", input: {} },
      ],
      why: "a name counts as it was defined last",
    },
    {
      script: `tools.a("\\u{1F600} \\u{000041}\\u{110000}")`,
      calls: [{ name: "a", input: "\u{1F600} Au{110000}" }],
      why: "characters by their numbers",
    },
    { script: "ls -la && cat tools.md", calls: [], why: "a command is not a script" },
    {
      script: 'tools.exec_command({ cmd: "no end',
      calls: [{ name: "exec_command", input: {} }],
      why: "cut off",
    },
  ])("finds $calls: $why", ({ script, calls }) => {
    expect(scriptedCalls(script)).toEqual(calls);
  });
});

const RUNS = `const r = await tools.exec_command({cmd:"sed -n '1,20p' src/a.ts","workdir":"/p"}); text(r.output);`;
const SEVERAL = `await tools.exec_command({cmd:"cat a.ts",workdir:"/p"}); await tools.exec_command({cmd:"cat b.ts",workdir:"/q"});`;
const PATCHES = `const patch = "*** Begin Patch\\n*** Update File: /p/src/a.ts\\n@@\\n-one\\n+two\\n*** Add File: b.ts\\n+three\\n*** End Patch";\ntext(await tools.apply_patch(patch));`;

it("is known by the command that it runs, and by its folder", () => {
  expect(commandOf(RUNS)).toBe("sed -n '1,20p' src/a.ts");
  expect(startFolderOf(RUNS)).toBe("/p");
  expect(mainArgument("exec", RUNS, 80)).toBe("sed -n '1,20p' src/a.ts");
  expect(touchedFiles(toolKind("exec", RUNS), RUNS)).toEqual([{ path: "src/a.ts", how: "read" }]);
});

it("says of commands in several folders where each of them runs", () => {
  expect(commandOf(SEVERAL)).toBe("cd /p\ncat a.ts\ncd /q\ncat b.ts");
  expect(startFolderOf(SEVERAL)).toBeUndefined();
});

it("shows the files that a patch within it changes", () => {
  expect(touchedFiles("shell", PATCHES)).toEqual([
    { path: "/p/src/a.ts", how: "edited", snippet: "@@\n-one\n+two" },
    { path: "b.ts", how: "written", snippet: "+three" },
  ]);
});

it("shows the files of each patch within a script, wherever the call has it", () => {
  const script = `await tools.exec_command({ cmd: "apply_patch <<'E'\\n*** Begin Patch\\n*** Delete File: a.ts\\nE" });\nawait tools.apply_patch({ input: "*** Begin Patch\\n*** Add File: b.ts\\n+b" });\nawait tools.apply_patch(\`*** Begin Patch\n*** Update File: c.ts\n+\${c}\`);`;
  expect(touchedFiles("shell", script).map(({ path, how }) => [path, how])).toEqual([
    ["a.ts", "deleted"],
    ["b.ts", "written"],
    ["c.ts", "edited"],
  ]);
});

it("leaves a command line as it is", () => {
  expect(commandOf("cat a.ts")).toBe("cat a.ts");
  expect(startFolderOf("cat a.ts")).toBeUndefined();
});
