/**
 * Decides about calls of tools: by rules, by the mode, or by asking the person. One question is asked at a time.
 *
 * In this order: a rule that denies; a rule that asks; what is never asked about (reading in the workspace, lists); a rule
 * that allows; the mode; the person. A change of version control's files or of settings needs a rule that names them, or the person. Without a person to ask, what would be asked is denied, and the model reads why.
 */
import type {
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
  ToolCaller,
} from "../base/chat-events.ts";
import { covers, coversCommand, parseRule, type Rule, type RuledCall, ruleFor, touches } from "./rules.ts";

/** The effect of a call, as far as the decision depends on it. */
export interface Permission extends RuledCall {
  /** `free`: nothing is changed and nothing leaves. `edit`: files of the workspace change. `run`: anything may happen. `plan`: a plan is put before the user. */
  readonly risk: "free" | "edit" | "run" | "plan";
  /** In one line, for the question: `run npm test`. */
  readonly what: string;
  /** The name by which the tool was called, where rules know it by another one. @defaultValue `tool` */
  readonly calledAs?: string;
}

/** A call, and the agent that makes it. */
interface AskedCall {
  readonly call: PermissionQuestion["call"];
  readonly caller: ToolCaller;
  readonly signal: AbortSignal;
}

/** Asks the person. */
export type AskPerson = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

interface GateOptions {
  readonly mode: PermissionMode;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** Absent where there is no person. */
  readonly askPerson?: AskPerson | undefined;
  /** Keeps a rule for this project. */
  readonly keepRule: (rule: string) => Promise<void>;
}

/** The decision about a call. */
type Verdict = "allow" | { readonly deny: string };

/** Why a call is denied that needs permission, with the rule that would allow it. */
function noPerson(rule: string | undefined): string {
  const flag = `--allowed-tools${rule === undefined ? "" : ` ${JSON.stringify(rule)}`}`;
  return `it needs permission, and there is no person to ask. Allow it with ${flag} or --permission-mode, or do it another way`;
}

/** Folders whose files decide what is run, or what an agent may do from the next start on. */
const DECIDING_FOLDER = /(?:^|[\\/])\.(?:git|palimpsest)(?:[\\/]|$)/i;

/** True for a change of such files. */
function isDeciding({ risk, paths = [] }: Permission): boolean {
  return risk === "edit" && paths.some((path) => DECIDING_FOLDER.test(path));
}

export class PermissionGate {
  mode: PermissionMode;
  readonly #allow: Rule[];
  readonly #ask: readonly Rule[];
  readonly #deny: readonly Rule[];
  readonly #askPerson: AskPerson | undefined;
  readonly #keepRule: (rule: string) => Promise<void>;
  /** The question that is open, if one is. */
  #open: Promise<unknown> = Promise.resolve();

  /** @throws `OptionError` for a rule that is none */
  constructor({ mode, allow, ask, deny, askPerson, keepRule }: GateOptions) {
    this.mode = mode;
    this.#allow = allow.map(parseRule);
    this.#ask = ask.map(parseRule);
    this.#deny = deny.map(parseRule);
    this.#askPerson = askPerson;
    this.#keepRule = keepRule;
  }

  /** The rules in force, for `/permissions`. */
  get rules(): Readonly<Record<"allow" | "ask" | "deny", readonly string[]>> {
    const texts = (rules: readonly Rule[]) => rules.map(({ text }) => text);
    return { allow: texts(this.#allow), ask: texts(this.#ask), deny: texts(this.#deny) };
  }

  /** Decides about a call, if needed by asking. */
  async decide(permission: Permission, { call, caller, signal }: AskedCall): Promise<Verdict> {
    const denied = this.#deny.find((rule) => touches(rule, permission));
    if (denied !== undefined) return { deny: `the rule ${denied.text} forbids it` };
    const asking = this.#ask.find((rule) => touches(rule, permission));
    if (asking === undefined) {
      if (permission.risk === "plan") return this.#decidePlan(permission, { call, caller, signal });
      if (permission.risk === "free" || this.#isAllowed(permission)) return "allow";
      if (this.mode === "plan")
        return { deny: "nothing is changed while a plan is made; put the plan before the user first" };
      if (this.mode === "allow-all") return "allow";
      if (this.mode === "accept-edits" && permission.risk === "edit" && !isDeciding(permission))
        return "allow";
    }
    const why =
      asking !== undefined
        ? `the rule ${asking.text}`
        : isDeciding(permission)
          ? "such files decide what is run"
          : undefined;
    return this.#askAbout(permission, { call, caller, signal, why });
  }

  /** True if no rule forbids an agent to read this file. */
  mayRead(name: string): boolean {
    return !this.#deny.some((rule) => touches(rule, { tool: "read", paths: [name] }));
  }

  #decidePlan(permission: Permission, asked: AskedCall): Promise<Verdict> {
    const problem =
      this.mode !== "plan"
        ? "plan mode is not on; carry out what was asked"
        : this.#askPerson === undefined
          ? "there is no person to ask. End your turn with the plan"
          : undefined;
    if (problem !== undefined) return Promise.resolve({ deny: problem });
    return this.#askAbout(permission, { ...asked, why: "the plan" });
  }

  #isAllowed(permission: Permission): boolean {
    if (permission.command !== undefined) return coversCommand(this.#allow, permission.command);
    // A rule for all files does not mean these.
    const isNamed = ({ subject = "" }: Rule) => !isDeciding(permission) || DECIDING_FOLDER.test(subject);
    return this.#allow.some((rule) => covers(rule, permission) && isNamed(rule));
  }

  #askAbout(
    permission: Permission,
    asked: AskedCall & { readonly why: string | undefined },
  ): Promise<Verdict> {
    const ask = this.#askPerson;
    const rule = asked.why === undefined ? ruleFor(permission) : undefined;
    if (ask === undefined) return Promise.resolve({ deny: noPerson(rule) });
    const turn = this.#open.then(async (): Promise<Verdict> => {
      // An answer to the question before may cover this one.
      if (asked.why === undefined && this.#isAllowed(permission)) return "allow";
      asked.signal.throwIfAborted();
      const { call, caller, why } = asked;
      const answer = await ask({ call, ...caller, what: permission.what, why, rule }, asked.signal);
      if ("deny" in answer) return answer;
      if (rule !== undefined && answer.allow !== "once") {
        this.#allow.push(parseRule(rule));
        if (answer.allow === "project") await this.#keepRule(rule);
      }
      return "allow";
    });
    this.#open = turn.catch(() => undefined);
    return turn;
  }
}
