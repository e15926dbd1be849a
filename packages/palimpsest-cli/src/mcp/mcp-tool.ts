/** The tools of the server as values, and the texts of their failures. */
import type { JsonSchemaType, ToolAnnotations } from "@modelcontextprotocol/server";
import { OptionError, PalimpsestError } from "palimpsest";
import { cleanMemoryText } from "palimpsest/memory";

/** The surroundings of a call. */
export interface ToolCall {
  readonly signal: AbortSignal;
}

/** One tool: what clients see of it, and its work. The input fits the schema when `run` gets it. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchemaType>>;
  readonly required?: readonly string[];
  readonly annotations: ToolAnnotations;
  run(input: Readonly<Record<string, unknown>>, call: ToolCall): Promise<string>;
}

/** Errors whose texts are for who called: they name the arguments, and nothing of the machine. */
const FOR_CALLERS: ReadonlySet<string> = new Set([
  "OPTION_INVALID",
  "MEMORY_NOT_FOUND",
  "MEMORY_REFUSED",
  "ENTRY_NOT_FOUND",
  "ABORTED",
]);

/** Errors of callers whose own texts name places on the machine, or other sessions. */
const OWN_TEXTS: Readonly<Record<string, string>> = {
  MEMORY_PATH_REFUSED: "This is not a path of a memory. Give one as memory_list shows it.",
  SESSION_AMBIGUOUS: "Several sessions have this title, or ids that begin so. Give the whole id.",
  SESSION_NOT_FOUND:
    "There is no such session. Give an id, the beginning of one, or a title; history_read lists the latest.",
};

/**
 * The text of an error for the client. What else failed has a code only: its message may name files, and is written
 * to `log` for the person who runs the server.
 */
export function failureText(error: unknown, log: (line: string) => void): string {
  if (error instanceof PalimpsestError && FOR_CALLERS.has(error.code))
    return cleanMemoryText(`${error.message} ${error.hint}`, "body").text;
  const code = error instanceof PalimpsestError ? error.code : "INTERNAL";
  const own = OWN_TEXTS[code];
  if (own !== undefined) return own;
  log(`${code}: ${error instanceof Error ? error.message : String(error)}`);
  return `It failed (${code}). The server's standard error has the details.`;
}

/** A refusal for the caller. */
export function refusal(message: string, hint: string): OptionError {
  return new OptionError({ message, hint });
}

/** Calls that run at the same time; each may read many files. Our choice. */
const RUNNING_COUNT = 8;
/** Calls that may wait. Our choice: far more than a client has under way, and bounded. */
const WAITING_COUNT = 4_000;

/** Lets a few calls run at a time, and the others wait in their order. */
export class CallGate {
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#runningCount >= RUNNING_COUNT) {
      if (this.#waiting.length >= WAITING_COUNT)
        throw refusal(
          `More than ${WAITING_COUNT} calls are waiting.`,
          "Call again when some have been answered.",
        );
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#runningCount++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place passes on, so that no newcomer takes it.
      if (next === undefined) this.#runningCount--;
      else next();
    }
  }
}
