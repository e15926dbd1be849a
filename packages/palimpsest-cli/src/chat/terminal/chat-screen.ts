/**
 * The interactive screen: what was said above, the live part, the input, the status line.
 *
 * DESIGN. One component draws everything, top to bottom; the library sends what changed. Items are final, so what scrolled
 * out never changes; once there is much of it, it is forgotten here (the terminal and the log have it) and the screen is
 * drawn again in place. The input can be used before the chat is open: what is sent waits.
 *
 * Keys: Esc and Ctrl-C stop the answer; Ctrl-C twice, Ctrl-D in an empty input, and a signal end the chat.
 */

import { formatCount } from "../../terminal/figures.ts";
import type { Styles } from "../../terminal/styles.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import type { ChosenSession } from "../agent/chat-options.ts";
import {
  type ChatEvent,
  PERMISSION_MODES,
  type PermissionAnswer,
  type PermissionQuestion,
} from "../base/chat-events.ts";
import type { CommandAnswer } from "../commands/chat-command.ts";
import { CHAT_COMMANDS, parseCommandLine, runChatCommand } from "../commands/registry.ts";
import { ChatView } from "./chat-view.ts";
import { type Choice, choiceOf, showAnswer, showError } from "./command-answer.ts";
import { Dialogs, permissionChoices, questionTitle } from "./dialogs.ts";
import { DrawnItems } from "./drawn-items.ts";
import { InputHistory } from "./input-history.ts";
import type { Layout } from "./layout.ts";
import { LargePastes } from "./pastes.ts";
import {
  CombinedAutocompleteProvider,
  type Component,
  Editor,
  isKeyRelease,
  matchesKey,
  setCapabilities,
  TUI,
} from "./pi-tui.ts";
import { fit, liveLines } from "./render-view.ts";
import { type ScreenStreams, ScreenTerminal } from "./screen-terminal.ts";
import { earlierItems, greetingItem, titleOf } from "./session-start.ts";
import { statusLine } from "./status-line.ts";
import { suspend } from "./suspend.ts";

/** The pace of the live part while something runs, in milliseconds. */
const TICK_MS = 250;
/** Two presses of Ctrl-C within this time end the chat, in milliseconds. */
const TWICE_MS = 1_500;

interface ScreenOptions {
  readonly streams: ScreenStreams;
  readonly styles: Styles;
  readonly folder: string;
  readonly now: () => number;
  /** Version of this program. */
  readonly version: string;
}

