/** The user's requests in a summary: what came of each, and demands that nothing else has. */
import { describe, expect, it } from "vitest";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { coverageOf } from "#compaction/summary/log-parts.ts";
import { composeRequests } from "#compaction/summary/request-lines.ts";
import type { Message } from "#transcript/blocks.ts";
import { assistant, call, measure, result, text, user } from "../../../../../test/helpers/windows.ts";

function digestOf(messages: readonly Message[]): Digest {
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  return digest;
}

const answer = (words: string, id = "a"): Message => assistant(id, text(words));

interface Given {
  readonly summary?: string;
  readonly verbatim?: readonly number[];
  readonly budgetTokens?: number;
  readonly throughSeq?: number;
}

function lines(messages: readonly Message[], given: Given = {}): readonly string[] {
  const { summary = "", verbatim = [], budgetTokens = 2_000, throughSeq = messages.length } = given;
  const sections = composeRequests(
    digestOf(messages),
    { budgetTokens, throughSeq, verbatimSeqs: new Set(verbatim), isCovered: coverageOf(summary) },
    measure,
  );
  expect(sections.length).toBeLessThan(2);
  expect(measure(text(sections.join("")))).toBeLessThanOrEqual(budgetTokens);
  return sections.join("").split("\n").slice(2);
}

describe("a request", () => {
  it("that was answered has the last words of its turn, and what was changed for it", () => {
    const messages = [
      user("Mend the lexer."),
      assistant("a", text("I look first."), call("c1", "Read", { file_path: "src/lexer.ts" })),
      result("c1", "let x"),
      assistant("b", call("c2", "Edit", { file_path: "src/lexer.ts", old_string: "x", new_string: "y" })),
      result("c2", "ok"),
      answer("The lexer is mended.", "c"),
      user("Now the printer."),
    ];
    expect(lines(messages, { verbatim: [1, 7] })).toEqual([
      '- m1.0 "Mend the lexer.": answered (m6.0): "The lexer is mended."; 1 change, last in src/lexer.ts',
      '- m7.0 "Now the printer.": open',
    ]);
  });

  it("whose last call failed says so; a later success takes it back", () => {
    const failing = [
      user("Run the tests."),
      assistant("a", call("c1", "Bash", { command: "npm test" })),
      result("c1", "Error: 3 tests failed", true),
      answer("They fail.", "b"),
    ];
    expect(lines([...failing, user("Again.")], { verbatim: [1, 5] })).toEqual([
      '- m1.0 "Run the tests.": answered (m4.0): "They fail."; its last call failed: Error: 3 tests failed',
      '- m5.0 "Again.": open',
    ]);
    const passing = [
      ...failing.slice(0, 3),
      assistant("c", call("c2", "Bash", { command: "npm test" })),
      result("c2", "ok"),
      answer("They pass.", "d"),
    ];
    expect(lines(passing, { verbatim: [1] })).toEqual([
      '- m1.0 "Run the tests.": answered (m6.0): "They pass."',
    ]);
  });

  it("that was cut short is not taken for done", () => {
    const messages = [
      user("Mend the lexer."),
      assistant("a", text("I begin."), call("c1", "Read", { file_path: "src/lexer.ts" })),
      result("c1", "let x"),
      user("[Request interrupted by user]"),
      user("Mend the printer instead."),
    ];
    expect(lines(messages, { verbatim: [1, 5] })[0]).toBe(
      '- m1.0 "Mend the lexer.": cut short by the next message',
    );
  });

  it("that the user cut short last is not open", () => {
    const messages = [
      user("Mend the lexer."),
      answer("Done."),
      user("Delete the branch."),
      user("[Request interrupted by user]"),
    ];
    expect(lines(messages, { verbatim: [1, 3] }).at(-1)).toBe(
      '- m3.0 "Delete the branch.": cut short by the next message',
    );
  });

  it("that is the only one, open and quoted in full, needs no line", () => {
    expect(lines([user("Mend the lexer.")], { verbatim: [1] })).toEqual([]);
  });

  it("after the summary's end is not told", () => {
    const messages = [user("One thing."), answer("Done."), user("Another thing.")];
    expect(lines(messages, { verbatim: [1], throughSeq: 2 })).toEqual([
      '- m1.0 "One thing.": answered (m2.0): "Done."',
    ]);
  });
});

describe("demands", () => {
  const long = `Please build the exporter. ${"It reads the rows of the table. ".repeat(20)}\n- Never write to the archive folder.\nIt must finish within a second. ${"The rest is as before. ".repeat(20)}`;
  const messages = [user("Hello."), answer("Hi."), user(long), answer("Built.", "b"), user("Thanks.")];

  it("that neither the summary nor the quoted words have are added", () => {
    expect(lines(messages, { verbatim: [1, 5] }).slice(1, 4)).toEqual([
      expect.stringMatching(
        /^- m3\.0 "Please build the exporter\. It reads .*": answered \(m4\.0\): "Built\."$/,
      ),
      '  - demanded there: "Never write to the archive folder."',
      '  - demanded there: "It must finish within a second."',
    ]);
  });

  it("that the summary tells, in whatever words, are not", () => {
    const summary =
      "Build the exporter; never write to the archive folder; it has to finish within a second.";
    expect(lines(messages, { verbatim: [1, 5], summary }).join("\n")).not.toContain("demanded there");
  });

  it("that are quoted in full are not", () => {
    expect(lines(messages, { verbatim: [1, 3, 5] }).join("\n")).not.toContain("demanded there");
  });

  it.each([
    ["Прочитай файл. Никогда не трогай архив."],
    ["ファイルを読んで。必ずテストを実行。"],
    ["Lies die Datei. Ändere niemals das Archiv."],
    ["請讀檔案。務必保留存檔。"],
    ["파일을 읽어. 보관함은 절대 건드리지 마."],
    ["Leia o arquivo. Deve terminar em um segundo."],
  ])("are found in other languages, too: %s", (words) => {
    const filler = `${"x ".repeat(300)}\n${words}`;
    expect(
      lines([user("Hi."), answer("Hi."), user(filler), answer("Ok.", "b")], { verbatim: [1] }).join("\n"),
    ).toContain("demanded there");
  });
});

it("of many requests those that are not done come first, then the newest, in the order of the log", () => {
  const messages = [
    user("Task number zero, which nobody finished."),
    ...Array.from({ length: 200 }, (_, index) => [
      user(`Do task ${index + 1} of the long list.`),
      answer(`Task ${index + 1} is done.`, `r${index}`),
    ]).flat(),
  ];
  const all = messages.map((_, index) => index + 1);
  const shown = lines(messages, { budgetTokens: 300, verbatim: all });
  expect(shown[0]).toMatch(/^- and \d+ more$/);
  expect(shown[1]).toBe('- m1.0 "Task number zero, which nobody finished.": cut short by the next message');
  expect(shown.at(-1)).toContain("Do task 200 of the long list.");
  expect(shown.length).toBeGreaterThan(4);
});

it("very many and very long requests are told within the budget, in linear time", () => {
  const messages = Array.from({ length: 450 }, (_, index) =>
    user(`${index} must ${"never do this. ".repeat(20)}`),
  );
  const digest = digestOf(messages);
  expect(digest.requests).toHaveLength(400);
  expect(digest.requests[0]?.seq).toBe(1);
  expect(lines(messages, { budgetTokens: 1_000 }).length).toBeGreaterThan(1);
});
