/**
 * Exports of other programs, whole, damaged and hostile; and our own, which lose nothing. Its laws have
 * five times as many runs with PALIMPSEST_LONG.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importMemories } from "#agent/memory/transfer/import-into-memory.ts";
import { PalimpsestError } from "#base/errors.ts";
import { parseMemoryFile } from "#memory/files/memory-file.ts";
import { importMcpMemory } from "#memory/transfer/from-mcp-memory.ts";
import { importMem0 } from "#memory/transfer/from-mem0.ts";
import { formatMemoriesMarkdown } from "#memory/transfer/memories-markdown.ts";
import { formatMemoryBundle, isMemoryBundle, parseMemoryBundle } from "#memory/transfer/memory-bundle.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { anyMemoryText, anyValue, runs } from "#test/memory/files/frontmatter-arbitraries.ts";

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

const ADA = {
  type: "entity",
  name: "Ada",
  entityType: "person",
  observations: ["writes Rust", "in Berlin\nsince 2019"],
};
const ACME = { type: "entity", name: "Acme", entityType: "Project", observations: ["ships on Tuesdays"] };
const WORKS = { type: "relation", from: "Ada", to: "Acme", relationType: "works at" };

const CARRIED = [
  {
    origin: "line 1",
    name: "Ada",
    description: "person: writes Rust",
    type: undefined,
    body: "- writes Rust\n- in Berlin\n  since 2019\n- works at: Acme",
  },
  {
    origin: "line 2",
    name: "Acme",
    description: "Project: ships on Tuesdays",
    type: "project",
    body: "- ships on Tuesdays",
  },
];

const reported = (text: string) =>
  importMemories(text).memories.map(({ origin, memory: { name, description, type, body } }) => ({
    origin,
    name,
    description,
    type,
    body,
  }));

describe("a graph of the MCP memory server", () => {
  it("comes over entity by entity, with its relations in words", () => {
    const text = lines(ADA, ACME, WORKS);
    expect(reported(text)).toEqual(CARRIED);
    expect(importMcpMemory(text)).toMatchObject({ format: "mcp-memory", notCarried: [], notCarriedCount: 0 });
    expect(importMcpMemory(text).memories.every(({ memory }) => memory.source === "import")).toBe(true);
  });

  it("is read from one document, too", () => {
    const bare = ({ type: _, ...rest }: Record<string, unknown>) => rest;
    const text = JSON.stringify(
      { entities: [bare(ADA), bare(ACME)], relations: [bare(WORKS)] },
      undefined,
      2,
    );
    expect(reported(text)).toEqual(
      CARRIED.map((each, index) => ({ ...each, origin: `entities ${index + 1}` })),
    );
  });

  it("loses nothing silently", () => {
    const text = [
      lines({ ...ADA, observations: ["one"], importance: 1 }, { ...ADA, observations: ["one", "two"] }),
      lines(
        { type: "entity", observations: ["x"] },
        { ...ACME, observations: [] },
        { ...WORKS, from: "Nobody" },
      ),
      lines({
        type: "entity",
        name: "New",
        entityType: "n",
        observations: [{ content: "kept", version: 2 }, 7],
      }),
      "{ torn\n",
      "[]\n",
    ].join("");
    const { memories, notCarried } = importMcpMemory(text);
    expect(memories.map(({ memory }) => [memory.name, memory.body])).toEqual([
      ["Ada", "- one\n- two"],
      ["New", "- kept"],
    ]);
    expect(notCarried.map(({ origin, what }) => `${origin}: ${what.replace(/(be read): .*/, "$1")}`)).toEqual(
      [
        "line 7: it cannot be read",
        "line 8: it is not an object",
        "line 1: what is not known here: importance",
        "line 3: it is neither an entity with a name nor a relation",
        "line 6: of observation 1 all but its text: content, version",
        "line 6: observation 2 is not a text",
        "line 5: a relation of an entity that is not there: Nobody works at Acme",
        "line 4: the entity Acme, of which nothing is said",
      ],
    );
  });
});

const PLATFORM = {
  id: "u-1",
  memory: "Prefers tea: never coffee",
  hash: "9b1",
  metadata: { type: "user", topic: "drinks" },
  categories: ["food", "taste"],
  created_at: "2024-07-01T12:00:00.123456-07:00",
  updated_at: null,
  user_id: "ada",
  run_id: "r-7",
  immutable: true,
  expiration_date: null,
};

describe("an export of mem0", () => {
  it("comes over memory by memory, and what was attached is told", () => {
    const { memories, notCarried, format } = importMemories(
      JSON.stringify({ count: 1, next: null, results: [PLATFORM] }),
    );
    expect(format).toBe("mem0");
    expect(memories).toEqual([
      {
        origin: "u-1",
        memory: {
          name: "Prefers tea: never coffee",
          description: "Prefers tea: never coffee",
          body: "Prefers tea: never coffee",
          type: "user",
          createdAtMs: 1_719_860_400_123,
          updatedAtMs: undefined,
          sessionId: "r-7",
          decays: false,
          source: "import",
          isConfirmed: false,
        },
      },
    ]);
    expect(notCarried.map(({ what }) => what)).toEqual([
      "categories: food, taste",
      "user_id: ada",
      "metadata.topic: drinks",
    ]);
  });

  it.each([
    {
      why: "a list",
      text: JSON.stringify([
        { id: "1", memory: "a" },
        { id: "2", memory: "b" },
      ]),
    },
    { why: "one a line", text: lines({ id: "1", memory: "a" }, { id: "2", memory: "b" }) },
    {
      why: "TypeScript's",
      text: JSON.stringify({
        results: [
          { id: "1", memory: "a", createdAt: "2024-07-01" },
          { id: "2", memory: "b" },
        ],
      }),
    },
    {
      why: "a vector store's",
      text: lines({ id: "1", payload: { data: "a", hash: "x" } }, { id: "2", payload: { data: "b" } }),
    },
  ])("is read in each of its forms: $why", ({ text }) => {
    expect(reported(text).map(({ origin, body }) => [origin, body])).toEqual([
      ["1", "a"],
      ["2", "b"],
    ]);
  });

  it("loses nothing silently", () => {
    const records = [
      { id: "1", memory: "a" },
      { id: "2", memory: "a" },
      { id: "3", memory: " " },
      { id: "4", memory: "d", deleted_at: "2024-01-01" },
      7,
    ];
    const relations = [{ source: "ada", relationship: "likes", target: "tea" }];
    const { memories, notCarried } = importMem0(JSON.stringify({ results: records, relations }));
    expect(memories).toHaveLength(1);
    expect(notCarried).toEqual([
      { origin: "results 5", what: "it is not an object" },
      { origin: "2", what: "it says the same as 1" },
      { origin: "3", what: "a record without a text" },
      { origin: "4", what: "it is deleted" },
      { origin: "relations 1", what: "a relation of the graph: ada likes tea" },
    ]);
  });
});

describe("what is no export", () => {
  it.each([
    { text: "", code: "INPUT_EMPTY" },
    { text: "\uFEFF \n", code: "INPUT_EMPTY" },
    { text: "hello", code: "FORMAT_UNKNOWN" },
    { text: "null", code: "FORMAT_UNKNOWN" },
    { text: "[1, 2]", code: "FORMAT_UNKNOWN" },
    { text: '{"messages":[]}', code: "FORMAT_UNKNOWN" },
    { text: "[".repeat(100_000), code: "FORMAT_UNKNOWN" },
    { text: `${'{"results":'.repeat(50_000)}`, code: "FORMAT_UNKNOWN" },
    { text: 'null\n5\n[]\n{"message":null}\n', code: "FORMAT_UNKNOWN" },
    { text: '[{"id":1e999,"memory":1e999}]', code: "FORMAT_UNKNOWN" },
    { text: '{"__proto__":{"entityType":"x","observations":[]}}', code: "FORMAT_UNKNOWN" },
  ])("is refused with $code", ({ text, code }) => {
    expect(() => importMemories(text)).toThrow(expect.objectContaining({ code }));
  });

  it("never breaks an importer, whatever it is", () => {
    const json = fc.oneof(
      fc.json(),
      fc
        .array(
          fc.record(
            {
              id: fc.jsonValue(),
              memory: fc.jsonValue(),
              metadata: fc.jsonValue(),
              payload: fc.jsonValue(),
              created_at: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        )
        .map((all) => JSON.stringify(all)),
      fc
        .array(
          fc.record(
            {
              type: fc.constantFrom("entity", "relation", 1),
              name: fc.jsonValue(),
              observations: fc.jsonValue(),
              entityType: fc.jsonValue(),
              from: fc.jsonValue(),
            },
            { requiredKeys: ["type"] },
          ),
        )
        .map((all) => lines(...all)),
      anyValue,
    );
    fc.assert(
      fc.property(json, (text) => {
        for (const read of [importMemories, importMem0, importMcpMemory])
          try {
            for (const { memory } of read(text).memories) {
              expect([typeof memory.name, typeof memory.body, memory.isConfirmed]).toEqual([
                "string",
                "string",
                false,
              ]);
              expect(memory.name).not.toBe("");
            }
          } catch (error) {
            expect(error).toBeInstanceOf(PalimpsestError);
          }
      }),
      runs(1_000),
    );
  });
});

describe("our own export", () => {
  it("gives every file back to the byte", () => {
    const file = fc.record({
      path: anyValue,
      text: fc.oneof(anyMemoryText, fc.string({ unit: anyCharacter })),
    });
    fc.assert(
      fc.property(fc.uniqueArray(file, { selector: ({ path }) => path }), (files) => {
        const bundle = formatMemoryBundle(files);
        expect(isMemoryBundle(bundle)).toBe(true);
        expect(bundle.trimEnd().split("\n")).toHaveLength(files.length + 2);
        expect(parseMemoryBundle(bundle)).toEqual({ files, notCarried: [], notCarriedCount: 0 });
      }),
      runs(500),
    );
  });

  it.each([
    {
      why: "its end is missing",
      damage: (text: string) => text.slice(0, text.indexOf('{"type":"end"')),
      left: 2,
      expected: ["end: the bundle was cut off"],
    },
    {
      why: "a line is torn",
      damage: (text: string) => text.replace('"text":"A"}', '"text":"A'),
      left: 1,
      expected: ["line 2: it is not a file with a path and a text", "end: it should have 2 files and has 1"],
    },
    {
      why: "a path is there twice",
      damage: (text: string) => text.replace('"b.md"', '"a.md"'),
      left: 1,
      expected: ["line 3: a.md once more; the first one counts", "end: it should have 2 files and has 1"],
    },
    {
      why: "it is something else",
      damage: () => "x\n",
      left: 0,
      expected: ["line 1: it does not say that this is a bundle of memories", "end: the bundle was cut off"],
    },
  ])("says so where $why", ({ damage, left, expected }) => {
    const text = formatMemoryBundle([
      { path: "a.md", text: "A" },
      { path: "b.md", text: "B" },
    ]);
    const { files, notCarried } = parseMemoryBundle(damage(text));
    expect(files).toHaveLength(left);
    expect(notCarried.map(({ origin, what }) => `${origin}: ${what}`)).toEqual(expected);
  });

  it("can be read by people", () => {
    const read = (path: string, text: string) => parseMemoryFile(path, text).memory;
    expect(
      formatMemoriesMarkdown([
        read("odd.md", "Text\n"),
        read(
          "days.md",
          "---\nname: Deploy\u202E days\ndescription: when\ntype: project\ncreatedAt: 2026-03-02\nsource: user\nconfirmed: true\n---\n\n# Why\n\nTuesdays.\n\n```\n# code\n```\n",
        ),
      ]),
    ).toBe(
      "# Memories\n\n## Project\n\n### Deploy\\u{202E} days\n\n- file: `days.md`\n- source: user, confirmed\n- created: 2026-03-02T00:00:00.000Z\n\n> when\n\n#### Why\n\nTuesdays.\n\n```\n# code\n```\n\n## Other\n\n### odd\n\n- file: `odd.md`\n- source: unknown\n\nText\n",
    );
  });
});
