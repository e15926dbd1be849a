import { describe, expect, it } from "vitest";
import { SessionInfoBuilder } from "#stores/shared/session-info.ts";
import type { Entry } from "#transcript/entries.ts";

const stored = { sessionId: "s", bytes: 1, isInUse: false };

function firstPromptOf(...messages: readonly (readonly string[])[]): string | undefined {
  const info = new SessionInfoBuilder();
  for (const texts of messages)
    info.add({
      type: "message",
      role: "user",
      at: 1,
      content: texts.map((text) => ({ type: "text", text })),
    } as unknown as Entry);
  return info.info(stored).firstPrompt;
}

describe("the first prompt of a session", () => {
  it("is the beginning of a prompt that is stored beside the log, unless that may be an element around it", () => {
    const long = (text: string, origin = "user") => {
      const shown = { type: "text", text };
      const blob = { type: "blob", blob: { hash: "0", bytes: 100_000 }, view: "preview", shown };
      return { type: "message", role: "user", origin, at: 1, content: [blob] } as unknown as Entry;
    };
    const info = new SessionInfoBuilder();
    info.add(long("a file of the host", "host"));
    info.add(long("<ide_opened_file>The user opened a.ts"));
    info.add(long("Fix the build:\n\nerror 1 …"));
    info.add(long("And now?"));
    expect(info.info(stored).firstPrompt).toBe("Fix the build: error 1 …");
  });

  it.each([
    { messages: [["fix the build"]], prompt: "fix the build", why: "nothing stands before it" },
    {
      messages: [["<ide_opened_file>The user opened a.ts</ide_opened_file>", "fix the build"]],
      prompt: "fix the build",
      why: "an editor told of a file",
    },
    {
      messages: [["<current_datetime>2026</current_datetime>\n\n  fix the\nbuild"]],
      prompt: "fix the build",
      why: "the time stands before it",
    },
    {
      messages: [
        [
          "# AGENTS.md instructions for /w\n<INSTRUCTIONS>…",
          "<environment_context><cwd>/w</cwd></environment_context>",
        ],
        ["fix the build"],
      ],
      prompt: "fix the build",
      why: "the first message is instructions",
    },
    {
      messages: [
        ["<local-command-caveat>Caveat</local-command-caveat>"],
        ["<command-message>review</command-message> <command-name>/review</command-name>"],
        ["fix the build"],
      ],
      prompt: "fix the build",
      why: "commands were run first",
    },
    {
      messages: [
        ["<time>2026</time><task>\nfix the build\n</task>", "# task_progress", "<files>a.ts</files>"],
      ],
      prompt: "fix the build",
      why: "an element stands around it",
    },
    {
      messages: [["<task> </task> fix the build"]],
      prompt: "fix the build",
      why: "the element around it is empty",
    },
    { messages: [["<b>bold</b> words"]], prompt: "words", why: "an element of the user's own" },
    { messages: [["<br> is a tag"]], prompt: "<br> is a tag", why: "an element without an end" },
    {
      messages: [["<command-name>/init</command-name>"]],
      prompt: "<command-name>/init</command-name>",
      why: "there is nothing else",
    },
    {
      messages: [
        ["<command-name>/clear</command-name> <command-args></command-args>"],
        [
          "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all of it</command-args>",
        ],
      ],
      prompt: "/review all of it",
      why: "a command with arguments is what was typed",
    },
    { messages: [[" "]], prompt: undefined, why: "nothing is said" },
  ])("is what a user says: $why", ({ messages, prompt }) => {
    expect(firstPromptOf(...messages)).toBe(prompt);
  });

  it("is not what a program inserted with the role of a user, unless there is nothing else", () => {
    const info = new SessionInfoBuilder();
    const add = (origin: string, text: string) =>
      info.add({
        type: "message",
        role: "user",
        at: 1,
        origin,
        content: [{ type: "text", text }],
      } as unknown as Entry);
    add("host", "SessionStart hook: be terse.");
    expect(info.info(stored).firstPrompt).toBe("SessionStart hook: be terse.");
    add("recalled", "Notes of earlier sessions.");
    add("user", "fix the build");
    expect(info.info(stored).firstPrompt).toBe("fix the build");
  });

  it("is found in linear time", () => {
    expect(firstPromptOf(["<a></a>".repeat(200_000)])).toHaveLength(200);
  });
});
