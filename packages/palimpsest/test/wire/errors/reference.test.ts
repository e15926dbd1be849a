/** `docs/reference/model-failures.md` is written from the tables: `npx vitest run packages/palimpsest/test/wire/errors -u`. */
import { describe, expect, it } from "vitest";
import type { FailureRow } from "#wire/errors/failure-rows.ts";
import { FAILURE_ROWS } from "#wire/errors/model-failure.ts";

const HEAD = `# Model failures

What providers say when a call fails, and what \`classifyModelError\` of \`palimpsest/tokens\` makes of it. The kinds say what helps:

| kind | what helps |
| --- | --- |
| \`prompt-too-long\` | a shorter prompt |
| \`output-too-long\` | less output asked for, or a shorter prompt |
| \`body-too-large\`, \`media-too-large\` | fewer bytes; fewer or smaller images and documents |
| \`over-rate-limit\` | a shorter prompt: the request alone is more than a minute allows |
| \`throttled\` | waiting, \`retryAfterMs\` where the provider says how long |
| \`overloaded\`, \`network\`, \`timeout\` | trying again later |
| \`aborted\` | nothing: the caller asked for it |
| \`not-allowed\`, \`unknown-model\` | a person: key, permission, credit, the model's name |
| \`invalid-request\` | a corrected request; with \`isThinkingBinding\`, one without the reasoning that was signed for another history |
| \`unreadable-answer\` | trying again; if it stays, look at what stands between you and the provider |
| \`unknown\` | reading \`message\` |

Words count before statuses, because gateways change statuses and keep words. Where the words are in no table, the status decides: 401, 402 and 403 are \`not-allowed\`, 408 and 504 \`timeout\`, 413 \`body-too-large\`, 429 \`throttled\`, other 4xx \`invalid-request\`, 5xx \`overloaded\`.

Some providers say nothing: \`findSilentOverflow\` finds it in the usage of the answer. One figure proves nothing, so each verdict takes two signals: a prompt above the window and an estimate that is not far below it; a filled window and an answer without a word that ended at a limit; a prompt far below the estimate and reports that have stopped growing (\`PromptCeiling\`).

The table below is written from the source by a test. If your provider says something else, please open an issue with its words.

| who | kind | as it was seen | figures that are read | codes |
| --- | --- | --- | --- | --- |
`;

const FIGURES: Readonly<Record<string, string>> = {
  prompt: "prompt",
  limit: "limit",
  output: "output",
  bytes: "bytes",
  limitBytes: "limit in bytes",
};

function rowText({ vendor, kind, sample, pattern, codes = [], isThinkingBinding }: FailureRow): string {
  const figures = [...(pattern?.source ?? "").matchAll(/\(\?<(\w+)>/g)].flatMap(
    (match) => FIGURES[match[1]!] ?? [],
  );
  const cells = [
    vendor,
    `\`${kind}\`${isThinkingBinding === true ? ", binding" : ""}`,
    sample.replaceAll("|", "\\|").replaceAll("<", "&lt;"),
    figures.join(", "),
    codes.map((code) => `\`${code}\``).join(", "),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

describe("docs/reference/model-failures.md", () => {
  it("is what the tables say", async () => {
    const text = HEAD + FAILURE_ROWS.map(rowText).join("");
    await expect(text).toMatchFileSnapshot("../../../../../docs/reference/model-failures.md");
  });
});
