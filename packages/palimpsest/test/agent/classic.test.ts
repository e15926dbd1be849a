/**
 * The policy `classic` has the constants of Claude Code: each is shown by a run, and the table of
 * docs/reference/classic.md is made of them. With PALIMPSEST_WRITE=1 the table is written instead of compared.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { listRestorer } from "#session/compact/restored-lists.ts";
import { docsTool, setTheStage } from "#test/agent/stage.ts";
import { estimateBlock } from "#tokens/estimate/estimate-block.ts";
import {
  around,
  arrival,
  cleared,
  coldAfter,
  firstRewrite,
  full,
  layersOf,
  lines,
  MODEL,
  ONLY_SUMMARIES,
  ofTokens,
  prose,
  restored,
  tooLong,
  WINDOW,
} from "./classic-runs.ts";
import * as summaries from "./classic-summary-runs.ts";
import * as runs from "./classic-text-runs.ts";

const DOCUMENT = fileURLToPath(new URL("../../../../docs/reference/classic.md", import.meta.url));
type Row = readonly [what: string, constant: string, run: () => Promise<string>, shows: string];

const NOTES = { notes: { costShareCap: "off" } } as const;

const ROWS: readonly Row[] = [
  [
    "Summary reserve",
    "the model's longest answer, 20,000 at the most",
    runs.budgets,
    "8,000: 192,000; 20,000: 180,000; 64,000: 180,000 of 200,000 are effective",
  ],
  [
    "Warning and error threshold",
    "effective window (180,000 of 200,000) less 20,000",
    () => around(160_000, { autoCompact: false }),
    "159,999: none; 160,000: warning and error",
  ],
  [
    "Auto-compact threshold",
    "effective window less 13,000",
    () => around(167_000, { disabledLayers: ONLY_SUMMARIES }),
    "166,999: warning and error; 167,000: extractive",
  ],
  [
    "Blocking limit",
    "effective window less 3,000",
    () =>
      around(
        177_000,
        { autoCompact: false, disabledLayers: ONLY_SUMMARIES },
        { rounds: 62, tokens: 3_000, tool: "mcp__docs__get" },
      ),
    "176,999: warning and error; 177,000: WINDOW_TOO_SMALL",
  ],
  [
    "Offload of old blocks above 2,000 tokens",
    "60 % of the effective window",
    () =>
      around(
        108_000,
        { disabledLayers: ["arrival", "microcompact"] },
        { rounds: 30, tokens: 3_600, tool: "mcp__docs__get" },
      ),
    "107,999: none; 108,000: offload",
  ],
  [
    "The user's own words at the gates",
    "stay as they are",
    runs.userAtTheGates,
    "40 messages of 3,600 in 150,000: all whole",
  ],
  [
    "Microcompact by size",
    "80 % of the effective window",
    () => around(144_000, { disabledLayers: ["arrival", "offload"] }, { rounds: 40, tokens: 2_800 }),
    "143,999: none; 144,000: microcompact",
  ],
  [
    "Microcompact by count",
    "100 results, the newest 5 stay",
    async () => `${await cleared(99)}; ${await cleared(100)}`,
    "99 results: none cleared; 100 results: microcompact (count), 5 stay",
  ],
  [
    "Microcompact by time",
    "the cache's 5 minutes, the newest 5 stay",
    async () => `${await coldAfter(300_000)}; ${await coldAfter(300_001)}`,
    "300000 ms: none cleared; 300001 ms: microcompact (cache-cold), 5 stay",
  ],
  [
    "Results of other tools, as of MCP servers and agents",
    "stay",
    () => runs.briefs("mcp__docs__get", 1_000),
    "all stay",
  ],
  ["A cleared result", "a brief of about 60 tokens", () => runs.briefs("Read", 3_000), "up to 67 tokens"],
  [
    "A cleared result of a query under 1,000 characters",
    "goes with its call",
    async () => `999: ${await runs.briefs("Grep", 999)}; 1,000: ${await runs.briefs("Grep", 1_000)}`,
    "999: gone with their calls; 1,000: up to 60 tokens",
  ],
  [
    "New blocks",
    "25,000 tokens",
    async () => `25,000: ${await arrival(ofTokens(25_000))}; 25,010: ${await arrival(ofTokens(25_010))}`,
    "25,000: whole; 25,010: preview",
  ],
  [
    "New blocks",
    "100,000 bytes",
    async () => `100,000: ${await arrival(prose(100_000))}; 100,001: ${await arrival(prose(100_001))}`,
    "100,000: whole; 100,001: preview",
  ],
  [
    "New blocks",
    "lines of 20,000 characters",
    async () =>
      `20,000: ${await arrival("word ".repeat(4_000))}; 20,001: ${await arrival(`${"word ".repeat(4_000)}.`)}`,
    "20,000: whole; 20,001: preview",
  ],
  [
    "New results of one message",
    "50,000 tokens together",
    async () => `${await runs.together(16_600)}; ${await runs.together(16_700)}`,
    "3 of 16,600: 3 whole; 3 of 16,700: 0 whole",
  ],
  ["Preview of a block", "1,000 tokens", runs.previewSize, "30,000: 900 and some"],
  ["Collapse", "before a summary", () => firstRewrite({}, []), "collapse"],
  [
    "Session-memory compact",
    "before the call of a model",
    () => firstRewrite(NOTES, ["collapse"]),
    "session-memory",
  ],
  ["Full compact", "one call", () => firstRewrite({}, ["collapse"]), "call written, full"],
  [
    "A model's summary",
    "nine sections, of which an answer has at least five",
    summaries.nineSections,
    "9 asked for, 9 shown; an answer with 4: call failed, extractive",
  ],
  [
    "Retries of a prompt that is too long",
    "3; then a summary from the log",
    () => firstRewrite({ summary: () => tooLong }, ["collapse"]),
    "call failed, call failed, call failed, call failed, extractive",
  ],
  [
    "Rounds that a retry leaves out",
    "those that the error names, else 20 %",
    runs.retries,
    "51, 40, 32, 25 rounds are asked about",
  ],
  [
    "A refusal as too long",
    "collapses first, then a summary, each once",
    async () => `${await runs.refused(1)}; ${await runs.refused(2)}; ${await runs.refused(3)}`,
    "collapse, answered; collapse, call written, full, answered; collapse, call written, full, PROMPT_TOO_LONG",
  ],
  [
    "Messages after a summary",
    "35 % of the effective window, 50 % behind the notes",
    runs.targets,
    "63,000; 90,000",
  ],
  [
    "A compaction of no use",
    "frees less than 20 %, comes within 3 calls of the last, or leaves more than its target",
    async () => runs.verdicts(),
    "frees 13,999 of 70,000: freed-little, 14,000: of use; 3 calls after the last: refilled, 4: of use; leaves 63,001: missed-target, 63,000: of use",
  ],
  [
    "Thrashing",
    "3 compactions of no use in a row",
    runs.thrashing,
    "3 useless compactions, then COMPACTION_THRASHING",
  ],
  [
    "The user's words in a summary",
    "8,000 tokens, newest first, and more where there is room",
    async () => (await runs.summaryTexts()).words,
    "13 of 60 messages of the user, the first and the newest: 7865 tokens",
  ],
  [
    "Strings of a summary, to the letter",
    "6,000 tokens",
    async () => (await runs.summaryTexts()).strings,
    "5994 tokens of strings",
  ],
  ["Pins", "4,000 tokens", runs.pins, "3,900: pinned; 4,200: PIN_REFUSED"],
  ["Thinking", "32,000 tokens, counted apart", runs.thinking, "33,000: over its 32,000"],
  [
    "Breaker of the model's summaries",
    "3 failures in a row",
    async () => {
      const stage = await full(
        { notes: "off", summary: () => "", answer: (_, index) => lines(8_000, `answer ${index}`) },
        ["collapse"],
      );
      for (let turn = 0; layersOf(stage).length < 7; turn++) await stage.session.turn(`Question ${turn}.`);
      return layersOf(stage).join(", ");
    },
    "call failed, extractive, call failed, extractive, call failed, extractive, extractive",
  ],
  [
    "Files that are shown again",
    "5 of 5,000 tokens each, 50,000 in all",
    () => restored("file", {}),
    "5 of up to 4978 tokens, 24890 in all",
  ],
  [
    "Skills that are shown again",
    "5,000 tokens each, 25,000 in all",
    () =>
      restored("skill", {
        restorers: [
          listRestorer({
            name: "skills",
            kind: "skill",
            label: "Skill in use",
            form: "each",
            list: async () =>
              Array.from({ length: 8 }, (_, index) => ({
                key: `skill ${index}`,
                text: lines(9_000, `skill ${index}`),
              })),
          }),
        ],
      }),
    "7 of up to 4546 tokens, 24991 in all",
  ],
  [
    "Plans that are shown again",
    "plan mode, plan and open tasks, 8,000 tokens in all",
    async () => `${await summaries.plans(6_000)}; ${await summaries.plans(12_000)}`,
    "plan-mode, plan, todos: 6,570 tokens; plan-mode, plan (cut), todos: 7,321 tokens",
  ],
  [
    "Messages that stay behind the notes",
    "at least 10,000 tokens and 5 with text, 40,000 at the most",
    async () => {
      const stage = await full(NOTES, ["collapse"]);
      const all: string[] = [];
      for (let turn = 0; turn < 90 && all.length === 0; turn++) {
        await stage.session.turn(`Question ${turn}.`);
        await stage.session.notesSettled();
        if (!layersOf(stage).includes("session-memory")) continue;
        const { visible } = stage.session.session;
        const tail = visible.filter(({ insertedBy }) => insertedBy === undefined);
        const tokens = tail
          .slice(0, -1)
          .flatMap(({ blocks }) => blocks)
          .reduce((sum, { block }) => sum + estimateBlock(block, MODEL), 0);
        all.push(`${Math.floor(tokens / 1_000)}K tokens, ${tail.length - 1} messages`);
      }
      return all.join();
    },
    "10K tokens, 7 messages",
  ],
  [
    "Wait for an update of the notes",
    "15 seconds; then a summary",
    runs.notesWait,
    "15,000 ms, then call written, full",
  ],
  [
    "Sizes of the notes",
    "10 sections of 2,000 tokens, 12,000 in all",
    runs.notesSizes,
    "10 sections, the largest 2035 tokens with its heading, 12003 in all",
  ],
  [
    "Updates of the notes",
    "from 10,000 tokens on, then every 5,000 and 3 calls of tools, without a cap",
    async () => {
      const ofCalls = async (tokens: number): Promise<string> => {
        const stage = await setTheStage({ notes: {}, calls: 21, window: WINDOW });
        await stage.session.turn("Read everything.", { tools: [docsTool(tokens * 0.8)] });
        await stage.session.close();
        const calls = stage.events.filter(({ type }) => type === "answer" || type === "notes-update");
        const at = calls.flatMap(({ type }, index) =>
          type === "notes-update"
            ? [calls.slice(0, index).filter((one) => one.type === "answer").length]
            : [],
        );
        return `${tokens} tokens a call: after calls ${at.join(", ")}`;
      };
      return `${await ofCalls(1_000)}; ${await ofCalls(6_000)}`;
    },
    "1000 tokens a call: after calls 11, 16, 21; 6000 tokens a call: after calls 3, 6, 9, 12, 15, 18, 21, 22",
  ],
];

const TABLE = /(?<=<!-- table -->\n)[\s\S]*?(?=\n<!-- end of the table -->)/;

it.each(ROWS)("%s: %s", async (_what, _constant, run, shows) => {
  expect(await run()).toBe(shows);
});

it("is what the table of the document says", () => {
  const cells = ROWS.map(([what, constant, , shows]) => [what, constant, shows]);
  const all = [["What", "Constant", "What the run shows"], ["---", "---", "---"], ...cells];
  const table = all.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const document = readFileSync(DOCUMENT, "utf8");
  if (process.env["PALIMPSEST_WRITE"] === "1")
    writeFileSync(
      DOCUMENT,
      document.replace(TABLE, () => table),
    );
  else expect(TABLE.exec(document)?.[0]).toBe(table);
});
