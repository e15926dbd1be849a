/** Rules for tools: what they cover, and what they must not. */
import { describe, expect, it } from "vitest";
import { covers, coversCommand, parseRule, ruleFor, touches } from "#chat/permissions/rules.ts";

describe("a rule that allows commands", () => {
  it.each([
    { rule: "shell(npm test *)", command: "npm test", is: true, why: "the arguments may be left out" },
    { rule: "shell(npm test *)", command: "npm test -- --watch", is: true, why: "any arguments" },
    { rule: "shell(npm test *)", command: "npm testing", is: false, why: "another word" },
    {
      rule: "shell(npm test *)",
      command: "npm test && rm -rf /",
      is: false,
      why: "each command needs a rule",
    },
    { rule: "shell(npm test *)", command: "npm test; rm x", is: false, why: "after a semicolon" },
    { rule: "shell(npm test *)", command: "npm test\nrm x", is: false, why: "on the next line" },
    { rule: "shell(npm test *)", command: "npm test & rm x", is: false, why: "beside it" },
    { rule: "shell(npm test *)", command: "npm test | sh", is: false, why: "into a shell" },
    { rule: "shell(npm test *)", command: "npm test $(rm x)", is: false, why: "a substitution" },
    { rule: "shell(npm test *)", command: "npm test `rm x`", is: false, why: "an old substitution" },
    { rule: "shell(npm test *)", command: 'npm test "$(rm x)"', is: false, why: "a substitution in quotes" },
    { rule: "shell(npm test *)", command: "npm test > /etc/passwd", is: false, why: "a redirection" },
    { rule: "shell(npm test *)", command: "npm test <(rm x)", is: false, why: "a process" },
    { rule: "shell(npm test *)", command: "PATH=. npm test", is: false, why: "another program of that name" },
    { rule: "shell(npm test *)", command: "npm test 'open", is: false, why: "a quote that is not closed" },
    {
      rule: "shell(npm test *)",
      command: "npm test 'a;b'",
      is: true,
      why: "a semicolon in quotes is a letter",
    },
    { rule: "shell(npm test *)", command: "npm test \\; rm x", is: false, why: "escapes are not followed" },
    {
      rule: "shell",
      command: "anything | at all",
      is: true,
      why: "a rule without brackets is for everything",
    },
    { rule: "shell(make a > b)", command: "make a > b", is: true, why: "the very line" },
    { rule: "edit", command: "npm test", is: false, why: "another tool" },
  ])("$rule covers $command: $is ($why)", ({ rule, command, is }) => {
    expect(coversCommand([parseRule(rule)], command)).toBe(is);
  });

  it("needs a rule for each of several commands", () => {
    const rules = ["shell(git status)", "shell(npm test *)"].map(parseRule);
    expect(coversCommand(rules, "git status && npm test x")).toBe(true);
    expect(coversCommand(rules, "git status && npm run x")).toBe(false);
  });
});

describe("a rule that denies or asks", () => {
  it.each([
    {
      rule: "shell(rm *)",
      call: { tool: "shell", command: "ls; rm -rf x" },
      is: true,
      why: "one of the commands",
    },
    { rule: "shell(rm *)", call: { tool: "shell", command: "A=1 rm x" }, is: true, why: "after assignments" },
    {
      rule: "shell(*secret*)",
      call: { tool: "shell", command: "cat $(ls secret)" },
      is: true,
      why: "anywhere",
    },
    {
      rule: "read(secret/**)",
      call: { tool: "grep", paths: ["secret/a"] },
      is: true,
      why: "all tools that read",
    },
    {
      rule: "edit(*.lock)",
      call: { tool: "write", paths: ["a.lock"] },
      is: true,
      why: "all tools that change",
    },
    {
      rule: "edit(*.lock)",
      call: { tool: "write", paths: ["src/a.lock"] },
      is: false,
      why: "* is within a folder",
    },
    { rule: "*", call: { tool: "memory", name: "recall" }, is: true, why: "every tool" },
    { rule: "mcp(github.*)", call: { tool: "mcp", name: "files.read" }, is: false, why: "another server" },
  ])("$rule touches $call: $is ($why)", ({ rule, call, is }) => {
    expect(touches(parseRule(rule), call)).toBe(is);
  });
});

it.each([
  { rule: "Bash", hint: "Did you mean shell?" },
  { rule: "Shell(rm *)", hint: "Did you mean shell?" },
  { rule: "Edit(src/**)", hint: "Did you mean edit?" },
  { rule: "shel", hint: "There are read, glob" },
  { rule: "todo_write", hint: "There are read, glob" },
])("$rule, which would forbid nothing, is refused", ({ rule, hint }) => {
  expect(() => parseRule(rule)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", hint: expect.stringContaining(hint) }),
  );
});

describe("rules for files", () => {
  it("cover a call only if they cover each of its paths", () => {
    const rule = parseRule("edit(src/**/*.{ts,tsx})");
    expect(covers(rule, { tool: "edit", paths: ["src/a.ts"] })).toBe(true);
    expect(covers(rule, { tool: "edit", paths: ["src/deep/er/a.tsx"] })).toBe(true);
    expect(covers(rule, { tool: "edit", paths: ["src/a.ts", "package.json"] })).toBe(false);
    expect(covers(rule, { tool: "edit", paths: [] })).toBe(false);
  });

  it.each([
    {
      pattern: "edit(src/**/*.{ts,{js,jsx}})",
      covered: ["src/a.js", "src/b/a.jsx", "src/a.ts"],
      not: ["src/a.tsx"],
    },
    { pattern: "edit({a)", covered: ["{a"], not: ["a"] },
    { pattern: "edit({{a,b})", covered: ["{a", "{b"], not: ["a"] },
    { pattern: "edit({a,{b}}},c)", covered: ["a},c", "b},c"], not: ["a"] },
    { pattern: "edit(a,b)", covered: ["a,b"], not: ["a"] },
  ])("have braces within braces, and single ones: $pattern", ({ pattern, covered, not }) => {
    const rule = parseRule(pattern);
    const isCovered = (path: string) => covers(rule, { tool: "edit", paths: [path] });
    expect(covered.filter((path) => !isCovered(path))).toEqual([]);
    expect(not.filter(isCovered)).toEqual([]);
  });

  it("that are made for an answer of the user cover no more than the question", () => {
    expect(ruleFor({ tool: "shell", command: "npm test" })).toBe("shell(npm test)");
    expect(ruleFor({ tool: "shell", command: "npm test | tee x" })).toBeUndefined();
    expect(ruleFor({ tool: "write", paths: ["a"] })).toBe("edit");
    expect(["read", "glob", "grep"].map((tool) => ruleFor({ tool, paths: ["a"] }))).toEqual(
      Array(3).fill("read"),
    );
    expect(ruleFor({ tool: "mcp", name: "files.read" })).toBe("mcp(files.read)");
  });

  it.each(["", "shell(", "a b", "(x)"])("refuses %j", (text) => {
    expect(() => parseRule(text)).toThrow(/is not a rule/);
  });
});
