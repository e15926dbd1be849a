/**
 * A session of many turns over HTTP: the agent of the chat with its real tools on a checkout, the vendor's SDK, and a scripted
 * provider that plays the vendor. The chat is closed and opened again from time to time, as a person does.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionEvent } from "palimpsest";
import { callTool, FakeClock, type ScriptedRequest, type ScriptStep } from "palimpsest-testing";
import type { ChatAgent } from "#chat/agent/chat-agent.ts";
import { openChat } from "#chat/agent/open-chat.ts";
import { type ChatPlace, chatPlace, type Wire } from "../chat-double.ts";
import { mcpServerSetting } from "../mcp-program.ts";
import { FACTS, PLAN, stepsOf, wordsOf } from "./work.ts";

const SOURCES = fileURLToPath(new URL("../../../../palimpsest/src", import.meta.url));
/** Models whose thinking forbids edits of what was sent, and others, by wire. */
const MODELS = {
  anthropic: { strict: "claude-opus-5-5", permissive: "claude-sonnet-4-6" },
  openai: { strict: "openai:gpt-5.5", permissive: "openai:gpt-4.1" },
} as const;
const NOTES = /^This message is not from the user/m;
const SUMMARY = /^The window of this conversation is almost full|^The following transcript/m;
const MINUTE_MS = 60_000;
const SKILL =
  "---\nname: mooring\ndescription: How ships are moored\n---\nMoor with four lines, the rule of BOLLARD-12.\n" +
  "Lines are doubled in a storm, and the harbour master is called before the tide turns. ".repeat(4);

export interface LifeOptions {
  readonly wire: Exclude<Wire, "compatible">;
  readonly windowTokens: number;
  readonly turns: number;
  /** True if only a part of the layers has the time to act. */
  readonly isShort: boolean;
  /** Folders of the sources that the checkout has. */
  readonly folders: readonly string[];
  /** Policies of the window and kinds of models, one for each time that the chat is opened. */
  readonly parts: readonly (readonly [policy: string, kind: "strict" | "permissive"])[];
}

/** Everything that a test looks at. */
export interface Life {
  readonly place: ChatPlace;
  /** The events of the chat's own session, with the text of the request that left after them. */
  readonly events: readonly SessionEvent[];
  /** For each compaction: what was shown again, and the first request after it. */
  readonly compactions: readonly {
    readonly edit: Compaction;
    readonly restored: readonly Restored[];
    readonly next: string;
  }[];
  /** Answers to the last questions, by fact. */
  readonly answers: Readonly<Record<keyof typeof FACTS, string>>;
  readonly failures: readonly unknown[];
}

type Compaction = Extract<SessionEvent, { readonly type: "layer" }>;
type Restored = Extract<SessionEvent, { readonly type: "restored" }>;

export async function liveLong(options: LifeOptions): Promise<Life> {
  const life = new LongLife(options);
  return life.live();
}

class LongLife {
  readonly #options: LifeOptions;
  readonly #clock = new FakeClock(Date.UTC(2026, 0, 5));
  readonly #events: SessionEvent[] = [];
  readonly #failures: unknown[] = [];
  readonly #compactions: { edit: Compaction; restored: readonly Restored[]; next: string }[] = [];
  #fresh: { edit: Compaction; restored: Restored[] }[] = [];
  #restored: Restored[] = [];
  #steps: ScriptStep[] = [];
  #turn = 0;
  #release: () => void = () => undefined;
  #ended: Promise<void> = Promise.resolve();
  #sessionId: string | undefined;

  constructor(options: LifeOptions) {
    this.#options = options;
  }

