import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isProjectName, projectName } from "#host/home/project-place.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const name = (path: string): string => projectName(path, nodeHasher);

/** As file systems that know no difference between them compare names. */
const sameTo = (one: string): string => one.normalize("NFC").toLowerCase();

/** Paths as people have them, and as people who mean harm do. */
const path = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "home",
        "Home",
        "home-me",
        "home/me",
        "a".repeat(250),
        "\u00e9",
        "e\u0301",
        ".",
        "-",
        " ",
        "\ud800",
      ),
      fc.string({ maxLength: 300, unit: anyCharacter }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => `/${parts.join("/")}`);

describe("the folder of a project", () => {
  it("is never that of another path, also to a file system that ignores case and spelling", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(sameTo(name(one)) === sameTo(name(other))).toBe(one === other);
      }),
      { numRuns: bySize({ usual: 150, long: 2_000 }) },
    );
  });

  it.each([
    { one: "/home/me/app", other: "/home/me-app", why: "a separator that is a letter of another" },
    { one: "/home/me/App", other: "/home/me/app", why: "case" },
    { one: "/caf\u00e9", other: "/cafe\u0301", why: "two spellings of one letter" },
    { one: `/${"a".repeat(300)}/x`, other: `/${"a".repeat(300)}/y`, why: "a difference far behind" },
    { one: `/x/${"a".repeat(300)}`, other: `/y/${"a".repeat(300)}`, why: "a difference far in front" },
    { one: "/\ud800", other: "/\udbff", why: "halves of characters" },
    { one: "/", other: "", why: "hardly anything" },
  ])("differs for paths that differ in $why", ({ one, other }) => {
    expect(sameTo(name(one))).not.toBe(sameTo(name(other)));
  });

  it("is a short and harmless name that is recognised again, whatever the path", () => {
    fc.assert(
      fc.property(path, (one) => {
        expect(name(one)).toMatch(/^(?:[A-Za-z0-9][A-Za-z0-9._-]*-)?[0-9a-f]{32}$/);
        expect(name(one).length).toBeLessThanOrEqual(81);
        expect(isProjectName(name(one))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("shows the end of the path", () => {
    expect(name("/home/me/projects/my app")).toMatch(/^home-me-projects-my-app-[0-9a-f]{32}$/);
    expect(name(`/${"deep/".repeat(30)}app`)).toMatch(/-deep-app-[0-9a-f]{32}$/);
    expect(name("/東京")).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    "..",
    "memory",
    "x",
    `..-${"0".repeat(32)}`,
    `a/b-${"0".repeat(32)}`,
    "",
  ])("is not taken for one of ours: %j", (other) => {
    expect(isProjectName(other)).toBe(false);
  });
});
