/** The list of importers: all that a new tool needs besides its own folder. */
import { describe, expect, it } from "vitest";
import { FORMAT_NAMES, IMPORTERS, importWith } from "#importers/registry.ts";
import { type Importer, readingAll } from "#importers/shared/importer.ts";

/** A tool that writes `{ "notebook": "…", "lines": ["…"] }`. */
const notebook: Importer = {
  format: "notebook",
  recognises: (sample) => sample.some((value) => typeof value["notebook"] === "string"),
  begin: readingAll((records, repairs) =>
    records.map(({ value, line }) => {
      if (!Array.isArray(value["lines"])) repairs.add("bad-record", "a notebook without lines", line);
      const lines = Array.isArray(value["lines"]) ? value["lines"] : [];
      return {
        sessionId: String(value["notebook"]),
        items: lines.map((text) => ({
          type: "message",
          message: { role: "user", origin: "user", content: [{ type: "text", text: String(text) }] },
        })),
        leftOut: [],
        skipped: [],
        repairs: [],
        recordCount: 1,
      };
    }),
  ),
};

describe("the registry of importers", () => {
  it("names every format once", () => {
    expect([...FORMAT_NAMES].sort()).toEqual([
      "anthropic-messages",
      "claude-code",
      "codex",
      "copilot",
      "gemini-cli",
      "mini-swe-agent",
      "openai-chat",
      "opencode",
      "openhands",
      "palimpsest",
      "pi",
      "swe-agent",
      "transcript",
    ]);
  });

  it("takes an importer as one more row: it recognises its files, reads them and reports repairs", () => {
    const text = '{"notebook":"n1","lines":["one","two"]}\n{"notebook":"n2"}\n';
    const result = importWith([notebook, ...IMPORTERS], { name: "notes.jsonl", text });
    expect(result.format).toBe("notebook");
    expect(result.sessions.map(({ format, sessionId, items }) => [format, sessionId, items.length])).toEqual([
      ["notebook", "n1", 2],
      ["notebook", "n2", 0],
    ]);
    expect(result.repairs).toEqual([{ kind: "bad-record", line: 2, detail: "a notebook without lines" }]);
  });

  it("leaves the files of other tools to their importers", () => {
    const text = '[{"role":"user","content":"hello"}]';
    expect(importWith([notebook, ...IMPORTERS], { name: "chat.json", text }).format).toBe("openai-chat");
  });

  it("says which formats it has, where none is recognised", () => {
    expect(() => importWith([notebook], { name: "other.json", text: '{"other":1}' })).toThrow(
      "other.json is not in a format that can be read: it begins with an object with the fields other.",
    );
  });
});
