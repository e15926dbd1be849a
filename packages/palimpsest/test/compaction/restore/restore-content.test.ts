/** The last known content of a file, and the part of it that fits a budget. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { type FileContent, foldContent, isWithinContent } from "#compaction/restore/restore-content.ts";
import { replacementsOf } from "#compaction/restore/restore-edits.ts";
import { excerptOf } from "#compaction/restore/restore-excerpt.ts";
import { findFileUses } from "#compaction/restore/restore-uses.ts";
import { blockText, type ContentBlock } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { called, edited, read, resulted } from "../../../../../test/helpers/restore-messages.ts";

/** The text of a content that is whole. */
function wholeText({ parts, isWhole }: FileContent): string | undefined {
  return isWhole ? (parts[0]?.lines ?? []).join("\n") : undefined;
}

const fold = (...messages: readonly (readonly VisibleMessage[])[]) =>
  foldContent(findFileUses(messages.flat()).uses);
const PATH = "/p/a.ts";
const characters = (block: ContentBlock): number => blockText(block).length;

describe("foldContent", () => {
  it("applies a later edit to a whole reading", () => {
    const content = fold(read(1, PATH, ["one", "two", "three"]), edited(3, PATH, "two", "2\n2b"));
    expect(wholeText(content)).toBe("one\n2\n2b\nthree");
    expect(content.missingEdits).toBe(0);
  });

  it("knows a file that a patch within a script adds, and the next patch to it", () => {
    const patchOf = (lines: readonly string[]) =>
      `const patch = ${JSON.stringify(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"))};\ntext(await tools.apply_patch(patch));`;
    const answer = "Script completed\nWall time 0.1 seconds\nOutput:\n\n{}";
    const content = fold([
      called(1, "exec", patchOf([`*** Add File: ${PATH}`, "+one", "+two"])),
      resulted(2, answer),
      called(3, "exec", patchOf([`*** Update File: ${PATH}`, "@@", " one", "-two", "+2"])),
      resulted(4, answer),
    ]);
    expect(wholeText(content)).toBe("one\n2");
    expect(content.missingEdits).toBe(0);
  });

  it.each([
    [
      "a template that is not all literal",
      `const patch = \`*** Begin Patch\n*** Add File: ${PATH}\n+\${one}\n*** End Patch\`;\nawait tools.apply_patch(patch);`,
    ],
    [
      "a template of which another call makes the end",
      `await tools.apply_patch("*** Begin Patch\\n*** Add File: b.ts\\n+b\\n*** End Patch");\nconst patch = \`*** Begin Patch\n*** Add File: ${PATH}\n+one\n\` + rest();\nawait tools.apply_patch(patch);`,
    ],
  ])("does not know a file that a script adds by %s", (_name, script) => {
    const answer = "Script completed\nWall time 0.1 seconds\nOutput:\n\n{}";
    const content = fold([
      called(1, "Read", { file_path: PATH }),
      resulted(2, "1\told\n"),
      called(3, "exec", script),
      resulted(4, answer),
    ]);
    expect(content.parts).toEqual([]);
    expect(content.isWhole).toBe(false);
  });

  it("does not know where the last lines of a file are that a command shows", () => {
    const shown = [called(1, "exec_command", { cmd: "tail -2 /p/a.ts" }), resulted(2, "eight\nnine\n")];
    expect(fold(shown).parts).toEqual([]);
  });

  it("applies the patch of opencode to its reading", () => {
    const shown = ["<path>/p/a.ts</path>", "<type>file</type>", "<content>1: one", "2: two", "3: three"];
    const patch = `*** Begin Patch\n*** Update File: ${PATH}\n@@\n one\n-two\n+2\n*** End Patch`;
    const content = fold([
      called(1, "read", { filePath: PATH }),
      resulted(2, [...shown, "", "(End of file - total 3 lines)", "</content>"].join("\n")),
      called(3, "apply_patch", { patchText: patch }),
      resulted(4, "Success. Updated the following files:\nM a.ts"),
    ]);
    expect(wholeText(content)).toBe("one\n2\nthree");
    expect(content.missingEdits).toBe(0);
  });

  it("applies an edit to a reading of Copilot CLI", () => {
    const content = fold([
      called(1, "view", { path: PATH }),
      resulted(2, "1. one\n2. two\n3. three"),
      called(3, "edit", { path: PATH, old_str: "one\ntwo", new_str: "1\n2" }),
      resulted(4, `File ${PATH} updated with changes.`),
    ]);
    expect(wholeText(content)).toBe("1\n2\nthree");
  });

  it("lays a part that Gemini CLI read where it belongs, without the lines above it", () => {
    const header =
      "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 4 total lines.\nAction: Read on.\n\n--- FILE CONTENT (truncated) ---\n";
    const content = fold([
      called(1, "read_file", { file_path: PATH }),
      resulted(2, "one\ntwo\nthree\nfour"),
      called(3, "read_file", { file_path: PATH, start_line: 2, end_line: 3 }),
      resulted(4, `${header}TWO\nTHREE`),
    ]);
    expect(wholeText(content)).toBe("one\nTWO\nTHREE\nfour");
  });

  it("does not take the first part of a file for the whole", () => {
    const header =
      "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 1-1 of 4 total lines.\nAction: Read on.\n\n--- FILE CONTENT (truncated) ---\n";
    const content = fold([called(1, "read_file", { file_path: PATH }), resulted(2, `${header}one`)]);
    expect(content).toMatchObject({ isWhole: false, parts: [{ first: 1, lines: ["one"] }] });
  });

  it("reads a file in PowerShell, behind the shell's options", () => {
    const command = ["pwsh.exe", "-NoLogo", "-NoProfile", "-Command", `Get-Content -Raw ${PATH}`];
    const content = fold([called(1, "shell", { command }), resulted(2, "one\r\ntwo\r\n")]);
    expect(wholeText(content)).toBe("one\ntwo");
  });

  it("applies changes of a file with carriage returns", () => {
    const patch = `*** Begin Patch\r\n*** Update File: ${PATH}\r\n@@\r\n one\r\n-two\r\n+2\r\n*** End Patch`;
    const content = fold(
      [called(1, "Read", { file_path: PATH }), resulted(2, "     1→one\r\n     2→two\r\n     3→three")],
      [called(3, "apply_patch", patch), resulted(4, "Success.")],
      edited(5, PATH, "2\r\nthree", "2\r\n3"),
    );
    expect(wholeText(content)).toBe("one\n2\n3");
    expect(content.missingEdits).toBe(0);
  });

  it("does not take a reading for the whole file if the tool says that there is more", () => {
    const content = fold([
      called(1, "read", { filePath: PATH }),
      resulted(
        2,
        "<content>1: one\n2: two\n\n(Showing lines 1-2 of 9. Use offset=3 to continue.)\n</content>",
      ),
    ]);
    expect(content).toMatchObject({ isWhole: false, parts: [{ first: 1, lines: ["one", "two"] }] });
  });

  it("lays readings of parts over each other, the newer above", () => {
    const content = fold(read(1, PATH, ["c", "d", "e"], 3), read(3, PATH, ["D", "E", "F"], 4));
    expect(content.parts).toEqual([{ first: 3, lines: ["c", "D", "E", "F"] }]);
    expect(content.isWhole).toBe(false);
  });

  it("moves the lines behind an edit", () => {
    const content = fold(
      read(1, PATH, ["a", "b"], 2),
      read(3, PATH, ["y", "z"], 20),
      edited(5, PATH, "a\nb", "a\nnew\nb"),
    );
    expect(content.parts).toEqual([
      { first: 2, lines: ["a", "new", "b"] },
      { first: 21, lines: ["y", "z"] },
    ]);
  });

  it("keeps an edit whose place is not known beside the text, and counts it", () => {
    const content = fold(read(1, PATH, ["a", "b"], 2), edited(3, PATH, "elsewhere", "there"));
    expect(content).toMatchObject({
      parts: [{ first: 2, lines: ["a", "b"] }],
      loose: ["there"],
      missingEdits: 1,
    });
  });

  it("does not guess which of two equal places an edit meant", () => {
    expect(fold(read(1, PATH, ["a", "a"]), edited(3, PATH, "a", "b"))).toMatchObject({
      parts: [{ first: 1, lines: ["a", "a"] }],
      missingEdits: 1,
    });
  });

  describe("with an answer that shows the lines around an edit", () => {
    const answered = (seq: number, before: string, after: string, shown: readonly string[]) => [
      called(seq, "Edit", { file_path: PATH, old_string: before, new_string: after }),
      resulted(seq + 1, ["The file was updated. Here it is:", ...shown].join("\n")),
    ];

    it("knows those lines, without any reading", () => {
      const content = fold(answered(1, "old", "new", ["    11→above", "    12→new", "    13→below"]));
      expect(content).toMatchObject({
        parts: [{ first: 11, lines: ["above", "new", "below"] }],
        inUse: [{ first: 11, last: 13 }],
        loose: [],
        missingEdits: 0,
      });
    });

    it("moves what lies behind an edit outside the known lines, and drops what it replaced", () => {
      const shown = ["     9→i", "    10→one", "    11→two", "    12→l"];
      const content = fold(
        read(1, PATH, ["j", "k", "l", "m"], 10),
        answered(3, "j\nj2\nk", "one\ntwo", shown),
      );
      expect(content).toMatchObject({
        parts: [{ first: 9, lines: ["i", "one", "two", "l"] }],
        missingEdits: 0,
      });
      const behind = fold(read(1, PATH, ["y", "z"], 40), answered(3, "j", "one\ntwo", shown));
      expect(behind.parts.at(-1)).toEqual({ first: 41, lines: ["y", "z"] });
    });

    it("does not mix lines whose numbers are not those of the answer", () => {
      const shown = ["    12→x", "    13→new", "    14→z"];
      const content = fold(read(1, PATH, ["x", "y", "z", "a", "b"], 10), answered(3, "y", "new", shown));
      expect(content.parts).toEqual([{ first: 10, lines: ["x", "new", "z", "a", "b"] }]);
    });

    it("leaves an edit without a place beside the text if the answer shows its text twice", () => {
      const content = fold(answered(1, "old", "new", ["     1→new", "     2→new"]));
      expect(content).toMatchObject({ parts: [], loose: ["new"], missingEdits: 1 });
    });
  });

  it("begins anew with a whole reading after an edit that it could not place", () => {
    const content = fold(read(1, PATH, ["a"]), edited(3, PATH, "x", "y"), read(5, PATH, ["a", "y"]));
    expect(content).toMatchObject({ parts: [{ first: 1, lines: ["a", "y"] }], loose: [], missingEdits: 0 });
  });

  it("knows what was written whole, and nothing of what failed", () => {
    const written = [called(1, "Write", { file_path: PATH, content: "x\ny\n" }), resulted(2, "ok")];
    const failed = [called(3, "Write", { file_path: PATH, content: "z" }), resulted(4, "denied", true)];
    expect(wholeText(fold(written, failed))).toBe("x\ny");
  });

  it("does not lay a shortened result over anything", () => {
    const [call, answer] = read(1, PATH, ["a", "b"]);
    const shortened = {
      ...answer!,
      blocks: answer!.blocks.map((block) => ({ ...block, form: "preview" as const })),
    };
    expect(fold([call!, shortened]).parts).toEqual([]);
  });

  it("rebuilds a file exactly from a whole reading and edits of lines that stand once", () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat({ max: 11 }), { maxLength: 6 }), (start, places) => {
        let current = [...start];
        const messages = [...read(1, PATH, start)];
        places.forEach((place, index) => {
          const at = place % current.length;
          const before = current[at]!;
          if (current.join("\n").split(before).length !== 2) return;
          const after = [`<${index}>`, `{${index}}`];
          messages.push(...edited(messages.length + 1, PATH, before, after.join("\n")));
          current = current.join("\n").replace(before, after.join("\n")).split("\n");
        });
        expect(wholeText(fold(messages))).toBe(current.join("\n"));
      }),
    );
  });
});

