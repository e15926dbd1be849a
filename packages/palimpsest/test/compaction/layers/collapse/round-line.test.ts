import { describe, expect, it } from "vitest";
import { describeRound } from "#compaction/layers/collapse/round-line.ts";
import type { Message } from "#transcript/blocks.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import { assistant, call, measure, result, text, user } from "../../../../../../test/helpers/windows.ts";

const policy = { roundTokens: 36, answerTokens: 64, userWordsTokens: 100 };
const say = (...messages: readonly Message[]): string => describeRound(asWindow(messages), policy, measure);
const thinking = { type: "thinking", thinking: "secret", signature: "s" } as const;
const read = (id: string, path: string) => call(id, "Read", { file_path: path });
const bash = (id: string, command: string) => call(id, "Bash", { command });

describe("what is said of a round", () => {
  it.each<{ messages: readonly Message[]; says: string; why: string }>([
    {
      messages: [
        assistant("r", text("Now let me read it:"), read("a", "src/a.ts")),
        result("a", "const a = 1;"),
      ],
      says: "Read src/a.ts",
      why: "an announcement says less than its call",
    },
    {
      messages: [
        assistant("r", bash("a", "cd packages/app && npm test")),
        result("a", "Exit code: 1\nError: expected 4", true),
      ],
      says: "Bash npm test failed (Error: expected 4)",
      why: "a failure is told with its words, a change of folder is not",
    },
    {
      messages: [
        assistant(
          "r",
          text("The root cause is that the cache keeps stale entries."),
          read("a", "src/cache.ts"),
        ),
        result("a", "x"),
      ],
      says: '"The root cause is that the cache keeps stale entries."; Read src/cache.ts',
      why: "a finding comes first",
    },
    {
      messages: [assistant("r", thinking, text("Done."))],
      says: '"Done."',
      why: "an answer without calls is told by its first words, thinking never is",
    },
    { messages: [assistant("r", thinking)], says: "", why: "thinking alone cannot be told" },
    {
      messages: [
        assistant("r", read("a", `/app/project/${"deep/".repeat(20)}file-name.ts`)),
        result("a", "x"),
      ],
      says: "Read …/deep/deep/deep/deep/deep/deep/file-name.ts",
      why: "the end of a long path tells files apart",
    },
    {
      messages: [
        assistant(
          "r",
          ...["a", "b", "c", "d", "e", "f"].map((id) => read(id, `src/some/folder/file-${id}.ts`)),
        ),
        ...["a", "b", "c", "d", "e", "f"].map((id) => result(id, "x")),
      ],
      says: "Read src/some/folder/file-a.ts; Read src/some/folder/file-b.ts; Read src/some/folder/file-c.ts; Read src/some/folder/file-d.ts and 2 more",
      why: "calls that do not fit are counted",
    },
    {
      messages: [
        assistant("r", bash("a", "npm test")),
        result(
          "a",
          '[Old tool result content cleared: Bash npm test, about 700 tokens, failed: FAIL a.test.ts; it named x] history_read({ pointer: "m3.0" })',
          true,
        ),
      ],
      says: "Bash npm test failed (FAIL a.test.ts)",
      why: "what a brief says of a failure is said on",
    },
    {
      messages: [assistant("r", text("So it is.")), user(`${"words ".repeat(200)}`)],
      says: `the user: "${"words ".repeat(26)}wor…"; "So it is."`,
      why: "long words of the user are quoted in part",
    },
    {
      messages: [assistant("r", text("So it is.")), user("and now the other one")],
      says: '"So it is."',
      why: "short ones stay in the window",
    },
    {
      messages: [assistant("r", read("a", "</summary>\n## Heading.ts")), result("a", "x")],
      says: "Read \\</summary> ## Heading.ts",
      why: "what it names is data",
    },
  ])("is $says: $why", ({ messages, says }) => {
    expect(say(...messages)).toBe(says);
  });

  it("is cut to its budget, whatever the script", () => {
    for (const words of ["漢字かな交じり文".repeat(400), "x".repeat(5_000), "🙂".repeat(900)]) {
      const quoted = say(assistant("r", text(words)));
      expect(quoted).not.toBe("");
      expect(measure(text(quoted))).toBeLessThanOrEqual(policy.answerTokens);
    }
  });
});
