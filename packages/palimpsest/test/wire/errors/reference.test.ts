/** `docs/reference/model-failures.md` is written from the tables: `npx vitest run packages/palimpsest/test/wire/errors -u`. */
import { describe, expect, it } from "vitest";
import type { FailureRow } from "#wire/errors/failure-evidence.ts";
import { FAILURE_ROWS } from "#wire/errors/model-failure.ts";

const HEAD = `# Model failures

Providers' error texts, and how \`classifyModelError\` of \`palimpsest/tokens\` classifies them:

| kind | what helps |
| --- | --- |
| \`prompt-too-long\` | a shorter prompt |
| \`output-too-long\` | less output asked for, or a shorter prompt |
| \`body-too-large\`, \`media-too-large\` | fewer bytes; fewer or smaller images and documents |
| \`over-rate-limit\` | a shorter prompt: the request alone is more than a minute allows |
| \`throttled\` | waiting, \`retryAfterMs\` if the provider names a time |
| \`overloaded\`, \`network\`, \`timeout\` | trying again later |
| \`aborted\` | nothing: the caller asked for it |
| \`not-allowed\`, \`unknown-model\` | a person: key, permission, credit, the model's name |
| \`invalid-request\` | a corrected request; with \`isThinkingBinding\`, one without reasoning that was signed for another history |
| \`unreadable-answer\` | trying again; if it stays, check the proxies between you and the provider |
| \`unknown\` | reading \`message\` |

Texts count before statuses, because gateways change statuses and keep texts. For an unknown text the status decides: 401, 402 and 403 are \`not-allowed\`, 408 and 504 \`timeout\`, 413 \`body-too-large\`, 429 \`throttled\`, other 4xx \`invalid-request\`, 5xx \`overloaded\`.

Some providers cut a prompt silently; \`findSilentOverflow\` detects it by the answer's usage. Each verdict needs two signals: a prompt above the window and an estimate not far below it; a filled window and an empty answer that ended at a limit; a prompt far below the estimate and reports that have stopped growing (\`PromptCeiling\`).

A test writes the table from the source. If your provider has another text, please open an issue with it.

| provider | kind | text | figures | codes |
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
