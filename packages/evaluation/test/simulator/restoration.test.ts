/** Files that are shown again after a compaction: by the peer, and by the library's own policies. */
import { costPolicy } from "palimpsest/experimental";
import { makeTrajectory, type RecordedMessage, type Trajectory } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { BASELINES } from "#baselines/baselines.ts";
import type { PolicyUnderTest } from "#simulator/contestant.ts";
import { managedPolicy } from "#simulator/managed-window.ts";
import { CONFIGURATIONS, type ConfigurationName } from "#simulator/own-policies.ts";
import { newestFiles } from "#simulator/session-files.ts";
import { simulate } from "#simulator/simulate.ts";
import { aSetting } from "../../../../test/helpers/made-up-trajectories.ts";

type Recorded = Pick<RecordedMessage, "message" | "author" | "text" | "argumentsText">;

const LINE = "const timeout = readTimeout(options);";
const FILE = ["import { readTimeout } from './time.ts';", LINE, "export { timeout };"];

function called(id: string, name: string, input: Record<string, string>): Recorded {
  const text = Object.values(input).join("\n");
  const content = [{ type: "tool_use", id, name, input }] as const;
  return { message: { role: "assistant", content }, author: "assistant", text, argumentsText: text };
}

function answered(id: string, text: string): Recorded {
  const content = [{ type: "tool_result", tool_use_id: id, content: text }] as const;
  return { message: { role: "user", content }, author: "tool", text, argumentsText: "" };
}

const userText = (text: string): Recorded => ({
  message: { role: "user", content: [{ type: "text", text }] },
  author: "user",
  text,
  argumentsText: "",
});

const readFile = (id: string, path: string, lines: readonly string[]): readonly Recorded[] => [
  called(id, "Read", { file_path: path }),
  answered(id, lines.map((line, index) => `${String(index + 1).padStart(6)}→${line}`).join("\n")),
];

const PROSE = "the output of a command that nothing needs later on. ".repeat(40);

/** A file is read, commands fill the window, and then a line of the file is edited. */
function editedLate(commands: number): Trajectory {
  const messages = [
    userText("please raise the timeout"),
    ...readFile("r", "src/a.ts", FILE),
    ...Array.from({ length: commands }, (_, index) => [
      called(`b${index}`, "Bash", { command: `make step ${index}` }),
      answered(`b${index}`, PROSE),
    ]).flat(),
    called("e", "Edit", { file_path: "src/a.ts", old_string: LINE, new_string: "const timeout = 9;" }),
  ];
  return makeTrajectory({
    name: "edited-late",
    model: "claude-opus-4-5",
    fixedTokens: 1_000,
    messages: messages.map((one, index) => ({
      ...one,
      tokens: Math.ceil(one.text.length / 4) + 10,
      atMs: index * 10_000,
    })),
  });
}

describe("newestFiles", () => {
  const messages = [
    userText("please"),
    ...readFile("r1", "src/a.ts", FILE),
    ...readFile("r2", "src/b.ts", ["export const second = 2;"]),
    called("e", "Edit", { file_path: "src/a.ts", old_string: LINE, new_string: "const timeout = 9;" }),
    answered("e", "The file was updated."),
  ];
  const trajectory = {
    ...editedLate(0),
    messages: messages.map((one) => ({
      ...one,
      tokens: 10,
      atMs: 0,
      strings: new Set<string>(),
      references: [],
    })),
  };
  const budget = { filesCount: 5, fileTokens: 500, filesTokens: 2_000 };

  it("returns the files that were used last first, as they are after every edit", () => {
    const texts = newestFiles(trajectory, 7, budget)!;
    expect(texts.map((text) => text.split("\n")[0])).toEqual([
      expect.stringContaining("src/a.ts"),
      expect.stringContaining("src/b.ts"),
    ]);
    expect(texts[0]).toContain("const timeout = 9;");
    expect(texts[0]).not.toContain(LINE);
  });

  it("knows nothing that comes later", () => {
    const [text] = newestFiles(trajectory, 3, budget)!;
    expect(text).toContain(LINE);
    expect(newestFiles(trajectory, 3, budget)).toHaveLength(1);
    expect(newestFiles(trajectory, 1, budget)).toBeUndefined();
  });

  it("stays within the budget", () => {
    expect(newestFiles(trajectory, 7, { ...budget, filesCount: 1 })).toHaveLength(1);
    expect(newestFiles(trajectory, 7, { ...budget, filesTokens: 20 })).toEqual([]);
  });
});

describe("a line that is edited after a compaction", () => {
  const setting = aSetting(editedLate(55), { windowTokens: 32_000 });
  const lines = (policy: PolicyUnderTest) => {
    const { lines: found, edits } = simulate(policy, setting);
    expect(edits.summary).toBeGreaterThan(0);
    return { references: found.far.references, visible: found.far.visible };
  };
  const own = (configuration: ConfigurationName, restoresFromLog: boolean): PolicyUnderTest =>
    managedPolicy({
      id: "p",
      name: "p",
      policy: {
        ...costPolicy("faithful")!,
        facts: { tokens: 0, floor: 0 },
        appendix: { tokens: 0, floor: 0 },
        restoresFromLog,
      },
      editSafety: "strict",
      summaries: CONFIGURATIONS[configuration],
    });

  it.each([
    { configuration: "none", restoresFromLog: false, visible: 0 },
    { configuration: "none", restoresFromLog: true, visible: 1 },
    { configuration: "model", restoresFromLog: false, visible: 1 },
  ] as const)("with $configuration, restored from the log: $restoresFromLog", ({ visible, ...how }) => {
    expect(lines(own(how.configuration, how.restoresFromLog))).toEqual({ references: 1, visible });
  });

  it("is visible under the peer, which shows the file again", () => {
    const peer = BASELINES.find(({ id }) => id === "claude-code")!;
    expect(lines(peer)).toEqual({ references: 1, visible: 1 });
  });
});
