/**
 * Opens a chat: settings, model, home, memory, tools and session, wired together. Everything comes from public entries of the
 * library.
 */
import { realpath } from "node:fs/promises";
import { openHome, type PalimpsestOptions, systemClock } from "palimpsest";
import { createMemory } from "palimpsest/memory";
import { type ModelPlace, type OpenedModel, openModel } from "../models/open-model.ts";
import { type ChatSettings, readChatSettings } from "../settings/chat-settings.ts";
import { ChatAgent } from "./chat-agent.ts";
import { openLink, type SharedOptions } from "./chat-link.ts";
import type { ChatOptions } from "./chat-options.ts";
import { makeTools } from "./chat-tools.ts";
import { systemPrompt } from "./system-prompt.ts";

/** Instructions while a plan is made, also after a compaction. */
const PLAN_MODE =
  "Plan mode is on: read and search, ask what is unclear, and change nothing. Put the plan before the user with exit_plan_mode.";

/**
 * Opens a chat. Close it when it is over.
 * @throws `OptionError` where there is no model, a key or a package is missing; `StoreError` where there is no such session,
 * or another process has it
 */
export async function openChat(options: ChatOptions): Promise<ChatAgent> {
  const { onEvent: tell, clock = systemClock } = options;
  const folder = await realpath(options.folder);
  const home = openHome({
    clock,
    env: options.env,
    workingCopy: folder,
    ...(options.home === undefined ? {} : { home: options.home }),
    ...(options.isPersisted === undefined ? {} : { persistence: options.isPersisted }),
    ...(options.isBare === undefined ? {} : { isBare: options.isBare }),
  });
  const settings = await readChatSettings({ home: home.folder, workspace: home.workingCopy });
  for (const { path, detail } of home.problems) tell({ type: "notice", text: `${path}: ${detail}` });
  for (const text of settings.problems) tell({ type: "notice", text });
  // A package of a folder that is not trusted is a program of its author.
  const packageFolders = [home.folder, ...(settings.isTrusted ? [home.workingCopy] : [])];
  const noticed = new Set<string>();
  const place: ModelPlace = {
    env: options.env,
    providers: settings.providers,
    baseUrl: options.baseUrl,
    packageFolders,
    wait: options.wait,
    onRetry: (retry) => tell({ type: "retry", ...retry }),
    onNotice: (text) => {
      // Every agent of the session asks the server about the model.
      if (!noticed.has(text)) tell({ type: "notice", text });
      noticed.add(text);
    },
  };
  const model = await openModel(options.model ?? settings.model, place);
  const others = await otherModels(settings, place);
  const memory = createMemory({
    home,
    clock,
    ...(others.lightModel === undefined ? {} : { lightModel: others.lightModel }),
  });
  const made = await makeTools(options, { home, settings, memory, packageFolders });
  const shared: SharedOptions = {
    ...others,
    home,
    memory,
    clock,
    window: options.windowTokens === undefined ? {} : { windowTokens: options.windowTokens },
    observer: { onEvent: (event, source) => tell({ type: "session", event, sessionId: source?.sessionId }) },
    fileReader: made.fileReader,
    restorers: made.restorers,
    plan: { planMode: async () => (made.gate.mode === "plan" ? PLAN_MODE : undefined) },
    // Not in the system prompt, with which the prompt cache begins.
    hooks: { sessionStart: () => `Today is ${new Date(clock.nowMs()).toISOString().slice(0, 10)}.` },
    tasks: { shell: { folder: home.workingCopy }, agents: made.agents },
    background: { closeOnExit: false },
  };
  try {
    const tools = new Set(made.tools.map(({ name }) => name));
    const system = systemPrompt({ workspace: home.workingCopy, tools, appended: options.appendedPrompt });
    const link = await openLink(shared, model, options.session, (text) => tell({ type: "notice", text }));
    return new ChatAgent({
      options,
      shared,
      link,
      settings,
      made,
      system,
      planMode: PLAN_MODE,
      openModel: (name) => openModel(name, place),
    });
  } catch (error) {
    await made.close();
    await memory.close();
    await home.close();
    throw error;
  }
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
