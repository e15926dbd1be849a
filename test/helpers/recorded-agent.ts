/**
 * A recorded session as an agent that lives it again: the provider answers what the model answered then, and
 * the tools answer what they answered then.
 *
 * Recorded thinking is repeated as the scripted provider's own, so that the provider signs what it later checks.
 */

import type { AgentTool, ToolOutput } from "#palimpsest/agent/options/turn/turn-options.ts";
import { isObject, type JsonObject } from "#palimpsest/base/json/json.ts";
import { importFile } from "#palimpsest/runtime/input-files/input-file.ts";
import { blockText, type Message } from "#palimpsest/transcript/blocks.ts";
import type {
  AnswerPart,
  ScriptedAnswer,
  ScriptedRequest,
} from "#palimpsest-testing/scripted-provider/scripted-provider.ts";

/** A message of the user, or of the model. */
type Step =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "model"; readonly parts: readonly AnswerPart[] };

export interface RecordedAgent {
  readonly tools: readonly AgentTool[];
  /** The user's next message; `undefined` at the end. "Go on." asks for answers that have no prompt. */
  nextPrompt(): string | undefined;
  /** The model's next answer. */
  say(): readonly AnswerPart[];
  /** The same as the script of a provider, which is asked for summaries and notes, too. */
  answer(request: ScriptedRequest): ScriptedAnswer | string;
  readonly answersLeft: number;
}

export interface RecordingOptions {
  readonly answers?: number;
  readonly thinks?: boolean;
}

/** The nine sections, whatever was said. */
export const GOOD_SUMMARY = `<analysis>It was long.</analysis>\n<summary>\n${[
  "Primary request and intent: the work on the command line tool goes on.",
  "Key technical concepts: checkpoints, sessions.",
  "Files and code sections: several were read and changed.",
  "Errors and fixes: tests failed and were mended.",
  "Problem solving: the cause was found.",
  "All user messages: carried over from the log.",
  "Pending tasks: what was asked for last.",
  "Current work: reading and editing.",
  "Optional next step: go on with the newest request.",
]
  .map((line, index) => `${index + 1}. ${line}`)
  .join("\n")}\n</summary>`;

/** True if a provider is asked for a summary. */
export const isSummaryRequest = ({ lastUserText, systemText }: ScriptedRequest): boolean =>
  lastUserText.includes("Then write the summary in <summary> tags") || systemText.startsWith("You summarise");

/** Changes that a good model makes to the notes of a session. */
export const GOOD_PATCHES = [
  '<replace section="Current State">',
  "The work on the command line tool goes on: the newest request is being read and carried out.",
  "</replace>",
  '<append section="Worklog">',
  "- read, changed and tested what was asked for last",
  "</append>",
].join("\n");

/** True if a provider is asked for an update of the notes. */
export const isNotesRequest = ({ lastUserText }: Pick<ScriptedRequest, "lastUserText">): boolean =>
  lastUserText.includes("Bring the session's notes up to date");

/** Makes one agent of recorded files, one after the other; at most `answers` answers of the model. */
export async function recordedAgent(
  paths: readonly string[],
  { answers = Number.POSITIVE_INFINITY, thinks = false }: RecordingOptions = {},
): Promise<RecordedAgent> {
  const steps: Step[] = [];
  const results = new Map<string, ToolOutput>();
  const names = new Set<string>();
  for (const [file, path] of paths.entries()) {
    const sessions = await importFile(path);
    for (const item of sessions.sessions[0]?.items ?? [])
      if (item.type === "message") addMessage(item.message, `f${file}_`, { steps, results, names, thinks });
  }
  let place = 0;
  let count = 0;
  const nextAnswer = (): Step | undefined => {
    while (steps[place]?.by === "user") place++;
    return steps[place++];
  };
  const say = (): readonly AnswerPart[] => {
    const step = count >= answers ? undefined : nextAnswer();
    count++;
    return step?.by === "model" ? step.parts : [{ type: "text", text: "That is all." }];
  };
  return {
    tools: [...names].map((name) => ({
      name,
      description: `The tool ${name} of a recorded session.`,
      inputSchema: { type: "object" },
      run: (_, { callId }) => results.get(callId) ?? "",
    })),
    nextPrompt: () => {
      if (count >= answers) return undefined;
      const texts: string[] = [];
      for (let step = steps[place]; step?.by === "user"; step = steps[++place]) texts.push(step.text);
      if (place >= steps.length) return undefined;
      return texts.length === 0 ? "Go on." : texts.join("\n\n");
    },
    say,
    answer: (request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      return isNotesRequest(request) ? GOOD_PATCHES : { parts: say() };
    },
    get answersLeft() {
      return steps.slice(place).filter(({ by }) => by === "model").length;
    },
  };
}

interface Recording {
  readonly steps: Step[];
  readonly results: Map<string, ToolOutput>;
  readonly names: Set<string>;
  readonly thinks: boolean;
}

function addMessage(message: Message, prefix: string, { steps, results, names, thinks }: Recording): void {
  if (message.role === "assistant") {
    const parts = message.content.flatMap((block): readonly AnswerPart[] => {
      if (block.type === "text" && block.text.trim() !== "") return [{ type: "text", text: block.text }];
      if (block.type === "thinking" && thinks && block.thinking.trim() !== "")
        return [{ type: "thinking", text: block.thinking }];
      if (block.type !== "tool_use") return [];
      names.add(block.name);
      const input = isObject(block.input) ? (block.input as JsonObject) : {};
      return [{ type: "tool-call", name: block.name, input, id: `${prefix}${block.id}` }];
    });
    if (parts.every(({ type }) => type === "thinking")) return;
    const last = steps.at(-1);
    // Chunks of one response are one answer: a call ends it.
    const isOpen = last?.by === "model" && last.parts.every(({ type }) => type !== "tool-call");
    if (isOpen) steps[steps.length - 1] = { by: "model", parts: [...last.parts, ...parts] };
    else steps.push({ by: "model", parts });
    return;
  }
  const texts: string[] = [];
  for (const block of message.content) {
    if (block.type === "tool_result")
      results.set(`${prefix}${block.tool_use_id}`, {
        content: blockText(block),
        isError: block.is_error === true,
      });
    else if (block.type === "text" && block.text.trim() !== "") texts.push(block.text);
  }
  if (texts.length > 0) steps.push({ by: "user", text: texts.join("\n") });
}
