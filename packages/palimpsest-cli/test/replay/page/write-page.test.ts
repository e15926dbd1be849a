/** A page as it is written: whole, alone, and harmless. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import type { PageData } from "#replay/page/page-data.ts";
import { pageScript, renderPage, scriptJson, writePage } from "#replay/page/write-page.ts";
import { openaiChat, testFolder } from "../../../../../test/helpers/recordings.ts";
import { replayedPage } from "./replayed-page.ts";

const HOSTILE = "</script><script>alert(1)</script><!--<script>{{scripts}}$&$1\u2028";

let data: PageData;
beforeAll(async () => {
  data = (await replayedPage(openaiChat(2), { title: HOSTILE })).data;
});

/** Scripts and styles of a page, with their attributes. */
function inlined(html: string, tag: "script" | "style") {
  const found = [...html.matchAll(new RegExp(`<${tag}([^>]*)>([\\s\\S]*?)</${tag}>`, "g"))];
  return found.map(([, attributes = "", text = ""]) => ({ attributes: attributes.trim(), text }));
}

describe("a page", () => {
  it("has its data, the chart library and its script inline, and nothing of the session anywhere else", () => {
    const html = renderPage(data);
    const scripts = inlined(html, "script");
    expect(scripts.map(({ attributes }) => attributes)).toEqual([
      'id="data" type="application/json"',
      "",
      "",
    ]);
    expect(JSON.parse(scripts[0]!.text)).toEqual(JSON.parse(JSON.stringify(data)));
    expect(scripts[0]!.text).not.toContain("<");
    expect(html.split(scripts[0]!.text).join("")).not.toContain("alert(1)");
  });

  it("allows exactly its own scripts and style, and no source from outside", () => {
    const html = renderPage(data);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const [, chart, script] = inlined(html, "script").map(({ text }) => hashOf(text));
    const [style] = inlined(html, "style").map(({ text }) => hashOf(text));
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${chart} ${script}`,
      `style-src ${style}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<style"));
  });

  it("asks nobody for anything: it names no other place but in its licences", () => {
    const html = renderPage(data);
    const places = [...html.matchAll(/(?:src|href|action|url)\s*[=(]\s*["']?([^"'\s)>]+)/g)].map(
      ([, to]) => to,
    );
    expect(places.filter((to) => /^(?:https?:)?\/\//.test(to ?? ""))).toEqual([]);
  });

  it("carries the licence of the library in it", () => {
    expect(renderPage(data)).toMatch(/Copyright \(c\) \d+ Leon Sorokin/);
  });

  it("has one script, in which no name is given twice", () => {
    const script = pageScript();
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/^(?:import|export)\b/m);
    const names = [...script.matchAll(/^(?:(?:const|let|class|function)\s+)([\w$]+)/gm)].map(
      ([, name]) => name,
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(names).toContain("openSession");
  });

  it("makes no markup of strings, which the policy of the page forbids as well", () => {
    expect(pageScript()).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/,
    );
  });
});

describe("JSON in a page", () => {
  it.each([HOSTILE, "<!-- <script>", "\ud800", "]]>", '"\\'])("comes back as it was: %j", (text) => {
    expect(scriptJson(text)).not.toContain("<");
    expect(JSON.parse(scriptJson(text))).toBe(text);
  });
});

describe("writing a page", () => {
  it("replaces what was there, leaves nothing beside it, and lets nobody else read it", () => {
    const path = join(testFolder(), "page.html");
    writeFileSync(path, "old");
    const bytes = writePage(path, data);
    expect(statSync(path).size).toBe(bytes);
    expect(readFileSync(path, "utf8")).toBe(renderPage(data));
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  it.each([
    { make: (folder: string) => join(folder, "gone", "page.html"), why: "the folder has gone" },
    {
      make: (folder: string) => {
        mkdirSync(join(folder, "page.html"));
        return join(folder, "page.html");
      },
      why: "a folder came in between",
    },
  ])("fails with STORE_FAILED and leaves nothing: $why", ({ make }) => {
    const folder = testFolder();
    const path = make(folder);
    const before = readdirSync(folder);
    expect(() => writePage(path, data)).toThrow(
      expect.objectContaining({ code: "STORE_FAILED", message: expect.stringContaining("page.html") }),
    );
    expect(readdirSync(folder)).toEqual(before);
  });
});
