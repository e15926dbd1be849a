/** Keys of twenty families do not get into memory, whole or broken, and what only looks like one stays. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cleanMemoryText } from "#memory/trust/clean-memory.ts";
import { corpusFolder, hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { bySize, isLong } from "../../../../../test/helpers/size-of-run.ts";
import {
  BREAKS,
  SECRET_FAMILIES,
  type SecretSample,
  SURROUNDINGS,
  secretSample,
  seeded,
} from "./secret-samples.ts";

const SAMPLES = bySize({ usual: 3, long: 20, soak: 60 });
const LINES = isLong ? 10_000 : 1_000;
/** A piece of a key this long would be a leak; a family's prefix is none. */
const LEAKED_CHARACTERS = 9;
const PREFIX = /^(?:sk-)?ant-api03-|^sk-or-v1-|-----(?:BEGIN|END)[^\n]*-----/;

/** The cleaned text, with what a reader would put together again put together. */
const together = (text: string): string =>
  text.replace(/\\+u\{200B\}|\\*["'] \+(?:\s|\\+n)*\\*["']|(?:\\*(?:\n|\\n))[ \t]*(?:> )?/g, "");

function isLeaked(secret: string, cleaned: string): boolean {
  const random = secret.replaceAll(new RegExp(PREFIX, "g"), "\n").split("\n");
  return random.some((part) => {
    for (let at = 0; at + LEAKED_CHARACTERS <= part.length; at++)
      if (cleaned.includes(part.slice(at, at + LEAKED_CHARACTERS))) return true;
    return false;
  });
}

const random = seeded(20_261_122);
const halves = ({ secret }: SecretSample): readonly [string, string] => {
  const at = 1 + Math.floor(random() * (secret.length - 1));
  return [secret.slice(0, at), secret.slice(at)];
};

describe("secrets in memory", () => {
  it("finds what leaks", () => {
    expect(isLeaked("sk-ant-api03-abCD3fGhIJ4k", "x sk-ant-api03-abC x")).toBe(false);
    expect(isLeaked("sk-ant-api03-abCD3fGhIJ4k", together('x D3fGh" +\n  "IJ4k x'))).toBe(true);
    expect(together("a\\\nb\n> c\\nd\\\\u{200B}e")).toBe("abcde");
  });

  const whole = { count: 0, leaked: 0 };
  it.each(SECRET_FAMILIES)("keeps %s out of a body, whatever stands around it", (family) => {
    const leaked: string[] = [];
    for (const { name, around } of SURROUNDINGS) {
      for (let sample = 0; sample < SAMPLES; sample++) {
        const { before, secret, after } = secretSample(family, random);
        const { text, changes } = cleanMemoryText(around(before + secret + after), "body");
        whole.count++;
        if (isLeaked(secret, text)) leaked.push(`${name}: ${text}`);
        expect(changes.some((change) => change.startsWith("secret: "))).toBe(!isLeaked(secret, text));
      }
    }
    whole.leaked += leaked.length;
    expect(leaked).toEqual([]);
  });

  it("are looked for in many cases", () => {
    console.info(
      `whole keys of ${SECRET_FAMILIES.length} families: ${whole.leaked} of ${whole.count} leaked`,
    );
    expect(SECRET_FAMILIES.length).toBeGreaterThanOrEqual(15);
    expect(whole.count).toBeGreaterThan(500);
  });

  it("keeps at least 99 in 100 out that are broken in two", () => {
    const leaked: string[] = [];
    let count = 0;
    for (const family of SECRET_FAMILIES.filter((name) => name !== "private-key")) {
      for (const { around } of SURROUNDINGS) {
        for (const { name, mark } of BREAKS) {
          for (let sample = 0; sample < SAMPLES; sample++) {
            const made = secretSample(family, random);
            const [head, tail] = halves(made);
            const text = around(made.before + head + mark + tail + made.after);
            count++;
            if (isLeaked(made.secret, together(cleanMemoryText(text, "body").text)))
              leaked.push(`${family} over ${name}: ${text}`);
          }
        }
      }
    }
    console.info(`broken keys that leaked: ${leaked.length} of ${count}`);
    expect(leaked.length, leaked.slice(0, 5).join("\n")).toBeLessThanOrEqual(count / 100);
  });

  it("keeps them out of names and descriptions, also where these are cut", () => {
    for (const family of SECRET_FAMILIES.filter((name) => name !== "private-key")) {
      const { before, secret, after } = secretSample(family, random);
      const text = `${"word ".repeat(11)}${before}${secret}${after}`;
      expect(isLeaked(secret, cleanMemoryText(text, "name").text), family).toBe(false);
      expect(isLeaked(secret, cleanMemoryText(text, "description").text), family).toBe(false);
    }
  });
});

/** Lines of what looks like keys and is none. */
function lookAlikes(count: number): readonly string[] {
  const hex = (algorithm: string, seed: number): string =>
    createHash(algorithm).update(`${seed}`).digest("hex");
  const base64 = (seed: number): string => createHash("sha512").update(`${seed}`).digest("base64");
  const makers: readonly ((seed: number) => string)[] = [
    (seed) => `commit ${hex("sha1", seed)}`,
    (seed) => `sha256:${hex("sha256", seed)}`,
    (seed) => `id: ${hex("md5", seed).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")}`,
    (seed) => `"integrity": "sha512-${base64(seed)}",`,
    (seed) => `![pixel](data:image/png;base64,iVBORw0KGgo${base64(seed)}${base64(seed + 1)})`,
    (seed) => `index ${hex("sha1", seed).slice(0, 7)}..${hex("sha1", seed + 1).slice(0, 7)} 100644`,
    (seed) => `https://example.com/assets/app.${hex("md5", seed).slice(0, 8)}.js?v=${seed}:80@2x`,
    (seed) => `ETag: W/"${hex("md5", seed)}"`,
    (seed) =>
      `  at Object.<anonymous> (/app/node_modules/.pnpm/x@1.${seed}.0_${hex("md5", seed)}/index.js:1:2)`,
    (seed) => `const apiKey = process.env.SERVICE_API_KEY_${seed}; // the bearer token is read at start`,
  ];
  return Array.from({ length: count }, (_, index) => makers[index % makers.length]!(index));
}

const hasSecret = (text: string): boolean =>
  cleanMemoryText(text, "body").changes.some((change) => change.startsWith("secret: "));

it(`takes none of ${LINES} lines of checksums, ids and pictures for a key`, () => {
  const found = lookAlikes(LINES).filter(hasSecret);
  console.info(`taken for keys: ${found.length} of ${LINES} lines that look like some`);
  expect(found).toEqual([]);
});

it(`leaves ${LINES} lines without keys as they are, to the byte, one by one and as one text`, () => {
  const lines = lookAlikes(LINES).map((line) => line.replaceAll("![", "[").trim());
  expect(lines.filter((line) => cleanMemoryText(line, "body").text !== line)).toEqual([]);
  const texts = Array.from({ length: LINES / 100 }, (_, at) =>
    lines.slice(at * 100, at * 100 + 100).join("\n"),
  );
  expect(texts.filter((text) => cleanMemoryText(text, "body").text !== text)).toEqual([]);
});

it.skipIf(!hasCorpus)(
  "takes at most one in 1,000 recorded lines for a key (skipped without the corpus)",
  () => {
    const folder = join(corpusFolder, "trajectories/claude-code");
    const files = readdirSync(folder).slice(0, isLong ? undefined : 3);
    const all = files.flatMap((name) => recordedLines(join(folder, name)));
    const lines = all.filter((_, index) => isLong || index % 3 === 0);
    const found = lines.filter(hasSecret);
    console.info(`taken for keys: ${found.length} of ${lines.length} recorded lines`);
    expect(lines.length).toBeGreaterThan(isLong ? 10_000 : 5_000);
    expect(found.length, found.slice(0, 3).join("\n").slice(0, 1_000)).toBeLessThanOrEqual(
      lines.length / 1_000,
    );
  },
);

/** Lines of code and output, as strings in a session's records. */
function recordedLines(path: string): readonly string[] {
  const found: string[] = [];
  for (const record of gunzipSync(readFileSync(path)).toString("utf8").split("\n")) {
    for (const [, text = ""] of record.matchAll(
      /"(?:content|text|stdout|originalFile)":"((?:[^"\\]|\\.)*)"/g,
    ))
      found.push(...(JSON.parse(`"${text}"`) as string).split("\n"));
  }
  return found.filter((line) => line.trim() !== "" && line.length < 2_000);
}
