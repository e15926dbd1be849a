/** `replay` without files, and with folders: which recordings it finds, and what it says of them. */
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordingsOfAgents } from "#replay/find-recordings.ts";
import { newestOfOpencode } from "#replay/opencode-database.ts";
import { runReplay } from "#replay/replay-command.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { claudeCodeBilled, gzipped, openaiChat, testFolder } from "../../../../test/helpers/recordings.ts";

const DAY_S = 86_400;

/** Writes a file, last changed on day `day` of 1970. */
function put(folder: string, path: string, content: string | Uint8Array, day: number): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, day * DAY_S, day * DAY_S);
  return file;
}

async function replay(files: readonly string[], env: Readonly<Record<string, string>> = {}, limit?: number) {
  const context = cliDouble({ env, folder: testFolder() });
  const code = await runReplay(files, { windowSizes: [], model: "gpt-4o", limit }, context);
  return { code, ...context.written };
}

describe("replay without files", () => {
  it.each([
    { path: ".claude/projects/-work/1111.jsonl", tool: "Claude Code", env: {} },
    { path: ".config/claude/projects/-work/1111.jsonl", tool: "Claude Code", env: {} },
    { path: "moved/projects/-work/1111.jsonl", tool: "Claude Code", env: { CLAUDE_CONFIG_DIR: "moved" } },
    { path: "xdg/claude/projects/-work/1111.jsonl", tool: "Claude Code", env: { XDG_CONFIG_HOME: "xdg" } },
    { path: ".codex/sessions/2026/11/23/rollout-1.jsonl", tool: "Codex", env: {} },
    { path: "moved/sessions/2026/11/23/rollout-1.jsonl", tool: "Codex", env: { CODEX_HOME: "moved" } },
    { path: ".copilot/session-state/1/events.jsonl", tool: "Copilot CLI", env: {} },
    { path: "moved/session-state/1/events.jsonl", tool: "Copilot CLI", env: { COPILOT_HOME: "moved" } },
    { path: ".gemini/tmp/work/chats/session-1.json", tool: "gemini-cli", env: {} },
    {
      path: "moved/.gemini/tmp/work/chats/session-1.jsonl",
      tool: "gemini-cli",
      env: { GEMINI_CLI_HOME: "moved" },
    },
    { path: ".local/share/opencode/opencode.db", tool: "opencode", env: {} },
    { path: "xdg/opencode/opencode.db", tool: "opencode", env: { XDG_DATA_HOME: "xdg" } },
    { path: ".pi/agent/sessions/--work--/1.jsonl", tool: "pi", env: {} },
    { path: "moved/sessions/--work--/1.jsonl", tool: "pi", env: { PI_CODING_AGENT_DIR: "moved" } },
  ])("looks for $tool in $path", ({ path, tool, env }) => {
    const home = testFolder();
    const file = put(home, path, "{}", 3);
    const moved = Object.fromEntries(Object.entries(env).map(([name, folder]) => [name, join(home, folder)]));
    const found = recordingsOfAgents({ HOME: home, ...moved });
    expect(found).toEqual([{ tool, path: file, changedMs: 3 * DAY_S * 1_000 }]);
  });

  it("passes over transcripts of sub-agents, links, empty and hidden files, and the old place of what was moved", () => {
    const home = testFolder();
    put(home, ".claude/projects/-work/1111/subagents/agent-1.jsonl", "{}", 1);
    put(home, ".claude/projects/-work/.hidden.jsonl", "{}", 1);
    put(home, ".claude/projects/-work/empty.jsonl", "", 1);
    const outside = put(testFolder(), "outside.jsonl", "{}", 1);
    symlinkSync(outside, join(home, ".claude/projects/-work/linked.jsonl"));
    expect(recordingsOfAgents({ HOME: home })).toEqual([]);
    put(home, ".codex/sessions/2026/11/23/rollout-1.jsonl", "{}", 1);
    expect(recordingsOfAgents({ HOME: home, CODEX_HOME: join(home, "moved") })).toEqual([]);
  });

  it("replays the newest session that has an answer, and says which", async () => {
    const home = testFolder();
    put(home, ".codex/sessions/2026/11/22/rollout-1.jsonl", openaiChat(1), 1);
    const newest = put(home, ".claude/projects/-work/1111.jsonl", claudeCodeBilled(112), 2);
    put(
      home,
      ".claude/projects/-work/opened-only.jsonl",
      '{"type":"summary","leafUuid":"x","summary":"y"}\n',
      3,
    );
    put(home, ".pi/agent/sessions/--work--/broken.jsonl", "{{{", 4);
    const { code, out, err } = await replay([], { HOME: home });
    expect(code).toBe(0);
    expect(err).toMatch(
      /^The newest session: Claude Code, 20\d\d-\d\d-\d\d \d\d:\d\d, ".+" \(.*1111\.jsonl\)\n$/,
    );
    expect(err).toContain(newest);
    expect(out).toContain("1111.jsonl · claude-code");
  });

  it("says where it looked if there is none", async () => {
    await expect(replay([], { HOME: testFolder() })).rejects.toMatchObject({
      message: "There is no file to replay.",
      hint: expect.stringContaining("Claude Code, Codex, Copilot CLI, gemini-cli, opencode and pi have none"),
    });
    await expect(replay([], {})).rejects.toMatchObject({ message: "There is no file to replay." });
  });

  it("reads opencode's database where Node.js can, and says what to do where it cannot", async () => {
    const path = join(testFolder(), "opencode.db");
    const name = "node:sqlite";
    const sqlite = (await import(name).catch(() => undefined)) as
      | { readonly DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void } }
      | undefined;
    if (sqlite === undefined) {
      await expect(newestOfOpencode(path)).rejects.toMatchObject({
        hint: expect.stringContaining("opencode export SESSION"),
      });
      return;
    }
    const database = new sqlite.DatabaseSync(path);
    database.exec(`
      CREATE TABLE session (id, parent_id, directory, title, version, time_created, time_updated);
      CREATE TABLE message (id, session_id, time_created, data);
      CREATE TABLE part (id, message_id, session_id, data);
      INSERT INTO session VALUES ('s1', NULL, '/w', 'Ledgers', '1', 1, 2), ('s2', NULL, '/w', 'opened', '1', 3, 4);
      INSERT INTO session VALUES ('s3', 's1', '/w', 'agent', '1', 5, 6);
      INSERT INTO message VALUES ('m1', 's1', 1, '{"role":"user"}'), ('m2', 's1', 2, '{"role":"assistant"}');
      INSERT INTO part VALUES ('p1', 'm1', 's1', '{"type":"text","text":"What does it say?"}');`);
    database.close();
    const text = await newestOfOpencode(path);
    expect(JSON.parse(text ?? "")).toEqual({
      info: { id: "s1", directory: "/w", title: "Ledgers", version: "1", time: { created: 1, updated: 2 } },
      messages: [
        {
          info: { role: "user", id: "m1", sessionID: "s1" },
          parts: [{ type: "text", text: "What does it say?", id: "p1", messageID: "m1", sessionID: "s1" }],
        },
        { info: { role: "assistant", id: "m2", sessionID: "s1" }, parts: [] },
      ],
    });
  });
});

