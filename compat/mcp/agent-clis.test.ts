/** Two agents of other makers share one memory: a fact that one remembers, the other recalls. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentCli, type CliPlace, type CliTask, claudeCode, opencode } from "./agent-cli.ts";

const CLIS: readonly AgentCli[] = [claudeCode, opencode];
const missing = CLIS.filter(({ program }) => program === undefined).map(({ name }) => name);

if (missing.length > 0)
  console.warn(`Skipped: ${missing.join(" and ")} missing in compat/node_modules (see compat/README.md).`);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-agents-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Both work in one folder, each with its own home. */
function placeOf(cli: AgentCli): CliPlace {
  const place = {
    userFolder: join(root, cli.name.replaceAll(" ", "-")),
    folder: join(root, "work"),
    palimpsestHome: join(root, "palimpsest"),
  };
  for (const folder of [place.userFolder, place.folder]) mkdirSync(folder, { recursive: true });
  return place;
}

/** Runs the CLI; resolves with everything that its model was sent, as text. */
async function run(cli: AgentCli, task: CliTask): Promise<string> {
  const { code, output, requests } = await cli.run(task, placeOf(cli));
  expect(code, output).toBe(0);
  const outcomes = requests.filter(({ purpose }) => purpose === "answer").map(({ outcome }) => outcome);
  expect(outcomes.length, output).toBeGreaterThanOrEqual(2);
  expect(new Set(outcomes), output).toEqual(new Set(["answered"]));
  return JSON.stringify(requests.map(({ body }) => body));
}

describe("two agent CLIs with palimpsest mcp", () => {
  it.skipIf(missing.length > 0).each([
    {
      teller: claudeCode,
      asker: opencode,
      fact: "The harbour pilot is called Ada.",
      question: "Who is the harbour pilot?",
    },
    {
      teller: opencode,
      asker: claudeCode,
      fact: "The ferry leaves from berth seven.",
      question: "Which berth has the ferry?",
    },
  ])(
    "$asker.name recalls what $teller.name was asked to remember",
    async ({ teller, asker, fact, question }) => {
      const sent = await run(teller, {
        prompt: `Remember this: ${fact}`,
        tool: "memory_remember",
        input: { text: fact },
      });
      expect(sent).toContain("written the-");
      const answer = await run(asker, {
        prompt: question,
        tool: "memory_recall",
        input: { query: question },
      });
      expect(answer).toContain(`> ${fact}`);
      expect(answer).toContain("concluded by an agent");
    },
  );

  it.skipIf(missing.length > 0)("leave memories that say who concluded them", () => {
    const home = join(root, "palimpsest");
    const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("seven.md"),
    );
    expect(files).toHaveLength(1);
    expect(readFileSync(join(home, files[0]!), "utf8")).toContain("source: agent\n");
  });
});
