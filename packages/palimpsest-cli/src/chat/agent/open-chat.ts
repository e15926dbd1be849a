/**
 * Opens a chat: settings, model, home, memory, tools and session, wired together. Everything comes from public entries of the
 * library.
 */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentSession,
  type AgentTool,
  createPalimpsest,
  OptionError,
  openHome,
  type Palimpsest,
  type PalimpsestOptions,
  StoreError,
} from "palimpsest";
import { createMemory, type PersistentMemory } from "palimpsest/memory";
import type { ToolCaller, ToolUse } from "../base/chat-events.ts";
import { type ModelPlace, type OpenedModel, openModel } from "../models/open-model.ts";
import { PermissionGate } from "../permissions/permission-gate.ts";
import { Workspace } from "../permissions/workspace.ts";
import { type ChatSettings, keepAllowRule, readChatSettings } from "../settings/chat-settings.ts";
import { editTool, writeTool } from "../tools/edit.ts";
import { FileLedger } from "../tools/file-ledger.ts";
import { readTool } from "../tools/read.ts";
import { globTool, grepTool } from "../tools/search.ts";
import { shellTool } from "../tools/shell.ts";
import type { ToolWorld } from "../tools/tool-world.ts";
import { ChatAgent } from "./chat-agent.ts";
import type { ChatOptions, ChosenSession } from "./chat-options.ts";
import { systemPrompt } from "./system-prompt.ts";
import { withActivity } from "./tool-activity.ts";

type Home = ReturnType<typeof openHome>;

/**
 * Opens a chat. Close it when it is over.
 * @throws `OptionError` where there is no model, a key or a package is missing; `StoreError` where there is no such session,
 * or another process has it
 */
export async function openChat(options: ChatOptions): Promise<ChatAgent> {
  const folder = await realpath(options.folder);
  const home = openHome({
    env: options.env,
    workingCopy: folder,
    ...(options.home === undefined ? {} : { home: options.home }),
    ...(options.isPersisted === undefined ? {} : { persistence: options.isPersisted }),
    ...(options.isBare === undefined ? {} : { isBare: options.isBare }),
  });
  const settings = await readChatSettings({ home: home.folder, workspace: home.workingCopy });
  const tell = options.onEvent;
  for (const { path, detail } of home.problems) tell({ type: "notice", text: `${path}: ${detail}` });
  for (const text of settings.problems) tell({ type: "notice", text });
  const place = modelPlace(options, { home, settings });
  const model = await openModel(options.model ?? settings.model, place);
  const others = await otherModels(settings, place);
  const chosen = await chooseSession(home, options.session);
  const memory = createMemory({
    home,
    ...(others.lightModel === undefined ? {} : { lightModel: others.lightModel }),
  });
  const parts = makeParts(options, { home, settings, memory });
  const palimpsest = createPalimpsest({
    model: model.client,
    ...others,
    home,
    memory,
    window: options.windowTokens === undefined ? {} : { windowTokens: options.windowTokens },
    observer: { onEvent: (event, source) => tell({ type: "session", event, sessionId: source?.sessionId }) },
    fileReader: parts.fileReader,
    hooks: { sessionStart: () => `Today is ${new Date().toISOString().slice(0, 10)}.` },
    tasks: { shell: { folder: home.workingCopy } },
    background: { closeOnExit: false },
  });
  try {
    const session = await openSession(palimpsest, chosen);
    parts.bind(session);
    return new ChatAgent({
      ...{ options, palimpsest, session, home, memory, model, settings },
      gate: parts.gate,
      tools: parts.tools,
      system: systemPrompt({
        workspace: home.workingCopy,
        tools: new Set(parts.tools.map(({ name }) => name)),
        appended: options.appendedPrompt,
      }),
      openModel: (name) => openModel(name, place),
    });
  } catch (error) {
    await palimpsest.close();
    await memory.close();
    throw error;
  }
}

function modelPlace(
  options: ChatOptions,
  { home, settings }: { readonly home: Home; readonly settings: ChatSettings },
): ModelPlace {
  return {
    env: options.env,
    providers: settings.providers,
    baseUrl: options.baseUrl,
    // A package of a folder that is not trusted is a program of its author.
    packageFolders: [home.folder, ...(settings.isTrusted ? [home.workingCopy] : [])],
    onRetry: (retry) => options.onEvent({ type: "retry", ...retry }),
  };
}

