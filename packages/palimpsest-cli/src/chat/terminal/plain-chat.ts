/**
 * The chat without a terminal: lines in, plain text out. Each line is a message or a command; without a person at a terminal
 * no question can be asked, so what needs permission is denied unless a rule or a mode allows it.
 */
import { createInterface } from "node:readline";
import type { CliContext } from "../../terminal/terminal.ts";
import { layoutOf } from "../../terminal/terminal.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import type { ChatEvent } from "../base/chat-events.ts";
import { safeText } from "../base/safe-text.ts";
import type { CommandAnswer } from "../commands/chat-command.ts";
import { parseCommandLine, runChatCommand } from "../commands/registry.ts";
import { ChatView, type ViewItem } from "./chat-view.ts";
import { showAnswer, showError } from "./command-answer.ts";
import { titleOf } from "./session-start.ts";

export class PlainChat {
  readonly #context: CliContext;
  readonly #view = new ChatView(Date.now, () => this.#agent?.session.id);
  #agent: ChatAgent | undefined;
  #hasFailed = false;

  constructor(context: CliContext) {
    this.#context = context;
  }

  /** True if the newest turn failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  onEvent(event: ChatEvent): void {
    if (event.type === "turn-started") this.#hasFailed = false;
    if (event.type === "turn-failed") this.#hasFailed = true;
    this.#view.onEvent(event);
    this.#print();
  }

  /** Takes the first message, if there is one, and then lines until the input, or the chat, ends. */
  async run(agent: ChatAgent, first: string): Promise<void> {
    this.#agent = agent;
    const { stdin = process.stdin, signal } = this.#context;
    const lines = createInterface({ input: stdin as NodeJS.ReadableStream, terminal: false });
    const onAbort = (): void => {
      void agent.interrupt();
      lines.close();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    // From here on no line is missed, however long the first message takes.
    for await (const line of allLines(first, lines[Symbol.asyncIterator]())) {
      if (signal.aborted) break;
      if (line.trim() === "") continue;
      if (parseCommandLine(line) === undefined) await agent.send(line);
      else if ((await this.#command(agent, line)) === "quit") break;
    }
    lines.close();
    signal.removeEventListener("abort", onAbort);
  }

  async #command(agent: ChatAgent, line: string): Promise<CommandAnswer["action"]> {
    try {
      const answer = await runChatCommand(agent, line, this.#context.signal);
      const show = showAnswer(answer, titleOf(agent.session));
      if (show !== undefined) this.#view.add({ type: "lines", show });
      return answer.action;
    } catch (error) {
      this.#view.add({ type: "lines", show: showError(error) });
      return undefined;
    } finally {
      this.#print();
    }
  }

  #print(): void {
    const { out } = this.#context;
    for (const item of this.#view.items.splice(0)) {
      const lines = plainLines(item, layoutOf(out));
      if (lines.length > 0) out.write(`${lines.join("\n")}\n`);
    }
  }
}

async function* allLines(first: string, others: AsyncIterableIterator<string>): AsyncGenerator<string> {
  yield first;
  yield* others;
}

type Layout = ReturnType<typeof layoutOf>;

/** An item as plain text. Answers are not wrapped: what reads them may want their lines. */
function plainLines(item: ViewItem, layout: Layout): readonly string[] {
  switch (item.type) {
    case "user":
      return [];
    case "answer":
      return [safeText(item.text).trimEnd()];
    case "thinking":
      return [];
    case "tool":
      return [`${item.isError ? "failed: " : ""}${item.label}`, ...item.lines.map((line) => `  ${line}`)];
    case "note":
      return item.lines;
    case "lines":
      return item.show(layout);
  }
}