describe("replay of a folder", () => {
  it("takes all recordings in it, the newest first, and passes over other files", async () => {
    const folder = testFolder();
    put(folder, "a/oldest.json", openaiChat(1), 1);
    put(folder, "b/middle.jsonl.gz", gzipped(claudeCodeBilled(112)), 2);
    put(folder, "newest.json", openaiChat(2), 3);
    put(folder, "package.json", '{"name":"not-a-recording"}', 4);
    put(folder, "notes.txt", "not looked at", 5);
    put(folder, "node_modules/x/session.json", openaiChat(1), 6);
    const all = await replay([folder]);
    expect(all.code).toBe(0);
    const names = [...all.out.matchAll(/^(\S+) · /gm)].map(([, name]) => name);
    expect(names).toEqual(["newest.json", "b/middle.jsonl.gz", "a/oldest.json"]);
    expect(all.err).toBe(
      `${folder}: 3 recordings replayed, the newest first; 1 file of other kinds passed over.\n`,
    );
    const one = await replay([folder], {}, 1);
    expect([...one.out.matchAll(/^(\S+) · /gm)].map(([, name]) => name)).toEqual(["newest.json"]);
    expect(one.err).toBe(
      `${folder}: 1 recording replayed, the newest first; 1 file of other kinds passed over; 2 older not looked at, --limit asks for more.\n`,
    );
  });

  it("fails where it holds no recording, and where it is not there", async () => {
    const folder = testFolder();
    const empty = await replay([folder]);
    expect([empty.code, empty.out]).toEqual([1, expect.stringContaining("is a folder")]);
    put(folder, "package.json", '{"name":"not-a-recording"}', 1);
    expect((await replay([folder])).code).toBe(1);
    expect(existsSync(join(folder, "missing"))).toBe(false);
    expect((await replay([join(folder, "missing")])).code).toBe(1);
  });
});
