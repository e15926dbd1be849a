/**
 * Writes a page: one file with everything in it, which loads nothing when it is opened.
 *
 * Text of a session is hostile. The page holds it as JSON without any `<`. Its script only ever makes text nodes of
 * it. A content security policy allows these scripts, this style and nothing else: no other script, no request, no
 * markup from a string.
 */
import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { StoreError } from "palimpsest";
import type { PageData } from "./page-data.ts";

/** The browser script, in the order in which its parts build on one another. */
const SCRIPTS = [
  "format.js",
  "elements.js",
  "session-data.js",
  "call-diff.js",
  "edit-words.js",
  "colors.js",
  "tooltip.js",
  "call-cursor.js",
  "headline.js",
  "edit-lanes.js",
  "window-chart.js",
  "call-sizes.js",
  "call-rows.js",
  "call-panel.js",
  "layer-table.js",
  "cost-chart.js",
  "page.js",
] as const;

/** The page's style, in the order in which it cascades. */
const STYLES = [
  "styles/base.css",
  "styles/headline.css",
  "styles/picture.css",
  "styles/call.css",
  "styles/layers.css",
  "styles/tooltip.css",
  "styles/narrow.css",
  "styles/print.css",
] as const;

/** The page as HTML. */
export function renderPage(data: PageData): string {
  const { script: chartScript, style: chartStyle, license } = chartLibrary();
  const style = [chartStyle, ...STYLES.map(asset)].join("\n");
  const script = pageScript();
  const chart = `/*\n${license.trim()}\n*/\n${chartScript}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(chart)} ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return filled(asset("page.html"), {
    policy: `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    style: `<style>${style}</style>`,
    scripts: [
      `<script id="data" type="application/json">${scriptJson(data)}</script>`,
      `<script>${chart}</script>`,
      `<script>${script}</script>`,
    ].join("\n"),
  });
}

/** Writes the page beside its place and moves it there, so that no half of one is ever seen. Returns its size. */
export function writePage(path: string, data: PageData): number {
  const html = Buffer.from(renderPage(data));
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    writeDurably(temporary, html);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new StoreError("STORE_FAILED", {
      message: `The page ${path} could not be written (${(cause as NodeJS.ErrnoException).code ?? "unknown"}).`,
      hint: "Choose another file with --html.",
      cause,
    });
  }
  return html.length;
}

/** Readable by its owner only, as the session was. */
function writeDurably(path: string, bytes: Buffer): void {
  const file = openSync(path, "wx", 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** JSON that no HTML parser ends early: neither a tag nor a comment can begin without its `<`. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/** The published program has the assets in this place, and this code in another folder that is as deep (`scripts/build.mjs`). */
function asset(name: string): string {
  return readFileSync(new URL(`../../replay/page/assets/${name}`, import.meta.url), "utf8");
}

/** The parts as one script: they are modules, so that each can be read and tested alone, and a page can load none. */
export function pageScript(): string {
  const parts = SCRIPTS.map((name) =>
    asset(name)
      .replace(/^import\s[^;]*;\n/gm, "")
      .replace(/^export\s+/gm, ""),
  );
  return `"use strict";\n(() => {\n${parts.join("\n")}\n})();\n`;
}

function chartLibrary(): { readonly script: string; readonly style: string; readonly license: string } {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string): string => readFileSync(resolve(`uplot/${name}`), "utf8");
  return {
    script: read("dist/uPlot.iife.min.js"),
    style: read("dist/uPlot.min.css"),
    license: read("LICENSE"),
  };
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Replaces each `<!-- {{name}} -->` of the template, once; replacements are not searched again. */
function filled(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replace(/<!-- \{\{(\w+)\}\} -->/g, (_, name: string) => parts[name] ?? "");
}
