/** Importing a file line by line: the same result as from its whole text, without holding that text. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ImportRun, importSessions } from "#importers/registry.ts";
import { importFile } from "#runtime/input-files/input-file.ts";
import { readLines } from "./read-lines.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-import-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const MESSAGE = '{"role":"user","content":"hello"}';
const uuids = ["a", "b", "c"].map((name) => `00000000-0000-4000-8000-00000000000${name}`);

function claudeLine(index: number, extra: object = {}): string {
  return JSON.stringify({
    type: "user",
    uuid: uuids[index] ?? `id-${index}`,
    parentUuid: index === 0 ? null : (uuids[index - 1] ?? `id-${index - 1}`),
    sessionId: "5e551011",
    cwd: "/harbour",
    message: { role: "user", content: `line ${index}` },
    ...extra,
  });
}

function codexLine(payload: object, type = "response_item"): string {
  return JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", type, payload });
}

const messageOf = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});

describe("a file that is imported line by line", () => {
  it.each([
    ["lines", `${MESSAGE}\n${MESSAGE}\n`],
    ["one line", MESSAGE],
    ["a document over several lines", `[\n${MESSAGE},\n${MESSAGE}\n]`],
    ["a document on one line", `[${MESSAGE},5,${MESSAGE}]`],
    ["blank lines before and between", `\n\n${MESSAGE}\n \n${MESSAGE}`],
    ["damage in the middle and at the end", `${MESSAGE}\n{"role":\n5\n${MESSAGE}\n{"role":"us`],
    ["zero bytes around records", `${MESSAGE}\n\0\0${MESSAGE}\0\n\0\0\0\n${MESSAGE}`],
    ["nothing but damage", `{"role":\n{"role":`],
    ["a document that is cut off", `[\n${MESSAGE},\n{"role"`],
    ["no text", "\n \n"],
    ["no message", '{"type":"summary","leafUuid":"x","summary":"s"}\n{"type":"mode","mode":"x"}'],
    ["records of an unknown tool", '{"type":"boat"}\n{"type":"boat"}'],
    ["a tree with copies", [0, 1, 1, 2].map((index) => claudeLine(index)).join("\n")],
    [
      "an id that is taken",
      [claudeLine(0), claudeLine(1), claudeLine(1, { message: { role: "user", content: "other" } })].join(
        "\n",
      ),
    ],
    [
      "more records than are looked at to tell the format",
      Array.from({ length: 500 }, (_, index) =>
        claudeLine(index, { toolUseResult: "seen on the screen" }),
      ).join("\n"),
    ],
  ])("has the same sessions, repairs and errors: %s", async (name, text) => {
    const path = join(folder, `${name.replaceAll(" ", "-")}.jsonl.gz`);
    await writeFile(path, gzipSync(text));
    const whole = await readLines(path)
      .then((input) => importSessions(input))
      .catch((error: unknown) => error);
    const streamed = await importFile(path).catch((error: unknown) => error);
    expect(streamed).toEqual(whole);
  });

  it("forgets what is in no conversation", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const run = new ImportRun("recorded.jsonl");
    const screen = { stdout: "x".repeat(400_000) };
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 60; index++) {
      run.take({ number: index + 1, text: claudeLine(index, { toolUseResult: { ...screen, index } }) });
    }
    // The first records are held until they tell the format.
    for (let index = 60; index < 300; index++) run.take({ number: index, text: claudeLine(index) });
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    expect(run.finish({}).sessions[0]!.items).toHaveLength(300);
  });
});

describe("an item of Codex that stayed over a compaction", () => {
  const history = (items: readonly object[]) =>
    codexLine({ message: "in short", replacement_history: items }, "compacted");

  it("is found by its whole text among others of the same length", async () => {
    const texts = ["anchor", "bridge", "castle"];
    const path = join(folder, "rollout.jsonl");
    const lines = [
      ...texts.map((text) => codexLine(messageOf("user", text))),
      history([messageOf("user", "bridge")]),
      codexLine(messageOf("user", "dragon")),
      history([messageOf("user", "dragon"), messageOf("user", "anchor"), messageOf("user", "absent")]),
    ];
    await writeFile(path, lines.join("\n"));
    const { sessions } = await importFile(path);
    const items = sessions[0]!.items.map((item) =>
      item.type === "boundary"
        ? item.preserved
        : item.type === "message"
          ? [item.message.hostId, item.message.content]
          : item.type,
    );
    const text = (value: string) => [{ type: "text", text: value }];
    expect(items).toEqual([
      ["line-1", text("anchor")],
      ["line-2", text("bridge")],
      ["line-3", text("castle")],
      ["line-2"],
      ["line-5", text("dragon")],
      ["line-5", "line-1"],
      ["line-6.1", text("absent")],
    ]);
  });

  it("is not found after it was taken back", async () => {
    const path = join(folder, "rolled-back.jsonl");
    const lines = [
      codexLine(messageOf("user", "anchor")),
      codexLine(messageOf("user", "bridge")),
      history([messageOf("user", "anchor"), messageOf("user", "bridge")]),
      codexLine(messageOf("user", "castle")),
      codexLine({ type: "thread_rolled_back", num_turns: 2 }, "event_msg"),
      codexLine(messageOf("user", "dragon")),
      history([messageOf("user", "anchor"), messageOf("user", "bridge"), messageOf("user", "dragon")]),
    ];
    await writeFile(path, lines.join("\n"));
    const { sessions } = await importFile(path);
    const boundary = sessions[0]!.items.find((item) => item.type === "boundary");
    expect(boundary).toMatchObject({ preserved: ["line-1", "line-6"] });
  });
});