  async live(): Promise<Life> {
    const { turns, parts, windowTokens } = this.#options;
    const place = await chatPlace((request) => this.#decide(request), { windowTokens });
    this.#checkout(place);
    const files = sourcesIn(place.folder);
    const perPart = Math.ceil(turns / parts.length);
    let answers: Partial<Record<keyof typeof FACTS, string>> = {};
    for (const [index, [policy, kind]] of parts.entries()) {
      this.#writeSettings(place, policy);
      this.#ended = new Promise((resolve) => {
        this.#release = resolve;
      });
      const agent = await this.#open(place, kind, index === 0);
      const last = Math.min(turns, perPart * (index + 1));
      for (let turn = perPart * index + 1; turn <= last; turn++) {
        const first = perPart * index + 5;
        if (turn === first) await this.#startTasks(agent);
        if (turn === first + 1) await this.#plan(agent);
        await this.#take(agent, turn, stepsOf(turn, files));
        this.#clock.advance(turn % 40 === 0 ? 120 * MINUTE_MS : MINUTE_MS);
      }
      if (index === parts.length - 1) answers = await this.#ask(agent);
      this.#release();
      await agent.close();
      this.#clock.advance(24 * 60 * MINUTE_MS);
    }
    return {
      place,
      events: this.#events,
      compactions: this.#compactions,
      answers: answers as Life["answers"],
      failures: this.#failures,
    };
  }

  #checkout({ folder, home }: ChatPlace): void {
    for (const name of this.#options.folders)
      cpSync(join(SOURCES, name), join(folder, "src", name), { recursive: true });
    writeFileSync(join(folder, "AGENTS.md"), "Write berths in metres, the rule of METRE-5.\n");
    const tides = Array.from(
      { length: 900 },
      (_, index) => `${index} tide ${(index * 7_919) % 1_000} at berth ${index % 60} ${"~".repeat(40)}`,
    );
    writeFileSync(join(folder, "tides.log"), tides.join("\n"));
    mkdirSync(join(home, "skills/mooring"), { recursive: true });
    writeFileSync(join(home, "skills/mooring/SKILL.md"), SKILL);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.example", ...args], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "The harbour as it was");
  }

  #writeSettings({ home }: ChatPlace, policy: string): void {
    const settings = { window: { policy }, chat: { mcpServers: { harbour: mcpServerSetting() } } };
    writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  }

  async #open(place: ChatPlace, kind: "strict" | "permissive", isNew: boolean): Promise<ChatAgent> {
    const { wire, windowTokens } = this.#options;
    const agent = await openChat({
      env: { PATH: process.env["PATH"], ...place.env },
      folder: place.folder,
      session: isNew ? { from: "new" } : { from: "latest" },
      model: MODELS[wire][kind],
      windowTokens,
      permissionMode: "allow-all",
      askPerson: async () => ({ allow: "once" }),
      clock: this.#clock,
      version: "1",
      onEvent: (event) => {
        if (event.type === "turn-failed") this.#failures.push(event.error);
        if (event.type === "session" && (event.sessionId ?? this.#sessionId) === this.#sessionId)
          this.#note(event.event);
        else if (event.type === "session" && this.#sessionId === undefined) this.#note(event.event);
      },
    });
    this.#sessionId = agent.session.id;
    return agent;
  }

  #note(event: SessionEvent): void {
    this.#events.push(event);
    if (event.type === "restored") this.#restored.push(event);
    if (event.type === "layer" && event.edit.isBoundary === true)
      this.#fresh.push({ edit: event, restored: [] });
  }

  async #take(
    agent: ChatAgent,
    turn: number,
    steps: readonly ScriptStep[],
    words = wordsOf(turn),
  ): Promise<string> {
    this.#turn = turn;
    this.#steps = [...steps];
    const result = await agent.send(words);
    return result?.text ?? "";
  }

  /** A command and an agent that run as long as the chat is open. */
  async #startTasks(agent: ChatAgent): Promise<void> {
    const steps = [
      callTool("shell", { command: "sleep 3600", description: "watch the tide gauge", background: true }),
      callTool("task", {
        agent: "general",
        prompt: "Count the gulls.",
        description: "count the gulls",
        background: true,
      }),
      callTool("mcp_find", { query: "tide" }),
    ];
    await this.#take(agent, this.#turn, steps, "Start what runs in the background.");
  }

  /** A compaction while a plan is made, and the plan that is agreed to then. */
  async #plan(agent: ChatAgent): Promise<void> {
    agent.setMode("plan");
    await this.#take(
      agent,
      this.#turn,
      [callTool("read", { path: "AGENTS.md" })],
      "Make a plan for the crane.",
    );
    await agent.session.compact();
    await this.#take(agent, this.#turn, [callTool("exit_plan_mode", { plan: PLAN })], "Show me the plan.");
    agent.setMode("allow-all");
  }

  /** The questions about the first ten turns. */
  async #ask(agent: ChatAgent): Promise<Life["answers"]> {
    const ask = (words: string, steps: readonly ScriptStep[]) =>
      this.#take(agent, this.#turn + 1, steps, words);
    return {
      pin: await ask("What is the codename of the release?", []),
      notes: (await agent.session.readNotes())?.text ?? "",
      memory: await ask("Which port has the staging server?", [
        callTool("memory", { action: "recall", text: "port of the staging server" }),
      ]),
      history: await ask("Where is the spare key?", [
        callTool("history_search", { query: "spare key locker" }),
      ]),
    };
  }

  #decide(request: ScriptedRequest): ScriptStep | Promise<ScriptStep> {
    const { systemText, lastUserText, toolNames } = request;
    if (NOTES.test(lastUserText)) return this.#notes();
    // Now and then a summary is of no use, and the log has to do.
    if (SUMMARY.test(lastUserText)) return this.#turn % 5 === 0 ? "No." : SUMMARY_TEXT;
    if (systemText.includes("You are a careful agent"))
      return this.#ended.then(() => "There are nine gulls.");
    if (systemText.includes("You explore a workspace")) return exploring(request);
    if (lastUserText.startsWith("What is remembered already")) return "Nothing is new.";
    if (!toolNames.includes("todo_write"))
      throw new Error(`No such request is known: ${lastUserText.slice(0, 200)}`);
    const text = JSON.stringify(request.body);
    for (const { edit } of this.#fresh.splice(0))
      this.#compactions.push({ edit, restored: this.#restored.splice(0), next: text });
    return this.#steps.shift() ?? `Turn ${this.#turn} is done.${answerTo(request, text)}${this.#report()}`;
  }

  /** Words that no layer but a collapse or a summary shortens. */
  #report(): string {
    const sentences = Math.ceil(this.#options.windowTokens / 3_000);
    return Array.from(
      { length: sentences },
      (_, index) => ` Berth ${index} of part ${this.#turn} is free, and its lines are dry.`,
    ).join("");
  }

  #notes(): ScriptStep {
    return [
      `<replace section="Current State">\nPart ${this.#turn} of the harbour, for ${FACTS.notes}.\n</replace>`,
      `<append section="Worklog">\n- part ${this.#turn}\n</append>`,
    ].join("\n\n");
  }
}

