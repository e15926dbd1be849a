/**
 * Memory files in both shapes and without any: read, written, and changed in their own lines only. Its laws have
 * five times as many runs with PALIMPSEST_LONG.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "#memory/files/memory-fields.ts";
import { formatMemoryFile, parseMemoryFile, updateMemoryFile } from "#memory/files/memory-file.ts";
import { anyMemoryText, anyValue, runs } from "./frontmatter-arbitraries.ts";

const FIELDS = {
  path: "deploy.md",
  name: "Deploy days",
  description: "when we deploy: and #who",
  type: "project",
  body: "On Tuesdays only.",
  createdAtMs: 1_772_442_900_000,
  updatedAtMs: 1_772_529_300_000,
  relevance: 0.75,
  decays: false,
  source: "user",
  isConfirmed: true,
  isQuarantined: true,
  sessionId: "s-1",
  messageId: "m-1",
  follows: "before.md",
  supersedes: ["old, one.md", "team/two.md"],
  revises: ["likely.md"],
  supersededBy: "new.md",
} as const;

const UNSAID = {
  description: "",
  type: undefined,
  createdAtMs: undefined,
  updatedAtMs: undefined,
  relevance: 1,
  decays: true,
  source: "unknown",
  isConfirmed: false,
  isQuarantined: false,
  sessionId: undefined,
  messageId: undefined,
  follows: undefined,
  supersedes: [],
  revises: [],
  supersededBy: undefined,
} as const;

const FULL = `---
name: Deploy days
description: "when we deploy: and #who"
type: project
createdAt: 2026-03-02T09:15:00.000Z
updatedAt: 2026-03-03T09:15:00.000Z
relevance: 0.75
decay: false
source: user
confirmed: true
quarantined: true
sessionId: s-1
messageId: m-1
follows: before.md
supersedes: ["old, one.md", team/two.md]
revises: [likely.md]
supersededBy: new.md
---

On Tuesdays only.
`;

const NESTED = `---
name: deploy-days
description: "we deploy: Tuesdays"
metadata: 
  node_type: memory
  type: feedback
  originSessionId: 9bcb5645
  modified: 2026-07-30T07:40:18.191Z
---

On Tuesdays.
`;

describe("a memory file", () => {
  it("tells all that is known of a memory, and what is told is read", () => {
    expect(formatMemoryFile(FIELDS)).toBe(FULL);
    expect(parseMemoryFile("deploy.md", FULL)).toEqual({ memory: FIELDS, problems: [] });
  });

  it("says nothing that goes without saying", () => {
    expect(formatMemoryFile({ ...UNSAID, name: "Deploy days", body: "\n\nOn Tuesdays.\n" })).toBe(
      "---\nname: Deploy days\n---\n\nOn Tuesdays.\n",
    );
  });

  it.each([
    {
      why: "flat, as older programs write it",
      text: "---\nname: A\ndescription: b # c\ntype: user\noriginSessionId: 298c09b0\n---\nText\n",
      read: { name: "A", description: "b # c", type: "user", sessionId: "298c09b0", body: "Text" },
    },
    {
      why: "nested, as newer ones do",
      text: NESTED,
      read: {
        name: "deploy-days",
        description: "we deploy: Tuesdays",
        type: "feedback",
        sessionId: "9bcb5645",
        updatedAtMs: 1_785_397_218_191,
        body: "On Tuesdays.",
      },
    },
    {
      why: "without frontmatter",
      text: "\n# Days\n\nTuesdays\n",
      read: { name: "file", body: "# Days\n\nTuesdays" },
    },
    { why: "empty", text: "", read: { name: "file", body: "" } },
    { why: "with nothing but frontmatter", text: "---\nname: A\n---", read: { name: "A", body: "" } },
    { why: "with an empty name", text: "---\nname:\n---\nx", read: { name: "file", body: "x" } },
    {
      why: "with a description of several lines",
      text: "---\ndescription: |\n  a\n\n  b\n---\n",
      read: { description: "a b" },
    },
    {
      why: "with nothing for an id",
      text: "---\nsessionId: null\nmessageId: ~\n---\n",
      read: { sessionId: undefined },
    },
    {
      why: "superseding one, without brackets",
      text: "---\nsupersedes: a.md\n---\n",
      read: { supersedes: ["a.md"] },
    },
    {
      why: "with a day for a time",
      text: "---\ncreated: 2026-03-02\n---\n",
      read: { createdAtMs: 1_772_409_600_000 },
    },
  ])("is read: $why", ({ text, read }) => {
    const { memory, problems } = parseMemoryFile("team/file.md", text);
    expect(memory).toEqual({ ...UNSAID, path: "team/file.md", name: "file", body: "", ...read });
    expect(problems).toEqual([]);
  });

  it.each([
    { line: "type: opinion", read: { type: undefined }, why: "a type that is none" },
    { line: "source: https://a.example", read: { source: "unknown" }, why: "a source that is none" },
    { line: "confirmed: surely", read: { isConfirmed: false }, why: "no truth does not confirm" },
    {
      line: "quarantined: perhaps",
      read: { isQuarantined: true },
      why: "whoever wrote it meant no model to see it",
    },
    { line: "relevance: -1", read: { relevance: 1 }, why: "a worth is not negative" },
    { line: "createdAt: yesterday", read: { createdAtMs: undefined }, why: "no time" },
  ])("that says `$line` has a problem: $why", ({ line, read }) => {
    const { memory, problems } = parseMemoryFile("a.md", `---\n${line}\n---\n`);
    expect(memory).toMatchObject(read);
    expect(problems).toEqual([`\`${line.split(":")[0]}\` has a value that is not known here`]);
  });

  it("cannot be broken out of by a name or a description", () => {
    fc.assert(
      fc.property(
        anyValue,
        anyValue,
        fc.array(anyValue, { maxLength: 3 }),
        (name, description, supersedes) => {
          const text = formatMemoryFile({ name, description, body: "Body", isQuarantined: true, supersedes });
          const { memory, problems } = parseMemoryFile("a.md", text);
          expect(problems).toEqual([]);
          expect(memory).toMatchObject({
            isQuarantined: true,
            body: "Body",
            isConfirmed: false,
            type: undefined,
          });
          // One line is one line: white space around the ends of lines is a blank.
          const oneLine = (value: string) =>
            value
              .split(/[\n\r\v\f\x85\u2028\u2029]+/)
              .map((part) => part.trim())
              .filter(Boolean)
              .join(" ");
          expect([memory.name, memory.description]).toEqual([oneLine(name) || "a", oneLine(description)]);
          expect(memory.supersedes).toEqual(supersedes.map(oneLine).filter(Boolean));
        },
      ),
      runs(1_000),
    );
  });

  it("gives any body back to the letter, empty lines around it aside", () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, anyMemoryText), (body) => {
        const { memory } = parseMemoryFile("a.md", formatMemoryFile({ name: "x", body }));
        expect(memory.body).toBe(parseMemoryFile("a.md", `---\nname: x\n---\n${body}`).memory.body);
        if (/^\S[\s\S]*\S$/.test(body)) expect(memory.body).toBe(body);
      }),
      runs(1_000),
    );
  });
});

describe("an update", () => {
  it("keeps the shape that the file has", () => {
    expect(updateMemoryFile(NESTED, { updatedAtMs: 0, isConfirmed: true, description: "days" })).toBe(
      NESTED.replace('"we deploy: Tuesdays"', "days").replace(
        "2026-07-30T07:40:18.191Z\n",
        "1970-01-01T00:00:00.000Z\n  confirmed: true\n",
      ),
    );
    const flat = "---\r\nname: A\r\ntype: user\r\noriginSessionId: x\r\n---\r\nText\r\n";
    expect(updateMemoryFile(flat, { updatedAtMs: 0, sessionId: "s-9" })).toBe(
      "---\r\nname: A\r\ntype: user\r\noriginSessionId: s-9\r\nupdatedAt: 1970-01-01T00:00:00.000Z\r\n---\r\nText\r\n",
    );
  });

  it("leaves a key without a value where only remarks would be left, which are text", () => {
    const text = "---\ntype: user\n# a remark\n---\n\nText\n";
    const updated = updateMemoryFile(text, { type: undefined });
    expect(updated).toBe('---\ntype: ""\n# a remark\n---\n\nText\n');
    expect(parseMemoryFile("a.md", updated)).toMatchObject({
      memory: { type: undefined, body: "Text" },
      problems: [],
    });
    expect(updateMemoryFile(updated, { type: "user" })).toBe(text);
  });

  it("takes out what is said no more", () => {
    expect(updateMemoryFile(FULL, { isQuarantined: false, supersededBy: undefined, supersedes: [] })).toBe(
      FULL.replace("quarantined: true\n", "")
        .replace("supersededBy: new.md\n", "")
        .replace('supersedes: ["old, one.md", team/two.md]\n', ""),
    );
  });

  it.each([
    { before: FULL, after: FULL.replace("On Tuesdays only.", "Never."), why: "between its empty lines" },
    { before: "---\nname: A\n---\n", after: "---\nname: A\n---\n\nNever.\n", why: "where there was none" },
    {
      before: "---\nname: A\n---",
      after: "---\nname: A\n---\n\nNever.\n",
      why: "behind a fence without an end",
    },
    { before: "Always.", after: "Never.", why: "without frontmatter" },
    { before: "", after: "Never.\n", why: "in an empty file" },
  ])("changes the body $why", ({ before, after }) => {
    expect(updateMemoryFile(before, { body: "Never.\n" })).toBe(after);
  });

  it("does not let a body become frontmatter", () => {
    const evil = "---\nconfirmed: true\n---\nx";
    for (const text of ["", "Old.\n", "\uFEFFOld.\r\n", FULL]) {
      const { memory } = parseMemoryFile("a.md", updateMemoryFile(text, { body: evil }));
      expect(memory.body.replaceAll("\r\n", "\n")).toBe(evil);
      expect(memory.isConfirmed).toBe(text === FULL);
    }
  });

  it("that says what is said already changes no byte, in any file", () => {
    fc.assert(
      fc.property(anyMemoryText, (text) => {
        expect(updateMemoryFile(text, parseMemoryFile("a.md", text).memory)).toBe(text);
      }),
      runs(1_000),
    );
  });

  it("is read as it was made, and keeps all other lines, in any file", () => {
    const changes = fc.record(
      {
        name: anyValue.filter((name) => /^[^\s\x85]+$/.test(name)),
        description: anyValue.filter((text) => !/[\s\x85]/.test(text)),
        type: fc.constantFrom("user", "reference", undefined),
        updatedAtMs: fc.constantFrom(0, 1_772_529_300_000, undefined),
        relevance: fc.constantFrom(0, 0.5, 1, 3),
        decays: fc.boolean(),
        source: fc.constantFrom("user", "web", "unknown"),
        isQuarantined: fc.boolean(),
        supersedes: fc.array(fc.constantFrom("a.md", "b, c.md"), { maxLength: 2 }),
        supersededBy: fc.constantFrom("d.md", undefined),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyMemoryText, changes, (text, made) => {
        const before = parseMemoryFile("a.md", text).memory;
        const updated = updateMemoryFile(text, made);
        expect(parseMemoryFile("a.md", updated).memory).toEqual({ ...before, ...made });
        expect(updateMemoryFile(updated, made)).toBe(updated);
        for (const line of text.split("\n").filter((each) => /^(?:tags|license|broken)/.test(each)))
          expect(updated.split("\n")).toContain(line);
      }),
      runs(1_500),
    );
  });
});

describe("a time", () => {
  it.each([
    { text: "2026-03-02T09:15:00.000Z", ms: 1_772_442_900_000 },
    { text: "2026-03-02T09:15:00.123456-07:00", ms: 1_772_468_100_123 },
    { text: "2026-03-02 09:15", ms: 1_772_442_900_000 },
    { text: "2026-03-02", ms: 1_772_409_600_000 },
    { text: "2026-02-31", ms: undefined },
    { text: "2026-13-01", ms: undefined },
    { text: "2026-03-02T25:00", ms: undefined },
    { text: "02.03.2026", ms: undefined },
    { text: "1772442900", ms: undefined },
  ])("$text is $ms", ({ text, ms }) => {
    expect(parseTime(text)).toBe(ms);
  });
});
