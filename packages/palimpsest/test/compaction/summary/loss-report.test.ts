/** What an edit reports as lost: only what the window no longer shows, not even inside a longer string. */
import { expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { reportLoss } from "#compaction/summary/loss-report.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

const hidden = asWindow([
  user("Mend `parse_ledger` and `print_ledger` in src/ledger.ts."),
  assistant(
    "r1",
    call("c1", "Read", { file_path: "src/ledger.ts" }),
    call("c2", "Bash", { command: "npm test" }),
  ),
  result("c1", "export function parse_ledger() {}"),
  assistant("r2", text("I look at `sum_of_rows`, too.")),
]);

const lossWith = (shown: readonly string[], kept: Parameters<typeof asWindow>[0] = []) =>
  reportLoss({ hidden, shown, kept: asWindow(kept), verbatimSeqs: new Set() });

it("lists files, commands and strings that were shown nowhere else", () => {
  const { files, commands, strings } = lossWith(["The ledger was mended."]);
  expect(files).toEqual(["src/ledger.ts"]);
  expect(commands).toEqual(["npm test"]);
  expect([...strings].sort()).toEqual([
    "file_path",
    "ledger.ts",
    "parse_ledger",
    "print_ledger",
    "src/ledger.ts",
    "sum_of_rows",
  ]);
});

it("lists nothing that can be read inside a longer string of the summary, or of a message that stays", () => {
  const shown = ["It is `reparse_ledger_rows` of /home/me/src/ledger.ts."];
  const kept = [assistant("r9", call("c9", "Bash", { command: "npm test -- old_print_ledger_2" }))];
  const { files, commands, strings } = lossWith(shown, kept);
  expect(files).toEqual([]);
  expect(commands).toEqual([]);
  expect([...strings].sort()).toEqual(["file_path", "sum_of_rows"]);
});

const KEY = `sk-ant-api03-${"Ab3dEf6hIj9l".repeat(4)}`;

/** A read of a file between a question and an answer, and how often the file's text was looked at. */
function readOf(content: string) {
  let lookedAt = 0;
  const block = {
    type: "tool_result",
    tool_use_id: "c1",
    get content() {
      lookedAt++;
      return content;
    },
  } as const;
  const messages = [...hidden.slice(0, 2), { ...hidden[2]!, blocks: [{ ...hidden[2]!.blocks[0]!, block }] }];
  return { messages, lookedAt: () => lookedAt };
}

function ledgerOf(messages: readonly VisibleMessage[]) {
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of messages)
    addToDigest(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  return digest.literals;
}

it("lists the same names by the ledger of the log, without a look at the texts that are hidden", () => {
  const { messages, lookedAt } = readOf(`export function parse_ledger() {}\nkey = "${KEY}"`);
  const ledger = ledgerOf(messages);
  const before = lookedAt();
  const { strings, files, commands, blocks } = reportLoss({
    ...{ hidden: messages, shown: ["It is `old_print_ledger`."], kept: [], verbatimSeqs: new Set(), ledger },
  });
  expect(lookedAt()).toBe(before);
  expect({ files, commands, blocks }).toEqual({
    files: ["src/ledger.ts"],
    commands: ["npm test"],
    blocks: 4,
  });
  expect(strings).toEqual(expect.arrayContaining(["parse_ledger", "src/ledger.ts"]));
  expect(strings).not.toContain("print_ledger");
  expect(strings.join(" ")).not.toContain("Ab3dEf");
});

it("lists no name of the ledger that was used after the hidden messages, or was hidden before", () => {
  const all = asWindow([
    user("First `earlier_name`."),
    assistant("r1", text("Then `hidden_name` and `later_name`.")),
    user("At last `later_name`."),
  ]);
  const { strings } = reportLoss({
    ...{ hidden: all.slice(1, 2), shown: ["A summary."], kept: all.slice(2), verbatimSeqs: new Set() },
    ledger: ledgerOf(all),
  });
  expect(strings).toEqual(["hidden_name"]);
});
