/** The commands of a chat, on a chat as a front end has it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, type Script } from "palimpsest-testing";
import { describe, expect, it, vi } from "vitest";
import type { ChatOptions } from "#chat/agent/chat-options.ts";
import { openChat } from "#chat/agent/open-chat.ts";
import type { ChatEvent } from "#chat/base/chat-events.ts";
import { CHAT_COMMANDS, parseCommandLine, runChatCommand } from "#chat/commands/registry.ts";
import { eventWords } from "#chat/terminal/event-words.ts";
import { chatPlace } from "../chat-double.ts";

const SUMMARY = `<summary>${Array.from({ length: 9 }, (_, index) => `${index + 1}. What was said.`).join("\n")}</summary>`;

/** A chat with a vendor, and the events that it told. */
async function chat(script: Script, options: Partial<ChatOptions> = {}) {
  const place = await chatPlace(script);
  const events: ChatEvent[] = [];
  const agent = await openChat({
    ...{
      env: place.env,
      folder: place.folder,
      session: { from: "new" },
      version: "1",
      model: "claude-opus-4-5",
    },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const { signal } = new AbortController();
  return {
    ...{ place, agent, events },
    run: (line: string) => runChatCommand(agent, line, signal),
    end: async () => {
      await agent.close();
      await place.provider.close();
    },
  };
}

describe("the commands of a chat", () => {
  it("compact, show the window and take the compaction back", async () => {
    const script: Script = ({ body }) =>
      JSON.stringify(body).includes("<summary>") ? SUMMARY : "Noted. ".repeat(300);
    const { agent, events, run, end } = await chat(script);
    for (let turn = 1; turn <= 8; turn++) await agent.send(`This is fact ${turn}.`);
    const before = agent.status().usedTokens;
    // Its events say it all.
    expect(await run("/compact Keep the facts.")).toEqual({ text: "" });
    expect(agent.status().usedTokens).toBeLessThan(before);
    const shown = events.flatMap((event) =>
      event.type === "session" ? (eventWords(event.event)?.lines ?? []) : [],
    );
    const about = shown.filter((line) => /summary|tokens less|No longer in view/i.test(line));
    expect(about.map((line) => line.replace(/\d[\d.]*(?: ms| s|K)?/g, "N"))).toEqual([
      "Compacting: asking claude-opus-N-N for a summary of N tokens. Esc leaves the window as it is.",
      "Summary written on request by claude-opus-N-N in N (forked).",
      "Compacted with a summary by the model: N tokens less",
      expect.stringMatching(/^No longer in view: /),
    ]);
    const { text, data } = await run("/context");
    expect(text).toMatch(/summary\s+\d/);
    expect(data).toMatchObject({ type: "context", use: { lastCompaction: { layer: "full" } } });
    expect((await run("/rewind")).text).toMatch(/compaction hides your messages.*\/undo/);
    expect((await run("/undo")).text).toContain("Taken back");
    expect(agent.status().usedTokens).toBeGreaterThan(before * 0.9);
    await end();
  });

  it("leave the window as it was where a compaction is stopped", async () => {
    const stop = new AbortController();
    const script: Script = ({ body }) => {
      if (!JSON.stringify(body).includes("<summary>")) return "Noted. ".repeat(300);
      stop.abort();
      return { fault: "hang" };
    };
    const { agent, events, end } = await chat(script);
    for (let turn = 1; turn <= 3; turn++) await agent.send(`This is fact ${turn}.`);
    const { visible } = agent.session;
    await expect(runChatCommand(agent, "/compact", stop.signal)).rejects.toMatchObject({ code: "ABORTED" });
    expect(agent.session.visible).toEqual(visible);
    const types = events.flatMap((event) => (event.type === "session" ? [event.event.type] : []));
    expect(types).toContain("summary-started");
    expect(types).not.toContain("layer");
    expect((await agent.send("And fact 4."))?.endedBy).toBe("done");
    await end();
  });

  it("go back to before a message, pin a fact, and show what it cost", async () => {
    const { agent, run, end } = await chat(({ lastUserText }) => `You said: ${lastUserText}`);
    await agent.send("One.");
    await agent.send("Two.");
    expect((await run("/rewind")).text).toMatch(/1 {2}Two\.\n {2}2 {2}One\./);
    expect((await run("/rewind")).data).toMatchObject({ places: [{ whole: "Two." }, { whole: "One." }] });
    await run("/rewind 1");
    expect(JSON.stringify(agent.session.visible)).not.toContain("Two.");
    await run("/pin The release is on 4 March.");
    expect((await run("/pin")).text).toContain("4 March");
    await run("/unpin 1");
    expect((await run("/pin")).text).toBe("Nothing is pinned.");
    expect((await run("/cost")).text).toMatch(/^\$0\.\d+ at list prices, 2 calls/);
    await end();
  });

  it("say what was asked where a price is not known", async () => {
    const { agent, run, end } = await chat(() => "Yes.", { model: "openai:no-such-model" });
    await agent.send("One.");
    expect((await run("/cost")).text).toMatch(
      /^1 call; not all of the models asked have a known price\n.*\nanswers +— {2}1 call$/,
    );
    await end();
  });

  it("say that the cost is a lower bound where calls have no usage", async () => {
    const replies = ["One.", answer("Two.", { usage: "withheld" })];
    const { agent, run, end } = await chat(() => replies.shift() ?? "More.", { model: "openai:gpt-5.5" });
    await agent.send("One.");
    expect(agent.status().isCostAtLeast).toBe(false);
    await agent.send("Two.");
    expect(agent.status().isCostAtLeast).toBe(true);
    expect((await run("/cost")).text).toMatch(
      /^at least \$0\.\d{4} at list prices, 2 calls, 1 without reported usage\n.*\nanswers +at least \$0\.\d{4} {2}2 calls, 1 without reported usage$/,
    );
    await end();
  });

  it("keep the cost of a session where the one to go on with cannot be opened", async () => {
    const { place, agent, run, end } = await chat(() => "Yes.");
    await agent.send("The first one.");
    const first = agent.session.id;
    await run("/clear");
    await agent.send("The second one.");
    const { costUsd } = agent.status();
    const other = await openChat({
      ...{ env: place.env, folder: place.folder, version: "1", model: "claude-opus-4-5" },
      ...{ session: { from: "named", which: first }, onEvent: () => undefined },
    });
    await expect(run(`/resume ${first}`)).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    expect(costUsd).toBeGreaterThan(0);
    expect(agent.status().costUsd).toBe(costUsd);
    await other.close();
    await end();
  });

  it("begin, list, continue and fork sessions, and write one to a file", async () => {
    const { place, agent, events, run, end } = await chat(({ lastUserText }) => lastUserText);
    await agent.send("The first one.");
    const first = agent.session.id;
    const { costUsd } = agent.status();
    expect((await run("/clear")).action).toBe("switched");
    await agent.send("The second one.");
    const listed = await run("/resume");
    expect(listed.text).toContain("The first one.");
    await run(`/resume ${first.slice(0, 8)}`);
    expect(agent.session.id).toBe(first);
    await vi.waitFor(() => expect(events.at(-1)).toEqual({ type: "cost" }));
    expect(costUsd).toBeGreaterThan(0);
    expect(agent.status().costUsd).toBe(costUsd);
    await run("/fork");
    expect(agent.session.id).not.toBe(first);
    expect(JSON.stringify(agent.session.visible)).toContain("The first one.");
    await run("/export session.md");
    expect(readFileSync(join(place.folder, "session.md"), "utf8")).toContain("The first one.");
    await end();
  });

  it("switch to a model of another vendor in the same session", async () => {
    const { place, agent, run, end } = await chat(({ api }) => `I am reached by ${api}.`);
    await agent.send("Who are you?");
    await run("/model openai:gpt-5.5");
    const result = await agent.send("And now?");
    expect(result?.text).toBe("I am reached by openai-responses.");
    expect(place.provider.violations).toEqual([]);
    await expect(run("/model nobody")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect(agent.modelName).toBe("openai:gpt-5.5");
    await end();
  });

  it("show memories, notes, tasks and modes", async () => {
    const { agent, run, events, end } = await chat(["I see."]);
    await agent.memory.remember("We deploy on Tuesdays.", { source: "user" });
    expect((await run("/memory")).text).toContain("We deploy on Tuesdays");
    expect((await run("/memory When do we deploy?")).text).toContain("Tuesdays");
    expect((await run("/notes")).text).toMatch(/no notes yet/);
    const { id } = await agent.session.tasks.start("local_bash", { command: "echo hello" });
    await agent.session.tasks.wait(id);
    expect((await run("/tasks")).text).toMatch(/^t1 +done/);
    expect((await run("/tasks t1")).text).toContain("hello");
    expect((await run("/mode plan")).text).toBe("The mode is plan.");
    expect(events.filter(({ type }) => type === "mode")).toEqual([{ type: "mode", mode: "plan" }]);
    await end();
  });

  it("are all in /help, and an unknown one names the nearest", async () => {
    const { run, end } = await chat([]);
    const { text } = await run("/help");
    for (const { name } of CHAT_COMMANDS) expect(text).toContain(`/${name}`);
    await expect(run("/cont")).rejects.toMatchObject({ hint: expect.stringContaining("/context") });
    await end();
  });

  it.each([
    { line: "/compact keep this", is: { name: "compact", args: "keep this" } },
    { line: "  /help ", is: { name: "help", args: "" } },
    { line: "/etc/hosts is broken", is: undefined },
    { line: "say /help", is: undefined },
  ])("are read from $line", ({ line, is }) => {
    expect(parseCommandLine(line)).toEqual(is);
  });
});

describe("a chat", () => {
  it("asks the person, and tells the model what they said", async () => {
    const questions: string[] = [];
    const { agent, events, end } = await chat([callTool("shell", { command: "make" }), "As you wish."], {
      askPerson: async ({ what, rule }) => {
        questions.push(`${what} (${rule})`);
        return { deny: "not now" };
      },
    });
    await agent.send("Go.");
    expect(questions).toEqual(["run make (shell(make))"]);
    expect(events.find(({ type }) => type === "tool-denied")).toMatchObject({ reason: "not now" });
    await end();
  });

  it("refuses a second turn and a change of session while one runs", async () => {
    const { agent, run, end } = await chat(["Fine."]);
    const turn = agent.send("One.");
    await expect(agent.send("Two.")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(run("/clear")).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await turn;
    await end();
  });

  it("overwrites no file, and says what is missing", async () => {
    const { place, agent, run, end } = await chat(["Hello."]);
    writeFileSync(join(place.folder, "mine.md"), "mine");
    await expect(run("/compact")).rejects.toThrow("nothing was said yet");
    expect(place.provider.requests).toEqual([]);
    await agent.send("Hello");
    await expect(run("/export mine.md")).rejects.toThrow("exists already");
    await expect(run("/export no/such/folder.md")).rejects.toThrow("There is no folder");
    expect(readFileSync(join(place.folder, "mine.md"), "utf8")).toBe("mine");
    for (const [line, says] of [
      ["/tasks t9", "There is no task t9"],
      ["/tasks stop", "The id of a task is missing"],
      ["/tasks send t9 x", "There is no task t9"],
    ] as const)
      await expect(run(line)).rejects.toMatchObject({
        message: expect.stringContaining(says),
        hint: "/tasks lists them, with their ids.",
      });
    await end();
  });

  it("shows the window of the model from the start, and after another one was chosen", async () => {
    const { agent, run, end } = await chat([], { model: "claude-opus-5-5" });
    expect(agent.status().windowTokens).toBe(1_000_000);
    await run("/model claude-opus-4-5");
    expect(agent.status().windowTokens).toBe(200_000);
    await end();
  });

  it("asks about no change that is certain to fail", async () => {
    const asked: string[] = [];
    const edit = { path: "a.txt", old_string: "one", new_string: "two" };
    const script = [
      callTool("edit", edit),
      callTool("write", { path: "a.txt", content: "lost" }),
      callTool("edit", { ...edit, path: "none.txt" }),
      callTool("read", { path: "a.txt" }),
      callTool("edit", edit),
      "Done.",
    ];
    const { place, agent, end } = await chat(script, {
      askPerson: async ({ what }) => {
        asked.push(what);
        return { allow: "once" };
      },
    });
    writeFileSync(join(place.folder, "a.txt"), "one");
    await agent.send("Change it.");
    expect(asked).toEqual(["change a.txt"]);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("two");
    await end();
  });
});
