/**
 * A host with every kind of task: scripted models, real shells, real MCP servers, a real worker over HTTP. The program
 * that is killed and the test that goes on after it open the same one; they differ in where its parts wait.
 */
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentTool,
  createPalimpsest,
  functionModel,
  type ModelClient,
  type Palimpsest,
  type PalimpsestOptions,
} from "palimpsest";
import { createMemory, type MemoryOptions } from "palimpsest/memory";
import { httpClient, stdioServer } from "../../packages/palimpsest/test/agent/tasks/mcp/mcp-servers.ts";

/** Where everything of one test lies. */
export interface CrashPlace {
  readonly folder: string;
  /** In the environment or the arguments of every process that the host starts. */
  readonly mark: string;
  readonly workerUrl: string;
  readonly webUrl: string;
}

/** Called where a part can be made to wait: for as long as the promise does. */
export type Point =
  | "main is asked"
  | "scout looks"
  | "scout answers"
  | "writer looks"
  | "writer answers"
  | "mate works"
  | "dream is asked";
export type At = (point: Point) => Promise<void> | undefined;

export const TOKEN = "0123456789abcdef-token";
const MODEL = { model: "claude-opus-4-5" };

/** Commands end once the first is there, and add a line to the others when they run. */
export const goFile = (folder: string): string => join(folder, "go");
export const windowFile = (folder: string): string => join(folder, "window");
export const ranFile = (folder: string, step: 1 | 2): string => join(folder, `ran-${step}`);

/** An agent that looks with a tool once, and reports. An agent that was interrupted reports. */
export function lookingAgent(
  look: () => Promise<void> | undefined,
  answer: () => Promise<void> | undefined,
): { readonly model: ModelClient; readonly tools: readonly AgentTool[] } {
  const model = functionModel(async ({ messages }) => {
    const last = JSON.stringify(messages.at(-1));
    if (!last.includes("You were interrupted") && !last.includes('"tool_result"'))
      return {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "text", text: "one" },
              { type: "tool_use", id: `c${messages.length}`, name: "look", input: {} },
            ],
          },
        ],
        stopReason: "tool-use",
      };
    await answer();
    return "Found it.";
  }, MODEL);
  const run = async (): Promise<string> => {
    await look();
    return "seen";
  };
  return { model, tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" }, run }] };
}

/** Opens the host. */
export function openAllKinds(
  { folder, mark, workerUrl, webUrl }: CrashPlace,
  at: At,
  options: Partial<PalimpsestOptions> & Pick<MemoryOptions, "clock"> = {},
): Palimpsest {
  const agent = (name: "scout" | "writer") => ({
    description: "looks",
    ...lookingAgent(
      () => at(`${name} looks`),
      () => at(`${name} answers`),
    ),
  });
  const mate = functionModel(async ({ messages }) => {
    const last = JSON.stringify(messages.at(-1));
    if (last.includes("You were interrupted")) return "Back.";
    if (!last.includes("Message of the coordinator")) return "Ready.";
    await at("mate works");
    return "Did it.";
  }, MODEL);
  const lightModel = functionModel(async () => {
    await at("dream is asked");
    return "Nothing.";
  }, MODEL);
  const model = functionModel(async () => {
    await at("main is asked");
    return "Fine.";
  }, MODEL);
  return createPalimpsest({
    model,
    folder: join(folder, "sessions"),
    memory: createMemory({ folder: join(folder, "memory"), lightModel }),
    memoryExtraction: "off",
    notes: "off",
    ...options,
    tasks: {
      agents: {
        scout: agent("scout"),
        writer: agent("writer"),
        mate: { description: "helps", model: mate },
      },
      // It does not end when its input does.
      mcpServers: { files: stdioServer("legacy", "stays", mark), web: httpClient("modern", webUrl) },
      workers: { build: { url: workerUrl, token: TOKEN } },
    },
  });
}

/** The input of each kind. A command ends at once where the file `go` is there. */
export function inputsIn(folder: string) {
  const isGo = `test -e ${goFile(folder)}`;
  const untilGo = `${isGo} || { (setsid sleep 600 &); until ${isGo}; do sleep 0.1; done; }`;
  const bash = (name: string, command: string) => ({ name, kind: "local_bash", input: { command } });
  return {
    local_bash: { command: `echo one; echo two; ${untilGo}` },
    local_agent: { agent: "scout", prompt: "Look around." },
    remote_agent: { worker: "build", prompt: "Build it." },
    in_process_teammate: { name: "mate", agent: "mate", prompt: "Help." },
    local_workflow: {
      steps: [
        bash("first", `echo one; echo >> ${ranFile(folder, 1)}`),
        bash("second", `cat; echo two; echo >> ${ranFile(folder, 2)}; ${untilGo}`),
        { name: "third", kind: "local_agent", input: { agent: "writer", prompt: "Report." } },
      ],
    },
    monitor_mcp: { servers: ["files", "web"] },
    dream: { force: true },
  };
}

/** Lets the commands end. */
export function letGo(folder: string): void {
  if (!existsSync(goFile(folder))) appendFileSync(goFile(folder), "");
}