async function otherModels(
  { summaryModel, lightModel }: ChatSettings,
  place: ModelPlace,
): Promise<Pick<PalimpsestOptions, "summaryModel" | "lightModel">> {
  const open = async (name: string): Promise<OpenedModel["client"]> =>
    (await openModel(name, { ...place, baseUrl: undefined })).client;
  return {
    ...(summaryModel === undefined ? {} : { summaryModel: await open(summaryModel) }),
    ...(lightModel === undefined ? {} : { lightModel: await open(lightModel) }),
  };
}

/** The id of the session to open; `undefined` for a new one. A fork is made here. @throws `StoreError` */
async function chooseSession(home: Home, chosen: ChosenSession): Promise<string | undefined> {
  if (chosen.from === "new") return undefined;
  const id = chosen.from === "named" ? (await home.find(chosen.which)).info.sessionId : await latestId(home);
  if (chosen.isFork !== true) return id;
  const fork = await home.fork(id);
  await fork.close();
  return fork.id;
}

async function latestId(home: Home): Promise<string> {
  for (let after: string | undefined; ; ) {
    const page = await home.list(after === undefined ? {} : { after });
    const found = page.sessions.find(({ header, isInUse }) => header?.purpose === undefined && !isInUse);
    if (found !== undefined) return found.sessionId;
    after = page.next;
    if (after === undefined)
      throw new StoreError("SESSION_NOT_FOUND", {
        message: `There is no session of ${home.workingCopy} to continue.`,
        hint: "Leave out --continue to begin one, or name one with --resume; palimpsest sessions list shows them.",
      });
  }
}

async function openSession(palimpsest: Palimpsest, id: string | undefined): Promise<AgentSession> {
  return id === undefined ? palimpsest.create() : palimpsest.open(id);
}

interface ChatParts {
  readonly gate: PermissionGate;
  readonly tools: readonly AgentTool[];
  readonly fileReader: NonNullable<PalimpsestOptions["fileReader"]>;
  /** Gives the tools their session, which is opened after them. */
  bind(session: AgentSession): void;
}

function makeParts(
  options: ChatOptions,
  {
    home,
    settings,
    memory,
  }: { readonly home: Home; readonly settings: ChatSettings; readonly memory: PersistentMemory },
): ChatParts {
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
  const workspace = new Workspace({
    root: home.workingCopy,
    folders: [...permissions.folders, ...(options.folders ?? [])],
    // Large blocks and outputs of tasks are named in previews as files.
    readable: () => (session === undefined ? [] : [join(home.project.folder, session.id)]),
  });
  const callerOf = (sessionId: string | undefined): ToolCaller => ({
    sessionId: sessionId ?? session?.id ?? "",
    isSubAgent: sessionId !== undefined && sessionId !== session?.id,
  });
  const world: ToolWorld = {
    workspace,
    ledger: new FileLedger(),
    decide: async (permission, input, { callId, signal, session: own }) => {
      const call = { id: callId, name: permission.tool, input: input as ToolUse["input"] };
      const caller = callerOf(own?.id);
      const verdict = await gate.decide(permission, { call, caller, signal });
      if (verdict !== "allow")
        options.onEvent({ type: "tool-denied", call, reason: verdict.deny, ...caller });
      return verdict;
    },
    mayRead: (name) => gate.mayRead(name),
    tasks: () => {
      if (session !== undefined) return session.tasks;
      throw new OptionError({ message: "The chat has no session yet.", hint: "Open it first." });
    },
    memory,
  };
  const tools = [
    readTool(world),
    writeTool(world),
    editTool(world),
    globTool(world),
    grepTool(world),
    shellTool(world),
  ];
  return {
    gate,
    tools: tools.map((one) => withActivity(one, { tell: options.onEvent, callerOf })),
    fileReader: { read: async (path) => readForRestoring(workspace, path) },
    bind: (opened) => {
      session = opened;
    },
  };
}

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

/** Larger files are not shown again after a compaction, in bytes: nothing of that size fits. */
const RESTORED_BYTES = 2_000_000;