const SUMMARY_TEXT = `<analysis>All of it.</analysis>\n<summary>\n${Array.from({ length: 9 }, (_, index) => `${index + 1}. Section: the harbour.`).join("\n")}\n</summary>`;

/** An agent that reads a file and reports. */
function exploring({ body }: ScriptedRequest): ScriptStep {
  return JSON.stringify(body).includes('tides.log\\"') || JSON.stringify(body).includes('tides.log"')
    ? "The tide is at tides.log:3."
    : [callTool("read", { path: "tides.log", limit: 20 }), callTool("glob", { pattern: "*.log" })];
}

/** What the model tells from its request about what it is asked: from its window, or from the newest result of a tool. */
function answerTo({ body, lastUserText }: ScriptedRequest, text: string): string {
  const { messages, input = messages } = body as {
    readonly messages?: readonly unknown[];
    readonly input?: readonly unknown[];
  };
  const newest = JSON.stringify(input?.at(-1));
  const questions = [
    { words: "codename of the release?", answer: () => /HERON-\d+/.exec(text)?.[0] },
    { words: "Which port has", answer: () => /port \d+/.exec(newest)?.[0] },
    { words: "Where is the spare key?", answer: () => /locker \d+/.exec(newest)?.[0] },
  ].map((one) => ({ ...one, at: lastUserText.lastIndexOf(one.words) }));
  // A summary in the same message quotes the questions before: the newest one is behind them.
  const asked = questions.filter(({ at }) => at !== -1).sort((one, other) => other.at - one.at)[0];
  return asked === undefined ? "" : ` ${asked.answer()}`;
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => `src/${path}`);
}
