/** File names of pages, and names that are refused. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PageFiles, type PageParts } from "#replay/page/page-files.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";

const namesOf = (out: string, parts: readonly PageParts[]): readonly string[] => {
  const folder = testFolder();
  const files = new PageFiles(join(folder, out));
  return parts.map((part) => files.next(part).slice(folder.length + 1));
};

describe("the files of pages", () => {
  it.each([
    { parts: [{}], names: ["out.html"], why: "one session, one window" },
    {
      parts: [{ windowTokens: 200_000 }, { windowTokens: 64_000 }],
      names: ["out-200k.html", "out-64k.html"],
      why: "windows",
    },
    {
      parts: [{ session: "1" }, { session: "2" }],
      names: ["out-1.html", "out-2.html"],
      why: "sessions of one file",
    },
    {
      parts: [{ file: "/a/one.jsonl.gz", windowTokens: 1_500 }, { file: "two.json" }],
      names: ["out-one-1.5k.html", "out-two.html"],
      why: "files",
    },
    {
      parts: [{ file: "a/x.json" }, { file: "b/x.json" }],
      names: ["out-x.html", "out-x-2.html"],
      why: "files of one name",
    },
    {
      parts: [{ file: "../../etc/..\\pass wd?.json" }, { file: "…" }, { file: "-" }],
      names: ["out-pass-wd.html", "out-page.html", "out-page-2.html"],
      why: "names that lead elsewhere or are none",
    },
    {
      parts: [{ file: `${"long".repeat(100)}.json` }],
      names: [`out-${"long".repeat(15)}.html`],
      why: "a long name",
    },
  ])("are named after what tells them apart: $why", ({ parts, names }) => {
    expect(namesOf("out.html", parts)).toEqual(names);
  });

  it("keep a name without an ending", () => {
    expect(namesOf("out", [{ session: "1" }])).toEqual(["out-1"]);
  });

  it.each([
    { make: (folder: string) => folder, says: "is a folder", why: "a folder is never replaced" },
    {
      make: (folder: string) => join(folder, "no", "out.html"),
      says: "there is no folder",
      why: "nothing to write into",
    },
    { make: () => "/dev/null", says: "is not an ordinary file", why: "a device would be replaced" },
    { make: () => "-", says: "is not the name of a file", why: "a page is not a stream" },
    { make: () => "", says: "is not the name of a file", why: "no name" },
    {
      make: (folder: string) => {
        symlinkSync(join(folder, "gone"), join(folder, "link.html"));
        return join(folder, "link.html");
      },
      says: "leads nowhere",
      why: "a broken link",
    },
  ])("are refused before anything is replayed: $why", ({ make, says }) => {
    const path = make(testFolder());
    expect(() => new PageFiles(path)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining(says) }),
    );
  });

  it("stand where a link leads, so that the link stays one", () => {
    const folder = testFolder();
    mkdirSync(join(folder, "there"));
    writeFileSync(join(folder, "there", "page.html"), "");
    symlinkSync(join(folder, "there", "page.html"), join(folder, "link.html"));
    expect(new PageFiles(join(folder, "link.html")).next({})).toBe(
      join(realpathSync(folder), "there", "page.html"),
    );
  });
});
