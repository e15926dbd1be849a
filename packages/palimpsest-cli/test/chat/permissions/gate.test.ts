/** Decisions about calls of tools: by rules, by the mode, by the person. */
import { describe, expect, it } from "vitest";
import type { PermissionAnswer, PermissionMode } from "#chat/base/chat-events.ts";
import { type Permission, PermissionGate } from "#chat/permissions/permission-gate.ts";

const CALLS = {
  read: { tool: "read", risk: "free", paths: ["a"], what: "read a" },
  edit: { tool: "edit", risk: "edit", paths: ["a"], what: "change a" },
  shell: { tool: "shell", risk: "run", command: "make", what: "run make" },
} as const satisfies Readonly<Record<string, Permission>>;

function gateOf(
  mode: PermissionMode,
  rules: Partial<Record<"allow" | "ask" | "deny", readonly string[]>> = {},
  answers?: PermissionAnswer[],
) {
  const kept: string[] = [];
  const asked: string[] = [];
  const gate = new PermissionGate({
    ...{ mode, allow: [], ask: [], deny: [], ...rules },
    askPerson:
      answers &&
      (async ({ what }) => {
        asked.push(what);
        return answers.shift() ?? { deny: "no" };
      }),
    keepRule: async (rule) => void kept.push(rule),
  });
  const decide = (permission: Permission) =>
    gate.decide(permission, {
      call: { id: "c", name: permission.tool, input: {} },
      caller: { sessionId: "s", isSubAgent: false },
      signal: new AbortController().signal,
    });
  return { gate, decide, asked, kept };
}

describe("permissions without a person", () => {
  it.each([
    { mode: "ask", allowed: ["read"] },
    { mode: "accept-edits", allowed: ["read", "edit"] },
    { mode: "plan", allowed: ["read"] },
    { mode: "allow-all", allowed: ["read", "edit", "shell"] },
  ] as const)("allow $allowed in the mode $mode", async ({ mode, allowed }) => {
    const { decide } = gateOf(mode);
    const found = [];
    for (const [name, call] of Object.entries(CALLS)) if ((await decide(call)) === "allow") found.push(name);
    expect(found).toEqual(allowed);
  });

  it.each([
    ".palimpsest/settings.json",
    ".git/hooks/pre-commit",
    "sub/.git/config",
    ".GIT/config",
  ])("let no change of %s pass that does not name it", async (path) => {
    const change = { tool: "write", risk: "edit", paths: [path], what: `change ${path}` } as const;
    for (const { decide } of [gateOf("accept-edits"), gateOf("ask", { allow: ["edit", "write(**)", "*"] })])
      expect(await decide(change)).toMatchObject({ deny: expect.stringContaining("no person") });
    expect(await gateOf("ask", { allow: [`edit(${path})`] }).decide(change)).toBe("allow");
    expect(await gateOf("allow-all").decide(change)).toBe("allow");
    const person = gateOf("accept-edits", {}, [{ allow: "session" }, { allow: "project" }]);
    expect([await person.decide(change), await person.decide(change)]).toEqual(["allow", "allow"]);
    // It is asked each time, and no rule is made of the answer.
    expect([person.asked.length, person.kept, person.gate.rules.allow]).toEqual([2, [], []]);
    expect(await person.decide({ ...change, paths: [".github/a.yml", ".gitignore"] })).toBe("allow");
  });

  it("let a rule that denies win over everything, and one that asks over what is allowed", async () => {
    const { decide } = gateOf("allow-all", { deny: ["read"], ask: ["edit"], allow: ["*"] });
    expect(await decide(CALLS.read)).toMatchObject({ deny: expect.stringContaining("the rule read") });
    expect(await decide(CALLS.edit)).toMatchObject({ deny: expect.stringContaining("no person") });
    expect(await decide(CALLS.shell)).toBe("allow");
  });

  it("let no rule that allows change anything in plan mode but what it covers", async () => {
    const { decide } = gateOf("plan", { allow: ["shell(make)"] });
    expect(await decide(CALLS.shell)).toBe("allow");
    expect(await decide(CALLS.edit)).toMatchObject({ deny: expect.stringContaining("plan") });
  });
});

describe("permissions with a person", () => {
  it("ask once, and keep what is always allowed", async () => {
    const { decide, asked, kept } = gateOf("ask", {}, [{ allow: "once" }, { allow: "project" }]);
    for (let time = 0; time < 3; time++) expect(await decide(CALLS.shell)).toBe("allow");
    expect(asked).toEqual(["run make", "run make"]);
    expect(kept).toEqual(["shell(make)"]);
  });

  it("ask about one call at a time, and not about what the answer before covers", async () => {
    const { decide, asked } = gateOf("ask", {}, [{ allow: "session" }]);
    expect(await Promise.all([decide(CALLS.shell), decide(CALLS.shell)])).toEqual(["allow", "allow"]);
    expect(asked).toEqual(["run make"]);
  });

  it("give the person's reason to the model", async () => {
    const { decide } = gateOf("ask", {}, [{ deny: "use ninja" }]);
    expect(await decide(CALLS.shell)).toEqual({ deny: "use ninja" });
  });
});
