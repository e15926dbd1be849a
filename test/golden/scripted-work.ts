/**
 * Tools and answers of the scripted agents. Sizes follow from the arguments, so every run is the same.
 */
import type { AgentTool } from "#palimpsest/entries/index.ts";
import { type AnswerPart, callTool, say, think } from "#palimpsest-testing/entries/index.ts";

const WORDS = "the parser reads the tokens one by one and keeps the place of each in the file it came from\n";
/** One black pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Text of about four characters a token. */
export const wordsOf = (name: string, tokens: number): string =>
  `${name}: ${WORDS.repeat(Math.ceil((tokens * 4.6) / WORDS.length))}`;

/** Numbered lines of code. */
const fileOf = (path: string, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) =>
      `${String(at + 1).padStart(6)}\texport const ${path.replaceAll(/\W/g, "_")}_${at} = ${at * 7};`,
  ).join("\n");

const schema = { type: "object" } as const;
const sizeOf = (input: unknown, otherwise: number): number => {
  const { size } = input as { readonly size?: number };
  return size ?? otherwise;
};

/** The tools of a coding agent. */
export const TOOLS: readonly AgentTool[] = [
  {
    name: "Read",
    description: "Reads a file.",
    inputSchema: schema,
    run: (input) => fileOf((input as { readonly file_path: string }).file_path, sizeOf(input, 60)),
  },
  {
    name: "Grep",
    description: "Searches files.",
    inputSchema: schema,
    run: (input) => wordsOf(`found ${JSON.stringify(input)}`, sizeOf(input, 300)),
  },
  {
    name: "Bash",
    description: "Runs a command.",
    inputSchema: schema,
    run: (input) => {
      const content = wordsOf(`ran ${JSON.stringify(input)}`, sizeOf(input, 200));
      return { content, isError: JSON.stringify(input).includes("fails") };
    },
  },
  {
    name: "Write",
    description: "Writes a file.",
    inputSchema: schema,
    run: (input) => `Wrote ${(input as { readonly file_path: string }).file_path}.`,
  },
  {
    name: "TodoWrite",
    description: "Keeps the list of what is to be done.",
    inputSchema: schema,
    run: () => "The list is kept.",
  },
  {
    name: "Screenshot",
    description: "Shows the screen.",
    inputSchema: schema,
    run: () => [
      { type: "text", text: "The screen." },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
    ],
  },
  {
    name: "mcp__docs__get",
    description: "Reads a document.",
    inputSchema: schema,
    run: (input) => wordsOf(`document ${JSON.stringify(input)}`, sizeOf(input, 500)),
  },
  {
    name: "Breaks",
    description: "Fails.",
    inputSchema: schema,
    run: () => {
      throw new Error("The tool broke.");
    },
  },
];

/** Answer of the model at call `index`, in turns of `perTurn` calls. */
export function workAt(
  index: number,
  { perTurn = 12, thinks = false, scale = 1 } = {},
): readonly AnswerPart[] {
  const thought = thinks && index % 3 === 0 ? [think(`I need part ${index}. ${wordsOf("because", 30)}`)] : [];
  if (index % perTurn === perTurn - 1)
    return [...thought, say(`Part ${index} is done. ${wordsOf("report", 60)}`)];
  const size = (tokens: number): number => Math.round(tokens * scale);
  const path = `/repo/src/part${index % 9}.ts`;
  const id = (place: number): string => `call_${index}_${place}`;
  const todos = [
    { content: "Read the parser", status: index > 8 ? "completed" : "in_progress" },
    { content: "Mend it", status: index > 8 ? "in_progress" : "pending" },
  ];
  const each: readonly (readonly AnswerPart[])[] = [
    [callTool("Read", { file_path: path, size: size(90) }, id(0))],
    [
      callTool("Grep", { pattern: `part${index}`, size: size(400) }, id(0)),
      callTool(
        "Bash",
        { command: index % 16 === 9 ? "npm test fails" : `npm test ${index}`, size: size(500) },
        id(1),
      ),
    ],
    [
      say(`I look at ${path}.`),
      callTool("mcp__docs__get", { path: `guide/${index}.md`, size: size(900) }, id(0)),
    ],
    [callTool("Write", { file_path: path, content: wordsOf(`content ${index}`, size(350)) }, id(0))],
    [
      callTool("TodoWrite", { todos }, id(0)),
      callTool("Read", { file_path: `/repo/README${index}.md` }, id(1)),
    ],
    [callTool("Screenshot", {}, id(0)), callTool("Breaks", {}, id(1))],
    [callTool("Grep", { pattern: "everything", size: size(index % 20 === 6 ? 14_000 : 700) }, id(0))],
    [callTool("history_search", { query: `part${index - 4} "npm test"` }, id(0))],
  ];
  return [...thought, ...each[index % each.length]!];
}
