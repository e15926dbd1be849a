/** The tools of a chat: made once, with the permissions that decide about them, and bound to the session that is open. */
import { join } from "node:path";
import {
  type AgentSession,
  type AgentTool,
  OptionError,
  type openHome,
  type PalimpsestOptions,
  type Restorer,
} from "palimpsest";
import type { PersistentMemory } from "palimpsest/memory";
import type { ToolCaller, ToolUse } from "../base/chat-events.ts";
import { loadPackage } from "../models/load-package.ts";
import { PermissionGate } from "../permissions/permission-gate.ts";
import { Workspace } from "../permissions/workspace.ts";
import { type ChatSettings, keepAllowRule } from "../settings/chat-settings.ts";
import { editTool, writeTool } from "../tools/edit.ts";
import { FileLedger } from "../tools/file-ledger.ts";
import { mcpRestorers, mcpTools } from "../tools/mcp.ts";
import { McpServers } from "../tools/mcp-servers.ts";
import { memoryTool } from "../tools/memory.ts";
import { planTool, todoTool } from "../tools/plan.ts";
import { readTool } from "../tools/read.ts";
import { globTool, grepTool } from "../tools/search.ts";
import { shellTool } from "../tools/shell.ts";
import { findSkillFiles, skillTool } from "../tools/skill.ts";
import { AGENT_KINDS, taskTool, taskTools } from "../tools/task.ts";
import type { ToolWorld } from "../tools/tool-world.ts";
import type { ChatOptions } from "./chat-options.ts";
import { withActivity } from "./tool-activity.ts";

type Home = ReturnType<typeof openHome>;
type Agents = NonNullable<NonNullable<PalimpsestOptions["tasks"]>["agents"]>;

/** The tools, and what sessions get beside them. */
export interface ChatTools {
  readonly gate: PermissionGate;
  readonly tools: readonly AgentTool[];
  /** Agents that `task` starts. */
  readonly agents: Agents;
  readonly restorers: readonly Restorer[];
  readonly fileReader: NonNullable<PalimpsestOptions["fileReader"]>;
  /** Gives the tools their session, which is opened after them. */
  bind(session: AgentSession): void;
  close(): Promise<void>;
}

interface ToolsPlace {
  readonly home: Home;
  readonly settings: ChatSettings;
  readonly memory: PersistentMemory;
  /** Folders whose packages may be loaded. */
  readonly packageFolders: readonly string[];
}

/** Most calls of the model in one turn of an agent that works alone. Our choice. */
const AGENT_ITERATIONS = 200;

