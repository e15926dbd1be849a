/**
 * The description of a Copilot session, and the events without a part in the conversation.
 */
import { asString, isObject } from "../../base/json/json.ts";
import type { ConversationBuilder } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import type { CopilotRecord } from "./copilot-record.ts";

type Description = Pick<RecordedSession, "sessionId" | "title" | "workingCopy" | "system">;

/** Event types with what they tell: our key and the field that holds the value. The last one counts. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "session.start": { model: "selectedModel", "reasoning-effort": "reasoningEffort" },
  "session.resume": { model: "selectedModel", "reasoning-effort": "reasoningEffort" },
  "session.model_change": { model: "newModel", "reasoning-effort": "reasoningEffort" },
  "session.mode_changed": { mode: "newMode" },
  "session.title_changed": { title: "title" },
  "session.context_changed": {},
};

/** Beginnings of types that are the tool's own business: its screen, permissions, hooks, other agents. */
const NAMESPACES: ReadonlySet<string> = new Set([
  "session",
  "assistant",
  "tool",
  "hook",
  "permission",
  "subagent",
  "skill",
  "tool_search",
  "model",
  "mcp",
  "sampling",
  "elicitation",
  "user_input",
  "external_tool",
  "command",
  "commands",
  "capabilities",
  "auto_mode_switch",
  "session_limits_exhausted",
  "exit_plan_mode",
  "factory",
  "pending_messages",
  "ui",
  "abort",
]);

/** True if events of this type are known to say nothing in a conversation. @internal */
export function isKnownType(type: string): boolean {
  return NAMESPACES.has(type.split(".", 1)[0] ?? "");
}

/** Gathers it while events are read. @internal */
export class CopilotMetadata {
  readonly #builder: ConversationBuilder;
  /** Instructions by who gave them, as they were written last. */
  readonly #instructions = new Map<string, string>();
  #sessionId: string | undefined;
  #workingCopy: string | undefined;
  #system: string | undefined;

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  /** Takes an event in; `false` where its type is not about the session. */
  take({ type, data, line }: CopilotRecord): boolean {
    if (!Object.hasOwn(KEYS, type)) return false;
    this.#sessionId ??= asString(data["sessionId"]);
    this.#takePlace(type === "session.context_changed" ? data : data["context"], line);
    for (const [key, field] of Object.entries(KEYS[type]!)) this.#set(key, data[field], line);
    return true;
  }

  /** True if these instructions were given before, word for word; they are remembered. */
  isKnownInstruction({ role, name }: Fields, text: string): boolean {
    const giver = JSON.stringify([role ?? null, name ?? null]);
    const isKnown = this.#instructions.get(giver) === text;
    this.#instructions.set(giver, text);
    return isKnown;
  }

  /** Takes the system prompt; whether it takes the place of another one. */
  replaceSystem(text: string): boolean {
    const isReplaced = this.#system !== undefined;
    this.#system = text;
    return isReplaced;
  }

  finish(): Description {
    return {
      sessionId: this.#sessionId,
      title: this.#builder.metadataText("title"),
      workingCopy: this.#workingCopy,
      system: this.#system,
    };
  }

  #takePlace(context: unknown, line: number | undefined): void {
    if (!isObject(context)) return;
    this.#workingCopy = asString(context["cwd"]) ?? this.#workingCopy;
    this.#set("git-branch", context["branch"], line);
  }

  #set(key: string, value: unknown, line: number | undefined): void {
    if (value !== "") this.#builder.setMetadata(key, value, line);
  }
}
