/**
 * A model's summary that drops what matters is completed from the log, in a run: with the demands, the outcomes and
 * the open task. Facts about the project are in the notes, whatever their words.
 */
import { expect, it } from "vitest";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import type { FakeReply } from "#test/agent/fake-model.ts";
import { type Stage, setTheStage, wordsOf } from "#test/agent/stage.ts";
import { blockText } from "#transcript/blocks.ts";

const toolOf = (name: string): AgentTool => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  run: () => "ok",
});
const tools = ["Edit", "Bash", "TodoWrite"].map(toolOf);

const use = (name: string, input: object): FakeReply => [
  { type: "tool_use", id: `call ${JSON.stringify(input).length}`, name, input: input as never },
];

const ANSWERS: readonly FakeReply[] = [
  use("Edit", { file_path: "src/parser.ts", old_string: "parseLine", new_string: "readLine" }),
  "parseLine is called readLine now, in src/parser.ts and its two callers.",
  use("TodoWrite", {
    todos: [
      { content: "Add a test for tabs", status: "completed" },
      { content: "Document the flag --strict-tabs in docs/flags.md", status: "pending" },
    ],
  }),
  "The test for tabs is in test/tabs.test.ts and passes. The staging database listens on port 5433 and is reset every night.",
];

async function worked(options: Parameters<typeof setTheStage>[0] = {}): Promise<Stage> {
  const stage = await setTheStage({ answer: (_, index) => ANSWERS[index] ?? wordsOf(900), ...options });
  await stage.session.turn("Rename parseLine to readLine. Never touch src/legacy.ts.", { tools });
  await stage.session.turn("Add a test for tabs, and document --strict-tabs.", { tools });
  for (let turn = 0; turn < 8; turn++)
    await stage.session.turn(`Explain part ${turn} of the parser.`, { tools });
  return stage;
}

/** The messages of the next request. */
const textOf = async ({ session }: Stage): Promise<string> =>
  (await session.prepare()).messages.flatMap(({ content }) => content.map(blockText)).join("\n");

it("has the demands, what came of each request, and the open task that the model's summary dropped", async () => {
  const stage = await worked();
  const { edits, writtenBy } = await stage.session.compact();
  expect([edits.at(-1)?.edit.kind, writtenBy]).toEqual(["full", "claude-sonnet-4-5"]);
  const text = await textOf(stage);
  expect(text).toContain("Never touch src/legacy.ts.");
  // A finished request has its outcome, so that it is not begun again.
  expect(text).toMatch(
    /"Rename parseLine to readLine\. Never touch src\/legacy\.ts\.": answered \(m\d+\.0\): "parseLine is called readLine now, .*; 1 change, last in src\/parser\.ts/,
  );
  const open = text.split("## Open tasks that the summary does not name, from the log")[1]?.split("\n## ")[0];
  expect(open?.trim()).toBe("- Document the flag --strict-tabs in docs/flags.md");
});

it("keeps in the notes what was told, in whatever words", async () => {
  const stage = await worked({ notes: { costShareCap: "off" }, window: { disabledLayers: [] } });
  await stage.session.notesSettled();
  for (
    let turn = 0;
    !stage.events.some((event) => event.type === "layer" && event.edit.isBoundary === true) && turn < 60;
    turn++
  )
    await stage.session.turn(`Explain part ${turn} again.`, { tools });
  const notes = await stage.session.readNotes();
  expect(notes?.text).toContain("port 5433");
});