/** Makes the tools. */
export async function makeTools(
  options: ChatOptions,
  { home, settings, memory, packageFolders }: ToolsPlace,
): Promise<ChatTools> {
  let session: AgentSession | undefined;
  const { permissions } = settings;
  const gate = new PermissionGate({
    mode: options.permissionMode ?? settings.permissionMode ?? "ask",
    allow: [...permissions.allow, ...(options.allowedTools ?? [])],
    ask: permissions.ask,
    deny: [...permissions.deny, ...(options.deniedTools ?? [])],
    askPerson: options.askPerson,
    keepRule: (rule) => keepAllowRule({ home: home.folder, workspace: home.workingCopy }, rule),
  });
  const skills = options.isBare === true ? [] : await findSkillFiles(skillPlaces(home, settings));
  const workspace = new Workspace({
    root: home.workingCopy,
    folders: [...permissions.folders, ...(options.folders ?? [])],
    // Large blocks and outputs of tasks are named in previews as files.
    readable: () => [
      ...(session === undefined ? [] : [join(home.project.folder, session.id)]),
      ...skills.map(({ folder }) => folder),
    ],
  });
  const callerOf = (sessionId: string | undefined): ToolCaller => ({
    sessionId: sessionId ?? session?.id ?? "",
    isSubAgent: sessionId !== undefined && sessionId !== session?.id,
  });
  const world: ToolWorld = {
    workspace,
    ledger: new FileLedger(),
    decide: async (permission, input, { callId, signal, session: own }) => {
      const call = {
        id: callId,
        name: permission.calledAs ?? permission.tool,
        input: input as ToolUse["input"],
      };
      const caller = callerOf(own?.id);
      const verdict = await gate.decide(permission, { call, caller, signal });
      if (verdict !== "allow")
        options.onEvent({ type: "tool-denied", call, reason: verdict.deny, ...caller });
      return verdict;
    },
    mayRead: (name) => gate.mayRead(name),
    planAgreed: () => {
      gate.mode = "ask";
      options.onEvent({ type: "mode", mode: "ask" });
    },
    tasks: () => {
      if (session !== undefined) return session.tasks;
      throw new OptionError({ message: "The chat has no session yet.", hint: "Open it first." });
    },
  };
  const servers = serversOf(options, { settings, home, packageFolders });
  const own = [
    ...[
      readTool(world),
      writeTool(world),
      editTool(world),
      globTool(world),
      grepTool(world),
      shellTool(world),
    ],
    ...[todoTool(), planTool(world), memoryTool(world, memory), taskTool(world), ...taskTools(world)],
    ...(skills.length === 0 ? [] : [skillTool(world, skills)]),
    ...(servers === undefined ? [] : mcpTools(world, servers)),
  ];
  const tools = own.map((one) => withActivity(one, { tell: options.onEvent, callerOf }));
  return {
    gate,
    tools,
    agents: agentsOf(tools),
    restorers: servers === undefined ? [] : mcpRestorers(servers),
    fileReader: { read: async (path) => readForRestoring(workspace, path) },
    bind: (opened) => {
      session = opened;
    },
    close: async () => servers?.close(),
  };
}

function skillPlaces({ folder, workingCopy }: Home, { isTrusted }: ChatSettings) {
  return [
    { folder: join(folder, "skills"), isTrusted: true },
    { folder: join(workingCopy, ".palimpsest", "skills"), isTrusted },
    { folder: join(workingCopy, ".claude", "skills"), isTrusted },
  ];
}

function serversOf(
  { env, version, isBare }: ChatOptions,
  { settings, home, packageFolders }: Pick<ToolsPlace, "settings" | "home" | "packageFolders">,
): McpServers | undefined {
  if (isBare === true || Object.keys(settings.mcpServers).length === 0) return undefined;
  const load = (name: string) => loadPackage(name, packageFolders);
  return new McpServers({ settings: settings.mcpServers, folder: home.workingCopy, env, version, load });
}

/** Tools that only the chat itself has: agents start no agents, and put no plans before the user. */
const CHAT_ONLY = new Set(["task", "exit_plan_mode", "todo_write"]);

function agentsOf(tools: readonly AgentTool[]): Agents {
  return Object.fromEntries(
    Object.entries(AGENT_KINDS).map(([name, { description, system, tools: names }]) => [
      name,
      {
        description,
        system,
        maxIterations: AGENT_ITERATIONS,
        tools: tools.filter((one) =>
          names === undefined ? !CHAT_ONLY.has(one.name) : names.includes(one.name),
        ),
      },
    ]),
  );
}

/** Larger files are not shown again after a compaction, in bytes: nothing of that size fits. */
const RESTORED_BYTES = 2_000_000;

/** A file as it is now, under the same rules as for the agent. */
async function readForRestoring(workspace: Workspace, path: string) {
  const place = await workspace.resolve(path, "read").catch(() => undefined);
  if (place === undefined) return { state: "unreadable" } as const;
  if (!place.exists) return { state: "gone" } as const;
  const file = await workspace.open(place);
  try {
    if (file.bytes > RESTORED_BYTES) return { state: "unreadable" } as const;
    const content = await file.handle.readFile();
    return content.includes(0)
      ? ({ state: "unreadable" } as const)
      : ({ state: "present", text: content.toString("utf8") } as const);
  } finally {
    await file.handle.close();
  }
}
