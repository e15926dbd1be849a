/** The page of a session: no script, no request, and nothing said in it is ever anything but text. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HTML_STYLE, HTML_STYLE_HASH, htmlEnd, htmlHead, htmlItem } from "#exporters/html.ts";
import { HOSTILE, presented } from "./exported.ts";

const TAGS =
  /<(?:!doctype html|\/?(?:html|head|meta|title|style|body|main|h1|h2|dl|dt|dd|nav|ol|li|a|article|header|time|span|pre|details|summary|p|footer)(?: (?:class|id|href|lang|charset|name|content|http-equiv)="[^"<>]*"| open)*)>/g;

describe("html of a session", () => {
  it("has a policy that knows its own style", () => {
    expect(HTML_STYLE_HASH).toBe(`sha256-${createHash("sha256").update(HTML_STYLE).digest("base64")}`);
    const page = htmlHead({ title: "x", facts: [], prompts: [] });
    expect(page).toContain(
      `content="default-src 'none'; style-src '${HTML_STYLE_HASH}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(page).toContain(`<style>${HTML_STYLE}</style>`);
  });

  it("holds nothing but its own tags, whatever is said", () => {
    const hostile = fc.oneof(
      fc.constant(HOSTILE),
      fc.string({
        unit: fc.constantFrom("<", ">", '"', "'", "&", "a", " ", "\n", "</pre>", "<script>", "-->", "\u001b"),
      }),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const page = [
          htmlHead({
            title: text,
            facts: [{ name: text, value: text }],
            prompts: [1, 2].map((seq) => ({ seq, text })),
          }),
          htmlItem(
            presented([
              { type: "text", text },
              { type: "tool_use", id: text, name: text, input: { [text]: text } },
            ]),
          ),
          htmlItem(presented([{ type: "tool_result", tool_use_id: text, content: text }])),
          htmlItem({ type: "note", text }),
          htmlEnd(text),
        ].join("");
        expect(page.replace(HTML_STYLE, "").replace(TAGS, "")).not.toMatch(/[<>]/);
      }),
    );
  });

  it("folds what is long, and shows what is short", () => {
    const result = (content: string) =>
      htmlItem(presented([{ type: "tool_result", tool_use_id: "t", content }]));
    expect(result("done")).toContain('<details class="result" open>');
    expect(result("line\n".repeat(40))).toContain('<details class="result"><summary>');
    expect(result("x".repeat(5_000))).toContain("1 line, 5000 characters");
    expect(htmlItem(presented([{ type: "text", text: "a\n".repeat(100) }]))).not.toContain("<details");
    expect(htmlItem(presented([{ type: "text", text: "a\n".repeat(400) }]))).toContain(
      '<details class="text"><summary><span class="what">Text</span>',
    );
  });

  it("keeps a text to the letter, with the line break it begins with", () => {
    const item = htmlItem(presented([{ type: "text", text: "\n  a\n\n b " }]));
    expect(item).toContain('<pre class="said">\n\n  a\n\n b </pre>');
  });

  it("takes keys out of what is said, of arguments and of results", () => {
    const secret = ["sk-", "ant-api03-", "a1B2".repeat(12)].join("");
    const blocks = [
      { type: "text", text: secret },
      { type: "tool_use", id: "t", name: "Bash", input: { command: `curl -H ${secret}` } },
      { type: "tool_result", tool_use_id: "t", content: secret },
    ] as const;
    expect(htmlItem(presented(blocks))).not.toContain(secret);
    expect(htmlItem(presented(blocks)).match(/\[redacted: anthropic\]/g)).toHaveLength(3);
    expect(htmlItem(presented(blocks, { isRedacted: false }))).toContain(secret);
  });
});
