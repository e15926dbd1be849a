/** The command line: accepted and refused arguments, help, errors. */
import { describe, expect, it } from "vitest";
import { runCli } from "#program/program.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { openaiChat, testFolder, writeTestFile } from "../../../../test/helpers/recordings.ts";

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const context = cliDouble({ folder: testFolder(), env });
  const code = await runCli(args, context, "1.2.3");
  return { code, ...context.written };
}

describe("palimpsest", () => {
  it.each([["--version"], ["-V"]])("prints its version with %s", async (flag) => {
    expect(await run([flag])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });

  it("shows examples in its help, and exit codes in that of replay", async () => {
    expect((await run(["--help"])).out).toContain("palimpsest replay session.jsonl --json");
    expect((await run(["replay", "--help"])).out).toContain(
      "3  the only failures are windows too small for a session",
    );
    expect((await run(["help", "replay"])).out).toContain("[files...]");
  });

  it("names no file in its help that is only in a checkout", async () => {
    const { out } = await run(["--help"]);
    const commands = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
    expect(commands).toEqual(expect.arrayContaining(["run", "mcp", "chat", "sessions"]));
    for (const command of commands)
      expect((await run([command, "--help"])).out, command).not.toMatch(/docs\/|\.md has/);
    expect((await run(["mcp", "--help"])).out).toContain(
      "claude mcp add --scope user palimpsest -- palimpsest mcp",
    );
    expect((await run(["run", "--help"])).out).toContain(".palimpsest/settings.json");
  });

  it.each([
    { args: ["rplay", "a"], says: "Did you mean replay?", why: "a command that does not exist" },
    {
      args: ["replay", "--windw", "1", "a"],
      says: "unknown option '--windw'",
      why: "an option that does not exist",
    },
    { args: ["replay", "--window"], says: "argument missing", why: "a value is missing" },
    { args: ["replay", "--window", "huge", "a"], says: "OPTION_INVALID", why: "a value that is none" },
    { args: ["replay"], says: "OPTION_INVALID There is no file to replay.", why: "nothing to replay" },
    { args: ["doctor", "a"], says: "too many arguments", why: "an argument too many" },
    { args: [], says: "Usage: palimpsest", why: "nothing at all" },
  ])("ends with 2 for $why", async ({ args, says }) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(says);
    expect(out).toBe("");
  });

  it.each([
    ["EVIL"],
    ["sessions", "EVIL"],
    ["sessions", "show", "EVIL"],
    ["sessions", "list", "--EVIL"],
    ["sessions", "list", "--limit", "EVIL"],
    ["memory", "EVIL"],
    ["memory", "show", "EVIL"],
    ["notes", "show", "EVIL"],
    ["doctor", "--EVIL"],
    ["doctor", "--folder", "EVIL"],
    ["replay", "EVIL"],
    ["replay", "a.jsonl", "--window", "EVIL"],
    ["replay", "a.jsonl", "--policy", "EVIL"],
    ["doctor", "--EVIL"],
    ["help", "EVIL"],
  ])("writes out escape sequences of what was typed: %s %s %s %s", async (...words) => {
    const evil = "\u001b[31mevil\u001b]0;title\u0007\u009b2J";
    const args = words.filter((word) => word !== undefined).map((word) => word.replace("EVIL", evil));
    const { out, err } = await run(args, { HOME: testFolder() });
    expect(`${out}${err}`).not.toMatch(/[\u001b\u009b\u0007]/);
  });

  it("says what cannot be done in one line: code, message, hint", async () => {
    const { code, err } = await run(["memory", "import", "gone", "--folder", "x"]);
    expect(code).toBe(1);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
    expect(err).toMatch(/^INPUT_NOT_FOUND There is no .*gone\. Give the path of a memory directory/);
  });

  it("shows the stack only where it is asked to", async () => {
    expect(
      (await run(["sessions", "show", "gone", "--folder", "x"], { PALIMPSEST_DEBUG: "1" })).err,
    ).toContain("\n    at ");
    const unclear = await run(["sessions", "show", "gone", "--folder", "x"], { PALIMPSEST_DEBUG: "yes" });
    expect(unclear.err).not.toContain("\n    at ");
    expect(unclear.err).toContain('PALIMPSEST_DEBUG is "yes", neither 1 nor 0; no stack is shown.');
  });

  it.each([
    { args: ["--help"], why: "the help itself" },
    { args: [], why: "nothing at all" },
    { args: ["help"], why: "the word for it" },
    { args: ["--home", "x", "sessions"], why: "an option in front" },
  ])("knows every command for $why, although they are loaded one by one", async ({ args }) => {
    const { out, err } = await run(args);
    for (const name of ["replay", "sessions", "doctor"])
      expect(out + err).toMatch(
        err.startsWith("error") ? /Run palimpsest --help/ : new RegExp(`^  ${name} `, "m"),
      );
  });

  it.each([
    { args: ["sessions"] },
    { args: ["sessions", "--help"] },
    { args: ["help", "sessions"] },
    { args: ["sessions", "help"] },
  ])("knows every command about sessions for $args", async ({ args }) => {
    const { out, err } = await run(args);
    for (const name of ["list|ls", "show", "search", "resume-info", "fork", "rename", "tag", "export"])
      expect(out + err).toContain(`\n  ${name} `);
    for (const name of ["import", "clean", "restore"]) expect(out + err).toContain(`\n  ${name} `);
  });

  it.each([
    { args: ["sessions", "list", "--lol"], path: "palimpsest sessions list" },
    { args: ["sessions", "lst"], path: "palimpsest sessions" },
    { args: ["sessions", "tag", "add", "--lol", "x", "y"], path: "palimpsest sessions tag add" },
    { args: ["doctor", "--lol"], path: "palimpsest doctor" },
  ])("names the help that helps after $args", async ({ args, path }) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(`Run ${path} --help for usage.`);
  });

  it("replays, with options before and after the file", async () => {
    const file = writeTestFile("ledgers.json", openaiChat(1));
    const { code, out } = await run(["replay", "--window", "32k", file, "--model", "gpt-4o", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      sessions: [{ window: { tokens: 32_000, model: "gpt-4o" } }],
    });
  });

  it("hands on the exit code of a check that failed", async () => {
    expect((await run(["replay", "gone.jsonl"])).code).toBe(1);
  });
});