it("reads the hunks of a patch as replacements in the file that they are of", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.ts",
    "@@ here",
    " one",
    "-two",
    "+2",
    "*** Update File: b.ts",
    "@@",
    "-x",
    "+y",
    "*** End Patch",
  ].join("\n");
  expect(replacementsOf({ input: patch }, PATH)).toEqual([
    { before: "one\ntwo", after: "one\n2", isEverywhere: false },
  ]);
});

describe("excerptOf", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1} of a long file`);

  it("gives all of a file that fits", () => {
    expect(finish(excerptOf(fold(read(1, PATH, ["a", "b"])), 100, characters))).toEqual({
      text: "a\nb",
      isCut: false,
    });
  });

  it("shows the part that was changed last, and says what is missing", () => {
    const content = fold(read(1, PATH, lines), edited(3, PATH, "line 120 of", "LINE 120 of"));
    const { text, isCut } = finish(excerptOf(content, 1_800, characters));
    expect(isCut).toBe(true);
    expect(text).toContain("LINE 120 of a long file");
    expect(text).toContain("are not shown …]\nline 90 of a long file");
    expect(text).not.toContain("line 60 of");
  });

  it("says where knowledge ends", () => {
    expect(finish(excerptOf(fold(read(1, PATH, ["a", "b"], 11)), 200, characters)).text).toBe(
      "[… lines 1-10 are not shown …]\na\nb\n[… what follows line 12 is not known here …]",
    );
  });

  it("cuts one giant line like any other text", () => {
    const { text } = finish(excerptOf(fold(read(1, PATH, ["😀".repeat(5_000)])), 300, characters));
    expect(text.startsWith("😀😀")).toBe(true);
    expect(text.endsWith("[… the rest of this line is not shown …]")).toBe(true);
    expect(text.length).toBeLessThanOrEqual(300);
  });

  it("is never over its budget, and never splits a line otherwise", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 900 }),
        (some, budget) => {
          const clean = some.map((line) => line.replace(/[\r\n]/g, " "));
          const { text } = finish(excerptOf(fold(read(1, PATH, clean)), budget, characters));
          expect(text.length).toBeLessThanOrEqual(budget);
        },
      ),
    );
  });
});

it("is visible only where every known line still stands in the window", () => {
  const whole = fold(read(1, PATH, ["a", "b", "c"]));
  expect(isWithinContent(fold(read(1, PATH, ["b", "c"], 2)), whole)).toBe(true);
  expect(isWithinContent(whole, fold(read(1, PATH, ["b", "c"], 2)))).toBe(false);
  expect(isWithinContent(fold(read(1, PATH, ["a", "x", "c"])), whole)).toBe(false);
});
