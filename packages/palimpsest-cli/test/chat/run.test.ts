/** `palimpsest run`: prompts, formats, sessions and exit codes, over both vendors' SDKs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "palimpsest";
import { answer, callTool, type Script, type ScriptStep, say } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import {
  chatPlace,
  lastResults,
  modelOptions,
  runChat,
  runForResult,
  stoppable,
  WIRES,
} from "./chat-double.ts";

describe("palimpsest run", () => {
  it.each(
    WIRES,
  )("reads, changes and runs over the %s wire, with requests that the vendor accepts", async (wire) => {
    const place = await chatPlace(
      [
        [say("I look."), callTool("read", { path: "a.txt" }), callTool("shell", { command: "echo seen" })],
        callTool("edit", { path: "a.txt", old_string: "world", new_string: "there" }),
        "It says there now.",
      ],
      { files: { "a.txt": "hello\nworld\n" } },
    );
    const model = modelOptions(wire, place);
    const { code, out } = await runChat(place, [
      "-p",
      "Change it.",
      ...model,
      "--permission-mode",
      "allow-all",
    ]);
    expect({ code, out, violations: place.provider.violations }).toEqual({
      code: 0,
      out: "It says there now.\n",
      violations: [],
    });
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("hello\nthere\n");
    await place.provider.close();
  });

  it("takes its prompt from words, from a pipe, and from both", async () => {
    const place = await chatPlace(({ lastUserText }) => lastUserText);
    expect((await runChat(place, ["Say", "this."])).out).toContain("Say this.");
    expect((await runChat(place, [], { piped: "piped text" })).out).toContain("piped text");
    expect((await runChat(place, ["-p", "Review:"], { piped: "a diff" })).out).toContain("Review:\n\na diff");
    expect(await runChat(place, [], { piped: "" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is no prompt."),
    });
    await place.provider.close();
  });

  it("prints one JSON object, or one a line that ends with the result", async () => {
    const place = await chatPlace([callTool("read", { path: "a.txt" }), "Read.", "Again."], {
      files: { "a.txt": "x" },
    });
    const lines = (await runChat(place, ["-p", "Go.", "--output-format", "stream-json"])).out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly subtype?: string });
    expect(
      lines.filter(({ type }) => type !== "session").map(({ type, subtype }) => [type, subtype]),
    ).toEqual([
      ["system", "init"],
      ["assistant", undefined],
      ["user", undefined],
      ["assistant", undefined],
      ["result", "success"],
    ]);
    expect(lines.at(-1)).toMatchObject({
      result: "Read.",
      is_error: false,
      num_turns: 2,
      permission_denials: [],
      usage: {
        input_tokens: expect.any(Number),
        cache_creation_input_tokens: expect.any(Number),
        cache_read_input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
      },
    });
    const asked = lines.filter(({ type }) => type === "assistant");
    expect(asked).toMatchObject([
      { message: { stop_reason: "tool_use" } },
      { message: { stop_reason: "end_turn", usage: { output_tokens: expect.any(Number) } } },
    ]);
    expect(await runForResult(place, ["-p", "Go."])).toMatchObject({ type: "result", result: "Again." });
    await place.provider.close();
  });

  it("counts the agents that the model has work for it in the usage and the cost", async () => {
    const script: Script = ({ lastUserText, body }) => {
      if (lastUserText.includes("Look around.")) return answer("Seen.", { usage: figures(300, 30) });
      return JSON.stringify(body).includes("Seen.")
        ? answer("Done.", { usage: figures(20, 2) })
        : answer([callTool("task", { agent: "explore", prompt: "Look around.", description: "looks" })], {
            usage: figures(1, 0),
          });
    };
    const figures = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
    const place = await chatPlace(script);
    const result = await runForResult(place, ["-p", "Go.", "--model", "claude-opus-5-5"]);
    expect(result).toMatchObject({
      result: "Done.",
      num_turns: 2,
      usage: { output_tokens: 32 },
    });
    expect(result["total_cost_usd"]).toBeGreaterThan(0);
    expect(result).not.toHaveProperty("unmetered_calls");
    await place.provider.close();
  });

  it("says how many calls the cost leaves out", async () => {
    const place = await chatPlace(() => answer("Done.", { usage: "withheld" }));
    expect(await runForResult(place, ["-p", "Go.", ...modelOptions("openai", place)])).toMatchObject({
      total_cost_usd: 0,
      unmetered_calls: 1,
    });
    await place.provider.close();
  });

  it("writes no escapes of a model to a terminal, in no format", async () => {
    const place = await chatPlace(() => "\u001b[2J\u009b31mowned\u202e");
    for (const format of ["text", "json"]) {
      const { folder, env } = place;
      const context = cliDouble({ folder, env, isInteractive: true });
      const { out } = await runChat(place, ["-p", "x", "--output-format", format], { context });
      expect(out).toContain("owned");
      expect(out).not.toMatch(/[\u001b\u009b\u202e]/);
    }
    await place.provider.close();
  });

  it("denies what needs permission, because there is no person, and says so to the model", async () => {
    const place = await chatPlace([
      [callTool("shell", { command: "rm -rf src" }), callTool("write", { path: "b.txt", content: "" })],
      "I could not.",
    ]);
    const result = await runForResult(place, ["-p", "Go."]);
    expect(result["permission_denials"]).toMatchObject([{ tool_name: "shell" }, { tool_name: "write" }]);
    expect(lastResults(place).join()).toMatch(
      /not approved: it needs permission, and there is no person to ask/,
    );
    await place.provider.close();
  });

  it("names each denied call and the rule that allows it on standard error, where the answer is text", async () => {
    const place = await chatPlace([callTool("shell", { command: "rm -rf src" }), "It is done."]);
    const { out, err } = await runChat(place, ["-p", "Go."]);
    expect(out).toBe("It is done.\n");
    expect(err).toBe(
      'Not allowed: shell rm -rf src: it needs permission, and there is no person to ask. Allow it with --allowed-tools "shell(rm -rf src)" or --permission-mode, or do it another way\n',
    );
    await place.provider.close();
  });

  it("names a denied tool of a server as it was called", async () => {
    const input = { name: "harbour.tide", input: { berth: 7 } };
    const place = await chatPlace([callTool("mcp_call", input), "I could not."]);
    const settings = { chat: { mcpServers: { harbour: { command: "false" } } } };
    writeFileSync(join(place.home, "settings.json"), JSON.stringify(settings));
    const result = await runForResult(place, ["-p", "Go."]);
    expect(result["permission_denials"]).toMatchObject([{ tool_name: "mcp_call", tool_input: input }]);
    await place.provider.close();
  });

  it("continues the latest session, a named one, and a fork of one", async () => {
    const place = await chatPlace(
      ({ body }) => `${(body as { readonly messages: readonly unknown[] }).messages.length} messages`,
    );
    const first = await runForResult(place, ["-p", "One."]);
    const second = await runForResult(place, ["-p", "Two.", "--continue"]);
    const fork = await runForResult(place, [
      "-p",
      "Three.",
      "--resume",
      first.session_id.slice(0, 8),
      "--fork",
    ]);
    expect(second.session_id).toBe(first.session_id);
    expect(fork.session_id).not.toBe(first.session_id);
    const [one, two, three] = [first, second, fork].map(({ result }) => Number.parseInt(String(result), 10));
    expect([two! - one!, three! - two!]).toEqual([2, 2]);
    await place.provider.close();
  });

  it("says that the only session is in use, and goes on in a copy of it", async () => {
    const place = await chatPlace(() => "Fine.");
    const { session_id } = await runForResult(place, ["-p", "One."]);
    const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
    const session = await home.resume(session_id);
    const { code, err } = await runChat(place, ["-p", "Two.", "--continue"]);
    expect(code).toBe(1);
    expect(err).toContain("SESSION_IN_USE");
    expect(err).toContain("--fork");
    expect(err).not.toContain("the one before");
    const fork = await runForResult(place, ["-p", "Two.", "--continue", "--fork"]);
    expect(fork.session_id).not.toBe(session_id);
    const { out } = await runChat(place, ["-p", "Three.", "--continue"]);
    expect(out).toBe("Fine.\n");
    await session.close();
    await home.close();
    await place.provider.close();
  });

  it("keeps nothing with --no-session-persistence", async () => {
    const place = await chatPlace(["Fine."]);
    await runChat(place, ["-p", "One.", "--no-session-persistence"]);
    expect(await runChat(place, ["-p", "Two.", "--continue"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("SESSION_NOT_FOUND"),
    });
    await place.provider.close();
  });

  it.each([
    {
      args: ["-p", "x", "--max-turns", "1"],
      code: 3,
      says: "limit of calls for one turn, which --max-turns sets",
      why: "the model was stopped",
    },
    {
      args: ["-p", "x", "--fork"],
      code: 2,
      says: "--fork needs a session",
      why: "the command line is wrong",
    },
    {
      args: ["-p", "x", "--model", "nobody"],
      code: 2,
      says: "names no provider",
      why: "there is no such model",
    },
    {
      args: ["-p", "x", "--model", "groq:llama"],
      code: 2,
      says: "GROQ_API_KEY is not set",
      why: "there is no key",
    },
    {
      args: ["-p", "x", "--allowed-tools", "shell(("],
      code: 2,
      says: "is not a rule",
      why: "a rule is wrong",
    },
    {
      args: ["-p", "x", "--base-url", "nonsense"],
      code: 2,
      says: '--base-url has "nonsense"',
      why: "the address is none",
    },
    {
      args: ["-p", "x", "--base-url", "http://127.0.0.1:9/v1"],
      code: 2,
      says: "The server at http://127.0.0.1:9/v1 does not answer",
      why: "no server is at the address",
    },
    {
      args: ["-p", "x", "--no-session-persistence", "--continue"],
      code: 2,
      says: "--no-session-persistence cannot be combined with --continue",
      why: "a session goes on that is not to be stored",
    },
  ])("ends with $code if $why", async ({ args, code, says }) => {
    const place = await chatPlace([callTool("read", { path: "a.txt" }), "Done."], {
      files: { "a.txt": "x" },
    });
    const ran = await runChat(place, args);
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(says);
    await place.provider.close();
  });

  it("tries again after a rate limit, and gives up with the provider's words", async () => {
    const place = await chatPlace([
      { fault: "rate-limit", retryAfterSeconds: 0 },
      "Here I am.",
      { fault: "unknown-model" },
    ]);
    expect(await runChat(place, ["-p", "x"])).toMatchObject({
      code: 0,
      out: "Here I am.\n",
      err: expect.stringMatching(
        /^The provider does not answer \(throttled: .+\): trying again in .+, attempt 1\.\n$/,
      ),
    });
    expect(await runChat(place, ["-p", "x"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("MODEL_FAILED"),
    });
    await place.provider.close();
  });

  it.each([
    [{ modle: "x" }, 0, /^chat\.modle has no effect: the settings of chat are model, /],
    [
      { permissions: { denied: [] } },
      0,
      /^chat\.permissions\.denied has no effect: .+ are allow, ask, deny, folders/,
    ],
    [{ permissions: ["shell"] }, 2, /chat\.permissions in the settings is not an object/],
    [{ permissions: { deny: "read" } }, 2, /chat\.permissions\.deny in the settings is not a list of texts/],
    [{ permissions: { allow: ["read", 5] } }, 2, /chat\.permissions\.allow .+ Write it as a list/],
    [{ providers: { mine: { baseUrl: "somewhere" } } }, 0, /^chat\.providers\.mine has no effect: `baseUrl`/],
  ])("says what is wrong with the settings %j", async (chat, code, says) => {
    const place = await chatPlace(["Hello."]);
    writeFileSync(join(place.home, "settings.json"), JSON.stringify({ chat }));
    const ran = await runChat(place, ["-p", "x"]);
    expect({ ...ran, out: "" }).toEqual({ code, err: expect.stringMatching(says), out: "" });
    await place.provider.close();
  });

  it.each([
    "{ no",
    "[]",
    '{ "chat": [] }',
  ])("asks no model with settings that cannot be read: %s", async (text) => {
    const place = await chatPlace(["Hello."]);
    writeFileSync(join(place.home, "settings.json"), text);
    const { code, out, err } = await runChat(place, ["-p", "x"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/settings\.json cannot be read: .+Correct the file or remove it/s);
    expect(place.provider.requests).toEqual([]);
    await place.provider.close();
  });

  it("says how long the provider asks to wait where that is too long", async () => {
    const place = await chatPlace([{ fault: "rate-limit", retryAfterSeconds: 7_200 }]);
    const { code, err } = await runChat(place, ["-p", "x"]);
    expect(code).toBe(1);
    expect(err).toMatch(/Wait 120 minutes, as the provider asks/);
    await place.provider.close();
  });

  it("leaves a history that continues after Ctrl-C", async () => {
    const steps: (() => ScriptStep)[] = [
      () => {
        context.stop.abort();
        return { fault: "hang" };
      },
    ];
    const place = await chatPlace(() => steps.shift()?.() ?? "I go on.");
    const context = stoppable(place);
    expect((await runChat(place, ["-p", "Begin."], { context })).code).toBe(130);
    expect((await runChat(place, ["-p", "Go on.", "--continue"])).out).toBe("I go on.\n");
    expect(place.provider.violations).toEqual([]);
    await place.provider.close();
  });
});
