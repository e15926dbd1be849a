/** The vendor of the bench, in another process: answers in a few sentences, and calls a tool in every second turn. */
import { callTool, scriptedProvider } from "palimpsest-testing";

const SUMMARY = `<summary>${Array.from({ length: 9 }, (_, index) => `${index + 1}. Section: the harbour.`).join("\n")}</summary>`;
const ANSWER = "The berth is free, its lines are dry, and the crane stands at the quay. ".repeat(6);

const provider = await scriptedProvider({
  script: ({ lastUserText, toolNames, body }) => {
    if (/<summary>|window of this conversation is almost full/.test(lastUserText)) return SUMMARY;
    if (!toolNames.includes("todo_write")) return "Nothing is new.";
    const isAnswered = JSON.stringify(body.messages.at(-1)).includes("tool_result");
    const turn = Number(/part (\d+)/.exec(lastUserText)?.[1] ?? 1);
    return turn % 2 === 0 && !isAnswered ? callTool("read", { path: "tides.log", limit: 20 }) : ANSWER;
  },
  windowTokens: 200_000,
});
// Requests are not looked at here; kept, they would be the memory of an hour.
setInterval(() => provider.requests.splice(0), 1_000).unref();
process.send(provider.url);
process.on("disconnect", () => process.exit());
