/** The commands about sessions and what they keep: memory, notes, tasks, resume, fork, clear, cost, model, mode, export. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { OptionError } from "palimpsest";
import { formatBytes, formatCount, formatQuantity, formatTokens, formatUsd } from "../../terminal/figures.ts";
import { createStyles } from "../../terminal/styles.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import { PERMISSION_MODES } from "../base/chat-events.ts";
import { isLost } from "../base/values.ts";
import { type ChatCommand, type ListedChat, oneLineOf } from "./chat-command.ts";

const memory: ChatCommand = {
  name: "memory",
  args: "[question | forget PATH]",
  description: "the memories of this project, or those that answer a question",
  isImmediate: true,
  run: async ({ memory: own }, args) => {
    const path = /^forget\s+(\S+)$/.exec(args)?.[1];
    if (path !== undefined) {
      const { status, reason } = await own.forget(path);
      return { text: `${status}: ${reason}` };
    }
    if (args !== "") return { text: (await own.recall(args)).text || "No memory fits." };
    const { memories, problems } = await own.list();
    const lines = memories.map(
      ({ path: file, name, description, state }) =>
        `${state === "active" ? " " : state.slice(0, 1)} ${file}  ${oneLineOf(description || name)}`,
    );
    const where = own.path === undefined ? "" : `\nThey are files in ${own.path}.`;
    return {
      text:
        [
          ...(lines.length === 0 ? ["There are no memories yet."] : lines),
          ...problems.map(({ path: file }) => `! ${file} cannot be read`),
        ].join("\n") + where,
    };
  },
};

const notes: ChatCommand = {
  name: "notes",
  description: "the notes of this session",
  isImmediate: true,
  run: async ({ session }) => {
    const read = await session.readNotes();
    return {
      text:
        read === undefined
          ? "There are no notes yet: they begin with a longer conversation."
          : `${read.text.trimEnd()}\n\n${read.path}`,
    };
  },
};

const tasks: ChatCommand = {
  name: "tasks",
  args: "[ID | stop ID | send ID TEXT]",
  description: "background tasks: list them, read one, stop one, send it a line",
  isImmediate: true,
  run: async ({ session }, args) => {
    const [word = "", id = "", ...rest] = args.split(/\s+/);
    const isAct = word === "stop" || word === "send";
    if (word !== "") refuseUnknownTask(session, isAct ? id : word);
    if (word === "stop")
      return { text: `${id} is ${(await session.tasks.stop(id, "the user stopped it")).status}.` };
    if (word === "send") {
      await session.tasks.input(id, `${rest.join(" ")}\n`);
      return { text: "Sent." };
    }
    if (word !== "") {
      const { outputBytes, title, status } = session.tasks.get(word);
      const { text, pending } = session.tasks.read(word, { offset: Math.max(0, outputBytes - 4_000) });
      return { text: `${word} ${status}: ${oneLineOf(title)}\n${text}${pending}` };
    }
    const all = session.tasks.list();
    const lines = all.slice(-20).map((task) => {
      const state = task.silence?.state === "waiting" ? "waits for input" : task.status;
      return `${task.id.padEnd(5)} ${state.padEnd(12)} ${formatBytes(task.outputBytes).padStart(8)}  ${oneLineOf(task.title, 60)}`;
    });
    return {
      text: lines.length === 0 ? "There are no tasks." : lines.join("\n"),
      data: { type: "tasks", tasks: all },
    };
  },
};

/** @throws `OptionError` for an id that no task of the session has */
function refuseUnknownTask({ tasks: own }: ChatAgent["session"], id: string): void {
  if (own.list().some((task) => task.id === id)) return;
  throw new OptionError({
    message: id === "" ? "The id of a task is missing." : `There is no task ${id} in this session.`,
    hint: "/tasks lists them, with their ids.",
  });
}

/** Sessions in the list of `/resume`. */
const LISTED = 30;

const resume: ChatCommand = {
  name: "resume",
  args: "[session]",
  description: "continue another session of this folder",
  run: async (agent, args) => {
    if (args !== "") {
      await agent.switchSession({ from: "named", which: args });
      return { text: `This is ${agent.session.id} now.`, action: "switched" };
    }
    const { sessions } = await agent.home.list({ limit: LISTED });
    const listed = sessions.flatMap((info): ListedChat[] => {
      const { sessionId, header, metadata, firstPrompt, lastActivityAt, bytes, isInUse } = info;
      if (header?.purpose !== undefined || isInUse || isLost(info)) return [];
      const { title } = metadata;
      return [
        {
          sessionId,
          title: typeof title === "string" ? title : oneLineOf(firstPrompt ?? ""),
          lastActivityAt,
          bytes,
        },
      ];
    });
    const lines = listed.map(
      ({ sessionId, title, lastActivityAt }) =>
        `${sessionId.slice(0, 8)}  ${new Date(lastActivityAt).toISOString().slice(0, 16).replace("T", " ")}  ${title}`,
    );
    return {
      text:
        lines.length === 0
          ? "There are no other sessions."
          : ["Continue which? /resume ID", ...lines].join("\n"),
      data: { type: "sessions", sessions: listed },
    };
  },
};

const fork: ChatCommand = {
  name: "fork",
  description: "go on in a copy of this session",
  run: async (agent) => {
    const { id } = agent.session;
    await agent.switchSession({ from: "named", which: id, isFork: true });
    return { text: `This is ${agent.session.id} now, a copy of ${id}.`, action: "switched" };
  },
};

