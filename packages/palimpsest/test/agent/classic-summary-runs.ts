/** Runs that show what a model's summary has under the policy `classic`, and the plans that are shown again behind it. */
import { asksForSummary, SUMMARY } from "#test/agent/fake-model.ts";
import { blockText } from "#transcript/blocks.ts";
import { full, layersOf, lines } from "./classic-runs.ts";

const thousands = (value: number): string => value.toLocaleString("en-US");
const numbered = (text: string): number => (text.match(/(?:^|>)\d\. /gm) ?? []).length;

/** The sections that the model is asked for, those that the window shows, and an answer without most of them. */
export async function nineSections(): Promise<string> {
  const good = await full({ notes: "off" }, ["collapse"]);
  for (let turn = 0; !layersOf(good).includes("full"); turn++) await good.session.turn(`Question ${turn}.`);
  const asked = blockText(good.model.requests.find(asksForSummary)!.messages.at(-1)!.content.at(-1)!);
  const shown = good.session.session.visible
    .filter(({ origin }) => origin === "summary")
    .map(({ blocks }) => blocks.map(({ block }) => blockText(block)).join("\n"))
    .join("\n");

  const four = SUMMARY.replace(/5\. [\s\S]*(?=<\/summary>)/, "");
  const poor = await full({ notes: "off", summary: () => four }, ["collapse"]);
  for (let turn = 0; layersOf(poor).length < 2; turn++) await poor.session.turn(`Question ${turn}.`);
  return `${numbered(asked)} asked for, ${numbered(shown)} shown; an answer with ${numbered(four)}: ${layersOf(poor).slice(0, 2).join(", ")}`;
}

/** A plan of the host, its plan mode and the open tasks of the log, behind the first summary. */
export async function plans(planTokens: number): Promise<string> {
  const todos = Array.from({ length: 20 }, (_, index) => ({ content: `task ${index}`, status: "pending" }));
  const stage = await full(
    {
      notes: "off",
      plan: { planMode: async () => "Change nothing.", plan: async () => lines(planTokens, "plan") },
      answer: (_, index) =>
        index === 0
          ? [{ type: "tool_use", id: "todos", name: "TodoWrite", input: { todos } }]
          : lines(8_000, `answer ${index}`),
    },
    ["collapse"],
  );
  const write = { name: "TodoWrite", description: "Writes tasks.", inputSchema: { type: "object" as const } };
  await stage.session.turn("Plan it.", { tools: [{ ...write, run: () => "Written." }] });
  for (let turn = 0; !layersOf(stage).includes("full"); turn++) await stage.session.turn(`Question ${turn}.`);
  const restored = stage.events.flatMap((event) =>
    (event.type === "restored" || event.type === "restore-skipped") && event.restorer === "plan"
      ? [{ tokens: 0, isCut: false, ...event }]
      : [],
  );
  const sum = restored.reduce((total, { tokens }) => total + tokens, 0);
  const kinds = restored.map(({ kind, tokens, isCut }) =>
    tokens === 0 ? `no ${kind}` : isCut ? `${kind} (cut)` : kind,
  );
  return `${kinds.join(", ")}: ${thousands(sum)} tokens`;
}
