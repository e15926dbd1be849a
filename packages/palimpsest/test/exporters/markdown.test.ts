/** Markdown of a session: readable, and nothing said in it is ever anything but text. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownHead, markdownItem } from "#exporters/markdown.ts";
import { HOSTILE, presented } from "./exported.ts";

/** The parts of a text in and outside of fences, by CommonMark. */
function readFences(markdown: string): {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
} {
  const inside: string[] = [];
  const outside: string[] = [];
  let fence: string | undefined;
  let open: string[] = [];
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const ticks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === undefined && ticks !== null && !(ticks[1]![0] === "`" && ticks[2]!.includes("`"))) {
      fence = ticks[1]!;
      open = [];
    } else if (
      fence !== undefined &&
      ticks !== null &&
      ticks[1]!.startsWith(fence) &&
      ticks[2]!.trim() === ""
    ) {
      inside.push(open.join("\n"));
      fence = undefined;
    } else (fence === undefined ? outside : open).push(line);
  }
  expect(fence, "every fence ends").toBeUndefined();
  return { inside, outside: outside.filter((line) => line !== "") };
}

describe("markdown of a session", () => {
  it("is this, for a call and its result", () => {
    const call = presented(
      [
        { type: "thinking", thinking: "Look first.", signature: "s" },
        { type: "text", text: "I read it." },
        { type: "tool_use", id: "t1", name: "Read", input: { path: "a.txt", body: "one\ntwo" } },
      ],
      { role: "assistant", origin: "assistant" },
    );
    expect(markdownItem(call)).toBe(`
## Assistant · \`m3\` · 2026-11-21 23:08:32 UTC

### Thinking · \`m3.0\`

\`\`\`text
Look first.
\`\`\`

\`\`\`text
I read it.
\`\`\`

### Call \`Read\` · \`m3.2\`

\`\`\`text
path: a.txt
body:
one
two
\`\`\`
`);
  });

  it("keeps hostile text in its fence, whatever it holds", () => {
    const { inside, outside } = readFences(
      markdownItem(presented([{ type: "tool_result", tool_use_id: "x", content: HOSTILE, is_error: true }])),
    );
    expect(inside).toHaveLength(1);
    expect(inside[0]).toContain("<script>alert(1)</script>");
    expect(inside[0]).toContain("\\u{1B}]0;owned\\u{7}\\u{202E}gnp.exe\\u{2028}---");
    expect(outside).toEqual(["## User · `m3` · 2026-11-21 23:08:32 UTC", "### Error · `m3.0`"]);
  });

  it("never lets a text out of its fence", () => {
    const unit = fc.constantFrom(
      "`",
      "``",
      "~~~",
      "\n",
      "\r",
      " ",
      "    ",
      "#",
      "a",
      "```text\n",
      "\t",
      "\u2028",
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const { inside, outside } = readFences(markdownItem(presented([{ type: "text", text }])));
        const lines = text.replace(/\r\n?/g, "\n").replaceAll("\u2028", "\\u{2028}");
        expect(inside).toEqual([lines.endsWith("\n") ? lines.slice(0, -1) : lines]);
        expect(outside).toHaveLength(1);
      }),
    );
  });

  it("makes text of a title, a fact and the name of a tool", () => {
    const head = markdownHead({
      title: "# <b>x</b> [y](javascript:z) ![p](http://e.example/p) www.e.example *a*",
      facts: [{ name: "Folder", value: "/tmp/`x`<script>" }],
      prompts: [],
    });
    expect(head).toBe(
      "# \\# \\<b\\>x\\</b\\> \\[y\\]\\(javascript:z\\) \\!\\[p\\]\\(http:\\/\\/e.example/p\\) www\\.e.example \\*a\\*\n\n" +
        "- Folder: ``/tmp/`x`<script>``\n",
    );
    const call = presented([{ type: "tool_use", id: "t", name: "`x`\n# y", input: {} }]);
    expect(markdownItem(call)).toContain("### Call `` `x` # y `` · `m3.0`");
  });
});
