/**
 * Finds fenced code in Markdown, and the links that lead to other files.
 */
export interface CodeBlock {
  /** The language after the fence, such as `ts`. */
  readonly language: string;
  readonly code: string;
  /** The line of the fence, counted from 1. */
  readonly line: number;
}

/** Fenced blocks in order. A fence that is never closed runs to the end. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open:
    | { readonly fence: string; readonly language: string; readonly line: number; code: string[] }
    | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = /^(`{3,}|~{3,})\s*([\w-]*)/.exec(line);
    if (open === undefined) {
      if (fence !== null)
        open = { fence: fence[1] ?? "", language: fence[2] ?? "", line: index + 1, code: [] };
    } else if (fence !== null && line.trim().startsWith(open.fence) && fence[2] === "") {
      blocks.push({ language: open.language, code: open.code.join("\n"), line: open.line });
      open = undefined;
    } else open.code.push(line);
  }
  if (open !== undefined)
    blocks.push({ language: open.language, code: open.code.join("\n"), line: open.line });
  return blocks;
}

/** Links to files, without their anchors. Links inside code are not links. */
export function fileLinks(markdown: string): readonly string[] {
  const prose = markdown.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, "").replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => (match[1] ?? "").replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target));
}
