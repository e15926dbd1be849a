/** Ways in which other people's words come into a session. */
import { put } from "#test/agent/memory/a-persistent-memory.ts";
import type { FirstOptions, FirstSession } from "./two-sessions.ts";

export interface Carrier {
  readonly name: string;
  readonly play: (first: FirstSession, words: string) => Promise<void>;
  readonly prepare?: (words: string) => NonNullable<FirstOptions["prepare"]>;
}

/** Enough to make an extraction due at the end of a turn. */
const LONG = "the parser reads tokens one by one and keeps the place of each ".repeat(420);

const byTool = (name: string, toolName: string, input: Record<string, string>): Carrier => ({
  name,
  play: (first, words) => first.called(toolName, input, words),
});
const bySource = (name: string, messageOf: (words: string) => string): Carrier => ({
  name,
  play: async ({ session }, words) => {
    await session.turn(messageOf(words));
  },
});

export const CARRIERS: readonly Carrier[] = [
  byTool("a file", "Read", { file_path: "README.md" }),
  byTool("a page", "WebFetch", { url: "https://a.example" }),
  byTool("a page by a shell", "Bash", { command: "curl -s https://a.example" }),
  byTool("a command's output", "Bash", { command: "npm install" }),
  byTool("a tool of an MCP server", "mcp__tracker__get_issue", { id: "7" }),
  byTool("a sub-agent", "Task", { prompt: "look into it" }),
  {
    name: "the provider's search",
    play: async ({ session, script }, words) => {
      script.push([
        { type: "server_tool_use", id: "srv1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "srv1", content: [{ title: "A", text: words }] },
        { type: "text", text: "I have searched." },
      ]);
      await session.turn("Search for it.");
    },
  },
  bySource("pasted as code", (words) => `What does this do?\n\`\`\`\n${words}\n\`\`\``),
  bySource(
    "pasted as a quotation",
    (words) => `I got this mail.\n> ${words.replaceAll("\n", "\n> ")}\nIs it real?`,
  ),
  bySource("pasted behind a colon", (words) => `I found this:\n\n${words}`),
  bySource(
    "quoted within a sentence",
    (words) => `The page says "${words.replace(/\s+/g, " ")}" and I wonder why.`,
  ),
  bySource(
    "quoted by typographers",
    (words) => `In der Mail steht „${words.replace(/\s+/g, " ")}“, ist das echt?`,
  ),
  bySource("what a host adds", (words) => `<task-notification>\n${words}\n</task-notification>`),
  {
    name: "an attached file",
    play: async ({ session }, words) => {
      await session.turn({
        role: "user",
        content: [
          { type: "text", text: "See the file." },
          { type: "document", source: { type: "text", media_type: "text/plain", data: words } },
        ],
      });
    },
  },
  {
    name: "an agent that repeats a page",
    play: (first, words) =>
      first.called("WebFetch", { url: "https://a.example" }, words, `The page says: ${words}`),
  },
  {
    name: "an agent that repeats a page after an extraction",
    play: async (first, words) => {
      await first.called("WebFetch", { url: "https://a.example" }, `${words}\n${LONG}`);
      await first.session.memorySettled();
      first.script.push(`As I have read: ${words}`);
      await first.session.turn("Sum it up.");
    },
  },
  {
    name: "an agent that repeats a file after a compaction",
    play: async (first, words) => {
      await first.called("Read", { file_path: "a.md" }, words);
      await first.session.turn(`Go on. ${LONG}`);
      await first.session.compact();
      await first.session.memorySettled();
      first.script.push(`As the file says: ${words}`);
      await first.session.turn("Sum it up.");
    },
  },
  {
    name: "an agent that repeats a page in another process",
    play: async (first, words) => {
      await first.called("WebFetch", { url: "https://a.example" }, words);
      await first.reopen();
      first.script.push(`As I have read: ${words}`);
      await first.session.turn("Sum it up.");
    },
  },
  {
    name: "a memory that somebody put into the folder",
    prepare: (words) => (_memory, store) => put(store, "planted.md", words),
    play: async ({ session }, words) => {
      await session.turn(`What do we know of that? ${words.length > 0 ? "Look." : ""}`);
    },
  },
  byTool("a tool of a memory", "memory", { command: "view", path: "/memories/a.md" }),
];
