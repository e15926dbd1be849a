/** Questions in the place of the input, one at a time: of the agent for a permission, of a command for a choice. */
import type { Styles } from "../../terminal/styles.ts";
import type { PermissionAnswer, PermissionQuestion } from "../base/chat-events.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { changeLines } from "./change-lines.ts";
import { ChoiceList, type ListedChoice } from "./choice-list.ts";
import { type Layout, wrapLine } from "./layout.ts";

interface DialogsOptions {
  readonly styles: Styles;
  /** Rows of the terminal. */
  readonly rows: () => number;
  /** Told which list is open now, if one is. */
  readonly onChange: (open: ChoiceList | undefined) => void;
}

/** A question. */
interface Question {
  readonly title: readonly string[];
  readonly choices: readonly ListedChoice[];
  /** Takes the question back. */
  readonly signal?: AbortSignal;
}

export class Dialogs {
  readonly #options: DialogsOptions;
  #open: ChoiceList | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DialogsOptions) {
    this.#options = options;
  }

  /** The list that is open. */
  get open(): ChoiceList | undefined {
    return this.#open;
  }

  /** Resolves with the place of the chosen row; `undefined` if there is none. Waits for the end of questions before it. */
  ask(question: Question): Promise<number | undefined> {
    const asked = this.#last.then(() => this.#show(question));
    this.#last = asked;
    return asked;
  }

  #show({ title, choices, signal }: Question): Promise<number | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    const { styles, rows } = this.#options;
    return new Promise((resolve) => {
      const close = (index: number | undefined): void => {
        signal?.removeEventListener("abort", onAbort);
        this.#set(undefined);
        resolve(index);
      };
      const onAbort = (): void => close(undefined);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#set(new ChoiceList({ title, choices, styles, rows, onChoice: close }));
    });
  }

  #set(open: ChoiceList | undefined): void {
    this.#open = open;
    this.#options.onChange(open);
  }
}

/** An answer that can be chosen. */
interface OfferedAnswer {
  readonly label: string;
  readonly answer: PermissionAnswer;
}

/** The answers, in their order; always first yes, and last no. */
export function permissionChoices({ rule }: Pick<PermissionQuestion, "rule">): readonly OfferedAnswer[] {
  return [
    { label: "Yes, this time", answer: { allow: "once" } },
    ...(rule === undefined
      ? []
      : ([
          { label: `Yes, in this session: ${safeLine(rule)}`, answer: { allow: "session" } },
          { label: `Yes, in this project: ${safeLine(rule)}`, answer: { allow: "project" } },
        ] as const)),
    { label: "No", answer: { deny: "the user said no; ask what to do instead" } },
  ];
}

/** Lines of a call that are shown; a person can only allow what they can read. */
const SHOWN_LINES = 12;

/** The question in lines. A long call is shown in part, and the question says so. */
export function questionTitle(
  { what, why, isSubAgent, call }: PermissionQuestion,
  { columns, styles }: Layout,
): readonly string[] {
  const wrapped = (line: string): readonly string[] => wrapLine(line, columns - 2);
  const change = changeLines(call) ?? [];
  const lines = [
    ...safeText(what).split("\n").flatMap(wrapped),
    ...change.flatMap((line) =>
      wrapped(line).map((part) => (line.startsWith("-") ? styles.red(part) : styles.green(part))),
    ),
  ];
  const shown = lines.slice(0, SHOWN_LINES);
  const rest = lines.length - shown.length;
  return [
    isSubAgent ? "May an agent do this?" : "May I do this?",
    ...shown.map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … and ${rest} more lines that are not shown`] : []),
    ...(why === undefined ? [] : [`  Asked because of ${safeLine(why)}`]),
  ];
}
