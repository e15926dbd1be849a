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

const DOCUMENT = fileURLToPath(new URL("../../../../docs/reference/classic.md", import.meta.url));
type Row = readonly [what: string, constant: string, run: () => Promise<string>, shows: string];

const NOTES = { notes: { costShareCap: "off" } } as const;

const ROWS: readonly Row[] = [
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
  ["Collapse", "before a summary", () => firstRewrite({}, []), "collapse"],
  [
    "Session-memory compact",
    "before the call of a model",
    () => firstRewrite(NOTES, ["collapse"]),
    "session-memory",
  ],
  ["Full compact", "one call", () => firstRewrite({}, ["collapse"]), "call written, full"],
  [
    "Retries of a prompt that is too long",
    "3; then a summary from the log",
    () => firstRewrite({ summary: () => tooLong }, ["collapse"]),
    "call failed, call failed, call failed, call failed, extractive",
  ],
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
