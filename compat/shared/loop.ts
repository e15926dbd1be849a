/**
 * What the session of 300 turns asks of an adapter: the loop of its framework over a session of Palimpsest.
 */
import { createHash } from "node:crypto";
import type { AgentSession } from "palimpsest";

/** Settings of one process of the session. */
export interface LoopSettings {
  /** Address of the provider, as the Anthropic SDK takes it; without `/v1`. */
  readonly url: string;
  /** The same as OpenAI's SDK takes it. */
  readonly openAiUrl: string;
  /** A folder for the session, and for whatever the loop keeps itself. */
  readonly folder: string;
  readonly windowTokens: number;
  /** The case of the adapter's test, such as a version or a way to call the model. */
  readonly variant: string;
}

/** The loop of a framework over a session. */
export interface Loop {
  /** Has the framework answer a message of the user, tools included; resolves with the last text. */
  readonly say: (text: string) => Promise<string>;
  /** Takes the last turn back, in the way the framework's users do. */
  readonly takeBack: () => Promise<void>;
  readonly session: AgentSession;
  /** Ends politely. */
  readonly close: () => Promise<void>;
}

/** The export of a loop's module. Opens the session where it was left, or begins it. */
export type OpenLoop = (settings: LoopSettings) => Promise<Loop>;

export const SESSION_ID = "compat";

/** The system prompt of every loop. */
export const SYSTEM = `You keep a lighthouse archive. ${"Read the files that you are asked about, one by one. ".repeat(12)}`;

/** The tool of every loop, to be put into the framework's words. */
export const READ_FILE = {
  name: "read_file",
  description: "Reads a file of the archive.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string", description: "The path, such as logs/3-0.txt" } },
    required: ["path"],
    additionalProperties: false,
  },
  run: ({ path }: { readonly path: string }): string => fileText(path),
} as const;

/** The text of a file of the archive: two to seven thousand characters, the same ones for the same path. */
function fileText(path: string): string {
  const digest = createHash("sha256").update(path).digest();
  const lines = [`# ${path}`, sentenceOf(path)];
  const count = 40 + ((digest[0] ?? 0) % 100);
  for (let line = 0; line < count; line++) {
    const word = createHash("sha256").update(`${path} ${line}`).digest("hex").slice(0, 8);
    lines.push(`${line}: entry ${word} of the night watch, wind ${(line * 7) % 12}, nothing seen`);
  }
  return lines.join("\n");
}

/** A sentence that is in this file only. */
export function sentenceOf(path: string): string {
  const mark = createHash("sha256").update(`door ${path}`).digest("hex").slice(0, 6);
  return `The lantern keeper painted door ${mark} in teal.`;
}
