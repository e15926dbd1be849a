/** What an edit reports as lost: only what the window no longer shows, not even inside a longer string. */
import { expect, it } from "vitest";
import { reportLoss } from "#compaction/summary/loss-report.ts";
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