const clear: ChatCommand = {
  name: "clear",
  aliases: ["new"],
  description: "begin a new session; this one stays stored",
  run: async (agent) => {
    const { id } = agent.session;
    await agent.switchSession({ from: "new" });
    return { text: `A new session. The one before is ${id}: /resume ${id.slice(0, 8)}`, action: "switched" };
  },
};

type Spent = Pick<
  Awaited<ReturnType<ChatAgent["session"]["spending"]>>,
  "calls" | "unmeteredCalls" | "costUsd"
>;

const cost: ChatCommand = {
  name: "cost",
  description: "what this session has cost",
  isImmediate: true,
  run: async ({ session }) => {
    const spending = await session.spending();
    const dollars = ({ costUsd, unmeteredCalls }: Spent): string =>
      costUsd === undefined ? "—" : formatUsd(costUsd, { digits: 4, isAtLeast: unmeteredCalls > 0 });
    const calls = ({ calls, unmeteredCalls }: Spent): string =>
      `${formatQuantity(calls, "call")}${unmeteredCalls === 0 ? "" : `, ${formatCount(unmeteredCalls)} without reported usage`}`;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = spending.usage;
    const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
    const parts = (["answers", "summaries", "notes", "memory", "tasks"] as const).flatMap((part) =>
      spending[part].calls === 0 && spending[part].costUsd === 0
        ? []
        : [
            `${part.padEnd(10)} ${dollars(spending[part]).padStart(10)}  ${spending[part].calls === 0 ? "calls not counted" : calls(spending[part])}`,
          ],
    );
    return {
      text: [
        spending.costUsd === undefined
          ? `${calls(spending)}; not all of the models asked have a known price`
          : `${dollars(spending)} at list prices, ${calls(spending)}`,
        `${formatTokens(prompt)} tokens of prompts (${prompt === 0 ? 0 : Math.round((100 * cacheReadTokens) / prompt)} % from the cache), ${formatTokens(outputTokens)} of answers`,
        ...parts,
      ].join("\n"),
    };
  },
};

const model: ChatCommand = {
  name: "model",
  args: "[name]",
  description: "the model that answers, or another one",
  run: async (agent, args) => {
    if (args !== "") await agent.setModel(args);
    return { text: `${args === "" ? "The model is" : "From now on"} ${agent.modelName}.` };
  },
};

const mode: ChatCommand = {
  name: "mode",
  args: `[${PERMISSION_MODES.join(" | ")}]`,
  description: "what is decided without asking; and the rules in force",
  isImmediate: true,
  run: async (agent, args) => {
    const found = PERMISSION_MODES.find((one) => one === args);
    if (found === undefined && args !== "")
      throw new OptionError({
        message: `There is no mode ${args}.`,
        hint: `Give one of ${PERMISSION_MODES.join(", ")}.`,
      });
    if (found !== undefined) agent.setMode(found);
    const { allow, ask, deny } = agent.permissions.rules;
    const rows = Object.entries({ allow, ask, deny }).flatMap(([kind, rules]) =>
      rules.length === 0 ? [] : [`${kind}: ${rules.join(", ")}`],
    );
    return { text: [`The mode is ${agent.permissions.mode}.`, ...rows].join("\n") };
  },
};

const exportTo: ChatCommand = {
  name: "export",
  args: "<file>",
  description: "write this session as Markdown, a page (.html) or JSON lines (.jsonl)",
  run: async (agent, args) => {
    if (args === "")
      throw new OptionError({ message: "/export needs a file.", hint: "Give one: /export session.md" });
    const path = resolve(agent.home.workingCopy, args);
    if (existsSync(path))
      throw new OptionError({
        message: `${path} exists already, and nothing was written.`,
        hint: "Give another name, or remove it first.",
      });
    if (!existsSync(dirname(path)))
      throw new OptionError({
        message: `There is no folder ${dirname(path)}, and nothing was written.`,
        hint: "Make it first, or give a name in this folder.",
      });
    await exportSession(agent, path);
    return { text: `Written: ${path}` };
  },
};

/** Writes the session by the command line's own export; the format is by the name of the file. */
async function exportSession(agent: ChatAgent, path: string): Promise<void> {
  const silent = (text: string): void => void text;
  const terminal = {
    columns: 80,
    isInteractive: false,
    styles: createStyles({ isColored: false }),
    write: silent,
  };
  const context = {
    out: terminal,
    err: terminal,
    folder: agent.home.workingCopy,
    env: {},
    signal: new AbortController().signal,
  };
  // Everything that the commands read stored sessions with is loaded for this alone: a chat begins without it.
  const { exportSessionCommand } = await import("../../sessions/export-session-command.ts");
  const program = new Command("palimpsest").exitOverride();
  await exportSessionCommand(program, {
    context,
    version: "",
    exitWith: silent as unknown as (code: number) => void,
    words: [],
  });
  await program.parseAsync(["export", agent.session.id, "--output", path, "--home", agent.home.folder], {
    from: "user",
  });
}

const quit: ChatCommand = {
  name: "quit",
  aliases: ["exit"],
  description: "end",
  isImmediate: true,
  run: async (agent: ChatAgent) => ({
    text: `palimpsest chat --resume ${agent.session.id.slice(0, 8)} goes on here.`,
    action: "quit",
  }),
};

export const SESSION_COMMANDS: readonly ChatCommand[] = [
  memory,
  notes,
  tasks,
  resume,
  fork,
  clear,
  cost,
  model,
  mode,
  exportTo,
  quit,
];
