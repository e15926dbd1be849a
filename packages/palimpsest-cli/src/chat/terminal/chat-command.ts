/** `palimpsest chat`: an agent in the terminal. */
import {
  type CommandCall,
  type CommandResult,
  commandOf,
  type JsonFlag,
} from "../../command-line/command.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import { CHAT_OPTIONS, type ChatFlags, chatOptions } from "../agent/chat-flags.ts";

type ChatCall = CommandCall<ChatFlags & JsonFlag>;

export const chatCommand = commandOf(
  {
    name: "chat",
    description: "talk with an agent that remembers",
    args: { "[prompt...]": "the first message" },
    options: [...CHAT_OPTIONS],
    examples: [
      "chat",
      'chat "Why does the build fail?"',
      "chat --model ollama:qwen3",
      "chat --continue",
      "chat --resume 3f2a91c0 --fork",
      "chat --model my-model --base-url http://127.0.0.1:8000/v1",
    ],
    notes: ["/help in the chat lists its commands. Without a terminal it reads lines and prints plain text."],
  },
  async (call: ChatCall, words: readonly string[]): Promise<CommandResult> =>
    call.context.out.isInteractive && (call.context.stdin ?? process.stdin).isTTY === true
      ? onScreen(call, words.join(" "))
      : inPlainText(call, words.join(" ")),
);

async function onScreen(call: ChatCall, first: string): Promise<CommandResult> {
  const { context, version } = call;
  const { ChatScreen } = await import("./chat-screen.ts");
  const screen = new ChatScreen({
    streams: process,
    styles: context.out.styles,
    folder: context.folder,
    now: () => performance.now(),
    version,
  });
  // The prompt is there before the rest of the program is loaded, which takes longer.
  await screen.start();
  screen.submit(first);
  const options = chatOptions(call);
  let agent: ChatAgent | undefined;
  const onStop = new Promise<void>((resolve) =>
    context.signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  try {
    const opening = import("../agent/open-chat.ts").then(({ openChat }) =>
      openChat({
        ...options,
        onEvent: (event) => screen.onEvent(event),
        askPerson: (question, signal) => screen.askPerson(question, signal),
      }),
    );
    agent = await opening;
    screen.opened(agent, options.session);
    await Promise.race([screen.ended, onStop]);
    screen.note("Ending the session …");
    const { session, home } = agent;
    const isKept = home.persistence.isOn && session.visible.some(({ origin }) => origin === "user");
    await agent.close();
    await screen.stop(isKept ? [`To go on: palimpsest chat --resume ${session.id}`] : []);
    return { exitCode: 0 };
  } catch (error) {
    await screen.stop([]);
    await agent?.close();
    throw error;
  }
}

async function inPlainText(call: ChatCall, first: string): Promise<CommandResult> {
  const { PlainChat } = await import("./plain-chat.ts");
  const { openChat } = await import("../agent/open-chat.ts");
  const chat = new PlainChat(call.context);
  const agent = await openChat({ ...chatOptions(call), onEvent: (event) => chat.onEvent(event) });
  try {
    await chat.run(agent, first);
    return { exitCode: chat.hasFailed ? 1 : 0 };
  } finally {
    await agent.close();
  }
}
