import type { ContentBlock } from "palimpsest";
import { describe, expect, it } from "vitest";
import { readableIn, stringsIn } from "#metering/readable-strings.ts";

describe("readableIn", () => {
  it.each<{ block: ContentBlock; text: string; why: string }>([
    { block: { type: "text", text: "hello" }, text: "hello", why: "the text" },
    {
      block: { type: "tool_use", id: "c", name: "Edit", input: { file_path: "a.ts", text: "x\ty" } },
      text: "a.ts\nx\ty",
      why: "values of arguments, not their keys, and without the escapes of JSON",
    },
    {
      block: { type: "tool_use", id: "c", name: "T", input: { deep: [{ n: 7 }, null, true, "z"] } },
      text: "7\nz",
      why: "however deep they stand",
    },
    { block: { type: "tool_use", id: "c", name: "T", input: null }, text: "", why: "no arguments" },
    { block: { type: "tool_result", tool_use_id: "c", content: "done" }, text: "done", why: "the result" },
    {
      block: { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      text: "",
      why: "a picture is not read",
    },
    { block: { type: "redacted_thinking", data: "abc" }, text: "", why: "only its provider reads it" },
  ])("of a block: $why", ({ block, text }) => {
    expect(readableIn(block)).toBe(text);
  });

  it("stops where arguments are nested beyond reason", () => {
    const nested = JSON.parse(`${"[".repeat(5_000)}"deep_value"${"]".repeat(5_000)}`);
    expect(readableIn({ type: "tool_use", id: "c", name: "T", input: nested })).toBe("");
  });

  it("gives the same set for the same block", () => {
    const block: ContentBlock = { type: "text", text: "parse_args" };
    expect([...stringsIn(block)]).toEqual(["parse_args"]);
    expect(stringsIn(block)).toBe(stringsIn(block));
  });
});
