/**
 * Tools of the AI SDK over a session's history and long-term memory.
 *
 * A schema is known by symbols, so its package need not be imported.
 */

import type { AgentSession } from "../../agent/agent-session.ts";
import type { PersistentMemory } from "../../agent/memory/persistent-memory.ts";
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { anything, checkOptions } from "../../base/options/check-options.ts";
import type { ToolDefinition } from "../../ports/model-client.ts";
import { checkRunner } from "../shared/given-session.ts";
import { historyToolsOf, memoryToolsOf } from "../shared/session-tools.ts";

/** A tool as `generateText` and `streamText` take it. */
export interface AiSdkTool {
  readonly description: string;
  /** A schema of the AI SDK, whatever its version. */
  readonly inputSchema: never;
  readonly execute: (input: unknown) => Promise<string>;
}

const SCHEMA = Symbol.for("vercel.ai.schema");
/** Version 5 looks for this one, too. */
const VALIDATOR = Symbol.for("vercel.ai.validator");

/**
 * Tools over a session's history (`history_search`, `history_read`) and over long-term memory (`memory_recall`,
 * `memory_remember`), as far as they are passed. An `aiSdkWindow` has those of its history already. What the model
 * remembers counts as its own conclusion, never as the user's words.
 */
export function aiSdkTools(of: {
  readonly session?: AgentSession;
  readonly memory?: PersistentMemory;
}): Record<string, AiSdkTool> {
  checkOptions("aiSdkTools", of, { session: anything, memory: anything });
  const { session, memory } = of;
  if (session !== undefined) checkRunner(session, { of: "aiSdkTools", call: "{ session: $ }" });
  const tools = [
    ...(session === undefined ? [] : historyToolsOf(session)),
    ...(memory === undefined ? [] : memoryToolsOf(memory, session?.id)),
  ];
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema: jsonSchema, run }) => {
      const own = { _type: undefined, jsonSchema, validate: undefined };
      const inputSchema = { ...own, [SCHEMA]: true, [VALIDATOR]: true } as never;
      return [name, { description, inputSchema, execute: run }];
    }),
  );
}

/** Returns definitions of tools as language models take them: they are counted, and a summary on a warm cache repeats them. @internal */
export async function definitionsOf(tools: object): Promise<readonly JsonObject[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, tool]: readonly [string, unknown]) => {
      const { description, inputSchema } = (isObject(tool) ? tool : {}) as Partial<ToolDefinition>;
      return {
        type: "function",
        name,
        ...(typeof description === "string" ? { description } : {}),
        inputSchema: await jsonSchemaOf(inputSchema),
      };
    }),
  );
}

/** The JSON Schema of a schema of the SDK, also of a lazy one, and of libraries with Standard JSON Schema. */
async function jsonSchemaOf(given: unknown): Promise<JsonObject> {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? given() : given;
  if (typeof schema !== "object" || schema === null) return { type: "object" };
  const { jsonSchema, "~standard": standard } = schema as StandardLike;
  try {
    const written = (await jsonSchema) ?? standard?.jsonSchema?.input?.({ target: "draft-07" });
    return isObject(written) ? (written as JsonObject) : { type: "object" };
  } catch {
    // Some schemas cannot be written; then the tool is counted without its input.
    return { type: "object" };
  }
}

interface StandardLike {
  readonly jsonSchema?: unknown;
  readonly "~standard"?: {
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown };
  };
}