export class ChatScreen implements Component {
  readonly view: ChatView;
  readonly #options: ScreenOptions;
  readonly #tui: TUI;
  readonly #terminal: ScreenTerminal;
  readonly #editor: Editor;
  readonly #pastes: LargePastes;
  readonly #drawn: DrawnItems;
  readonly #dialogs: Dialogs;
  #agent: ChatAgent | undefined;
  #queue: string[] = [];
  readonly #inputs = new InputHistory();
  #hint: string | undefined;
  #hintTimer: NodeJS.Timeout | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #command: AbortController | undefined;
  #tick: NodeJS.Timeout | undefined;
  #isEnding = false;
  #end: (() => void) | undefined;
  #drawnOnce: (() => void) | undefined;
  /** Resolves when the person wants to leave. */
  readonly ended: Promise<void>;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.view = new ChatView(options.now, () => this.#agent?.session.id);
    this.#drawn = new DrawnItems(this.view.items, () => this.#tui.requestRender(true));
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#pastes = new LargePastes();
    this.#terminal = new ScreenTerminal({
      ...options.streams,
      pasteLimit: LargePastes.limit,
      onPaste: (text) => this.#pasted(text),
      onPasteRefused: (characters) =>
        this.note(
          `The pasted text has ${formatCount(characters)} characters, which is too much: save it in a file of the workspace, and name the file.`,
        ),
    });
    // Addresses of links are shown: what a link says need not be where it leads.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.#tui = new TUI(this.#terminal);
    const { styles } = options;
    this.#editor = new Editor(this.#tui, {
      borderColor: styles.dim,
      selectList: {
        ...{ selectedPrefix: styles.cyan, selectedText: styles.cyan },
        ...{ description: styles.dim, scrollInfo: styles.dim, noMatch: styles.dim },
      },
    });
    this.#editor.setAutocompleteProvider(
      new CombinedAutocompleteProvider(
        CHAT_COMMANDS.map(({ name, description }) => ({ name, description })),
        options.folder,
      ),
    );
    this.#dialogs = new Dialogs({
      styles,
      rows: () => this.#terminal.rows,
      onChange: (open) => {
        this.#tui.setFocus(open ?? this.#editor);
        this.#redraw();
      },
    });
    this.#editor.onSubmit = (text) => this.submit(text);
    this.#tui.addInputListener((data) => (this.#key(data) ? { consume: true } : undefined));
    this.#tui.addChild(this);
  }

  /** Shows the prompt, which takes keys from now on. Resolves when it is drawn. */
  async start(): Promise<void> {
    const drawn = new Promise<void>((resolve) => {
      this.#drawnOnce = resolve;
    });
    this.#tui.start();
    this.#tui.setFocus(this.#editor);
    await drawn;
  }

  /** The chat is open: what was sent already goes to it. */
  opened(agent: ChatAgent, chosen: ChosenSession): void {
    this.#agent = agent;
    this.view.add(greetingItem(agent, { version: this.#options.version, isResumed: chosen.from !== "new" }));
    this.#showEarlier(agent);
    void this.#recallInputs(agent);
    this.#redraw();
    void this.#next();
  }

  /** The arrow keys find the inputs of earlier chats. */
  async #recallInputs({ home }: ChatAgent): Promise<void> {
    const inputs = await this.#inputs.open(home.persistence.isOn ? home.project.folder : undefined);
    for (const input of inputs) this.#editor.addToHistory(input);
  }

  onEvent(event: ChatEvent): void {
    this.view.onEvent(event);
    this.#redraw();
  }

  /** Asks the person about a call. */
  askPerson(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> {
    const offered = permissionChoices(question);
    const asked = this.#dialogs.ask({
      title: questionTitle(question, this.#layout()),
      choices: offered,
      signal,
    });
    return this.view
      .asking(asked)
      .then((index) => offered[index ?? -1]?.answer ?? { deny: "the user said no" });
  }

  note(text: string): void {
    this.view.note("warn", text);
    this.#redraw();
  }

  /** Leaves the screen; what was said stays in the terminal. */
  async stop(farewell: readonly string[]): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#tick);
    this.view.ended();
    for (const line of farewell) this.view.note("dim", line);
    // The last lines are drawn without input and status.
    await this.#inputs.settled();
    await new Promise<void>((resolve) => {
      this.#tui.requestRender();
      setTimeout(resolve, 40);
    });
    this.#tui.stop();
  }

  invalidate(): void {
    this.#drawn.clear();
  }

  render(columns: number): string[] {
    this.#drawnOnce?.();
    const layout = this.#layout(columns);
    const below = this.#isEnding ? [] : this.#below(layout);
    return fit(this.#drawn.lines(below, { ...layout, rows: this.#terminal.rows }), columns);
  }

  #below(layout: Layout): readonly string[] {
    const { columns, styles } = layout;
    const input = this.#dialogs.open?.render(columns) ?? this.#editor.render(columns);
    const status = this.#hint ?? (this.#agent === undefined ? "Opening …" : undefined);
    return [
      ...liveLines(this.view, this.#queue, layout),
      "",
      ...input,
      status === undefined && this.#agent !== undefined
        ? statusLine(this.#agent.status(), layout)
        : styles.dim(status ?? ""),
    ];
  }

  #layout(columns = this.#terminal.columns): Layout {
    return { columns, styles: this.#options.styles };
  }

  #redraw(): void {
    const isBusy = this.view.busy !== undefined;
    if (isBusy && this.#tick === undefined)
      this.#tick = setInterval(() => this.#tui.requestRender(), TICK_MS);
    else if (!isBusy) {
      clearInterval(this.#tick);
      this.#tick = undefined;
    }
    this.#tui.requestRender();
  }

  /** Keys of the screen; true if the input does not get them. */
  #key(data: string): boolean {
    if (isKeyRelease(data)) return true;
    const isInterrupt = matchesKey(data, "ctrl+c");
    if (!isInterrupt) this.#setHint(undefined);
    if (matchesKey(data, "ctrl+z")) {
      suspend(this.#tui, () => this.#isEnding);
      return true;
    }
    if (this.#dialogs.open !== undefined) return false;
    if (isInterrupt) {
      this.#interrupted();
      return true;
    }
    if (matchesKey(data, "escape") && !this.#editor.isShowingAutocomplete() && this.#isWorking()) {
      this.#stopWork();
      return true;
    }
    if (matchesKey(data, "ctrl+d") && this.#editor.getText() === "") {
      this.#end?.();
      return true;
    }
    if (matchesKey(data, "shift+tab") && this.#agent !== undefined) {
      const at = PERMISSION_MODES.indexOf(this.#agent.status().mode);
      this.#agent.setMode(PERMISSION_MODES[(at + 1) % PERMISSION_MODES.length] ?? "ask");
      this.#redraw();
      return true;
    }
    if (matchesKey(data, "ctrl+l")) {
      this.#tui.requestRender(true);
      return true;
    }
    return false;
  }

  #isWorking(): boolean {
    return this.#agent?.isBusy === true || this.#command !== undefined;
  }

  #stopWork(): void {
    // What waits is not sent behind an answer that was stopped: the person decides about it.
    const waiting = this.#queue.splice(0);
    if (waiting.length > 0)
      this.#editor.setText([...waiting, this.#editor.getText()].filter((text) => text !== "").join("\n"));
    this.#command?.abort();
    void this.#agent?.interrupt();
  }

  #interrupted(): void {
    const now = this.#options.now();
    const isSecond = now - this.#interruptedAt <= TWICE_MS;
    this.#interruptedAt = now;
    if (isSecond) {
      this.#end?.();
      return;
    }
    if (this.#isWorking()) this.#stopWork();
    else if (this.#editor.getText() !== "") this.#editor.setText("");
    this.#setHint("Ctrl-C again ends the session.");
  }

  #setHint(hint: string | undefined): void {
    clearTimeout(this.#hintTimer);
    // A hint is shown as long as it is true.
    if (hint !== undefined) this.#hintTimer = setTimeout(() => this.#setHint(undefined), TWICE_MS).unref();
    this.#hint = hint;
    this.#redraw();
  }

  #pasted(text: string): void {
    if (this.#dialogs.open !== undefined) return;
    const mark = this.#pastes.take(text);
    if (mark === undefined) this.#editor.handleInput(`\u001b[200~${text}\u001b[201~`);
    else this.#editor.insertTextAtCursor(mark);
    this.#redraw();
  }

  /** Takes a line as if it was typed; it waits until the chat is open. */
  submit(line: string): void {
    if (line.trim() === "") return;
    this.#editor.addToHistory(line);
    this.#inputs.add(line);
    if (isImmediate(line) && this.#agent !== undefined) void this.#run(this.#agent, line);
    else {
      this.#queue.push(line);
      void this.#next();
    }
    this.#redraw();
  }

  /** Sends the next message that waits, if nothing runs. */
  async #next(): Promise<void> {
    const agent = this.#agent;
    if (agent === undefined || this.#isWorking() || this.#isEnding) return;
    const line = this.#queue.shift();
    if (line === undefined) return;
    if (parseCommandLine(line) !== undefined) await this.#run(agent, line);
    else {
      const text = this.#pastes.expand(line);
      this.view.add({ type: "user", text });
      this.#redraw();
      await agent
        .send(text)
        .catch((error: unknown) => this.note(error instanceof Error ? error.message : String(error)));
    }
    this.#redraw();
    await this.#next();
  }

  async #run(agent: ChatAgent, line: string): Promise<void> {
    this.view.add({ type: "user", text: line });
    const isWork = !isImmediate(line);
    const command = new AbortController();
    if (isWork) {
      this.#command = command;
      this.view.began(line.trim().split(/\s/)[0] ?? line);
    }
    this.#redraw();
    try {
      await this.#show(agent, await runChatCommand(agent, line, command.signal));
    } catch (error) {
      this.view.add({ type: "lines", show: showError(error) });
    } finally {
      if (isWork) {
        this.#command = undefined;
        this.view.ended();
      }
      this.#redraw();
    }
  }

  async #show(agent: ChatAgent, answer: CommandAnswer): Promise<void> {
    const choice = choiceOf(answer);
    if (choice !== undefined) {
      // The choice is not a part of this command: the next one may run.
      void this.#choose(agent, choice);
      return;
    }
    const show = showAnswer(answer, titleOf(agent.session));
    if (show !== undefined) this.view.add({ type: "lines", show });
    if (answer.action === "quit") this.#end?.();
    if (answer.action === "switched") this.#showEarlier(agent);
  }

  /** The end of a conversation that goes on. */
  #showEarlier(agent: ChatAgent): void {
    const earlier = earlierItems(agent.session.visible);
    for (const item of earlier) this.view.add(item);
  }

  async #choose(agent: ChatAgent, { title, items }: Choice): Promise<void> {
    const index = await this.#dialogs.ask({ title: [title], choices: items });
    const chosen = items[index ?? -1];
    if (chosen === undefined) return;
    await this.#run(agent, chosen.line);
    if (chosen.retyped !== undefined) this.#editor.setText(chosen.retyped);
    this.#redraw();
    await this.#next();
  }
}

/** True if a line is a command that does not wait for the end of the answer. */
function isImmediate(line: string): boolean {
  const name = parseCommandLine(line)?.name;
  if (name === undefined) return false;
  const command = CHAT_COMMANDS.find((one) => one.name === name || one.aliases?.includes(name) === true);
  return command === undefined || command.isImmediate === true;
}
