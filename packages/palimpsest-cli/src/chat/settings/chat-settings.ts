/**
 * The settings of `palimpsest chat` and `palimpsest run`: the part `chat` of `settings.json` in the home, and of
 * `.palimpsest/settings.json` in the project.
 *
 * A project's file comes with its repository, so its author is not trusted: it may forbid and ask, and name a model. What
 * widens what the agent may do (rules that allow, further folders, servers and providers, which are programs and
 * addresses) counts only in the user's own file, or if that one lists the project in `trustedFolders`.
 */

import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError, OptionError } from "palimpsest";
import { PERMISSION_MODES, type PermissionMode } from "../base/chat-events.ts";
import { readTextIfThere } from "../base/regular-file.ts";
import { type Fields, fieldsOf, isFields, messageOf, textOr, textsOf } from "../base/values.ts";

/** Rules for tools, in words such as `shell(git diff *)`. */
interface PermissionSettings {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** Folders beside the workspace that tools may use. */
  readonly folders: readonly string[];
}

/** A server of the Model Context Protocol: a program, or an address. */
interface McpServerSetting {
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A provider of models that the user named. */
export interface ProviderSetting {
  readonly baseUrl?: string;
  /** The environment variable with the key. */
  readonly keyVariable?: string;
  readonly api: "anthropic" | "openai" | "openai-chat" | "ai-sdk";
  /** The package of the AI SDK, for `ai-sdk`. */
  readonly package?: string;
}

/** All settings of a chat, those of user and project together. */
export interface ChatSettings {
  readonly model?: string;
  readonly summaryModel?: string;
  readonly lightModel?: string;
  readonly permissionMode?: PermissionMode;
  readonly permissions: PermissionSettings;
  readonly mcpServers: Readonly<Record<string, McpServerSetting>>;
  readonly providers: Readonly<Record<string, ProviderSetting>>;
  readonly isTrusted: boolean;
  /** Values that cannot be used, in words. */
  readonly problems: readonly string[];
}

/** Largest settings file, in bytes. Our choice: far above a long one. */
const LIMIT_BYTES = 1_048_576;
const PROJECT_FILE = join(".palimpsest", "settings.json");
const APIS: readonly ProviderSetting["api"][] = ["anthropic", "openai", "openai-chat", "ai-sdk"];

/** The places of the settings. */
interface SettingsPlace {
  readonly home: string;
  readonly workspace: string;
}

/** Reads the settings. What cannot be used is reported and left out. @throws `OptionError` where that would be rules */
export async function readChatSettings({ home, workspace }: SettingsPlace): Promise<ChatSettings> {
  const problems: string[] = [];
  const user = await readPart(join(home, "settings.json"), problems);
  const project = await readPart(join(workspace, PROJECT_FILE), problems);
  const answers = await readPart(answersPath({ home, workspace }), problems, "whole");
  const isTrusted = textsOf(user["trustedFolders"]).some((folder) => resolve(folder) === workspace);
  const trusted = isTrusted ? project : {};
  if (!isTrusted) reportUntrusted(project, problems);
  for (const part of [user, project]) reportUnknown(part, problems);
  const rules = (kind: keyof PermissionSettings, ...from: readonly Fields[]) =>
    from.flatMap((part) => rulesOf(part, kind));
  return {
    model: textOr(project["model"]) ?? textOr(user["model"]),
    summaryModel: textOr(project["summaryModel"]) ?? textOr(user["summaryModel"]),
    lightModel: textOr(project["lightModel"]) ?? textOr(user["lightModel"]),
    permissionMode: modeOf(user["permissionMode"], problems),
    permissions: {
      allow: rules("allow", user, trusted, answers),
      ask: rules("ask", user, project),
      deny: rules("deny", user, project),
      folders: [...rules("folders", user), ...rules("folders", trusted)].map((path) =>
        resolve(workspace, path),
      ),
    },
    mcpServers: { ...serversOf(user, problems), ...serversOf(trusted, problems) },
    providers: { ...providersOf(user, problems), ...providersOf(trusted, problems) },
    isTrusted,
    problems,
  };
}

const KNOWN = new Set([
  ...["model", "summaryModel", "lightModel", "permissionMode", "permissions"],
  ...["mcpServers", "providers", "trustedFolders"],
]);

const KNOWN_PERMISSIONS = new Set(["allow", "ask", "deny", "folders"]);

function reportUnknown(part: Fields, problems: string[]): void {
  const report = (prefix: string, fields: Fields, known: ReadonlySet<string>): void => {
    for (const name of Object.keys(fields).filter((one) => !known.has(one)))
      problems.push(
        `${prefix}.${name} has no effect: the settings of ${prefix} are ${[...known].join(", ")}.`,
      );
  };
  report("chat", part, KNOWN);
  report("chat.permissions", fieldsOf(part["permissions"]), KNOWN_PERMISSIONS);
}

/** The rules of a part. Those that cannot be read end the command: they may forbid something. @throws `OptionError` */
function rulesOf(part: Fields, kind: keyof PermissionSettings): readonly string[] {
  const permissions = part["permissions"] ?? {};
  if (!isFields(permissions))
    throw new OptionError({
      message: "chat.permissions in the settings is not an object.",
      hint: 'Write it with lists: "permissions": { "deny": ["shell(rm *)"] }.',
    });
  const given = permissions[kind] ?? [];
  const texts = textsOf(given);
  if (Array.isArray(given) && texts.length === given.length) return texts;
  throw new OptionError({
    message: `chat.permissions.${kind} in the settings is not a list of texts.`,
    hint: `Write it as a list: "${kind}": [${JSON.stringify(kind === "folders" ? "../shared" : "shell(npm test *)")}].`,
  });
}

const WIDENING = ["mcpServers", "providers"] as const;

function reportUntrusted(project: Fields, problems: string[]): void {
  const { allow, folders } = fieldsOf(project["permissions"]);
  const named = [
    ...WIDENING.filter((name) => project[name] !== undefined),
    ...(textsOf(allow).length > 0 ? ["permissions.allow"] : []),
    ...(textsOf(folders).length > 0 ? ["permissions.folders"] : []),
  ];
  if (named.length > 0)
    problems.push(
      `${PROJECT_FILE}: ${named.join(", ")} have no effect, because you do not trust this folder. To trust it, add it to chat.trustedFolders in the settings of your home.`,
    );
}

async function readPart(path: string, problems: string[], part?: "whole"): Promise<Fields> {
  try {
    const text = await readTextIfThere(path, LIMIT_BYTES);
    if (text === undefined || text.trim() === "") return {};
    const parsed: unknown = JSON.parse(text);
    if (!isFields(parsed)) throw unusable("it is not a JSON object");
    const chat = part === "whole" ? parsed : (parsed["chat"] ?? {});
    if (!isFields(chat)) throw unusable("`chat` is not an object");
    return chat;
  } catch (error) {
    // Answers can only allow something. Settings may forbid something, and what they forbid must not happen unnoticed.
    if (part !== "whole")
      throw new OptionError({
        message: `${path} cannot be read: ${messageOf(error)}`,
        hint: "Correct the file or remove it: its rules may forbid something.",
        cause: error,
      });
    problems.push(`${path} has no effect: ${messageOf(error)}`);
    return {};
  }
}

function unusable(message: string): InputError {
  return new InputError("INPUT_UNREADABLE", { message, hint: "Correct the file." });
}

function modeOf(value: unknown, problems: string[]): PermissionMode | undefined {
  const found = PERMISSION_MODES.find((mode) => mode === value);
  if (found === undefined && value !== undefined)
    problems.push(`chat.permissionMode is not one of ${PERMISSION_MODES.join(", ")}; \`ask\` is used.`);
  return found;
}

const stringsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );

function serversOf(part: Fields, problems: string[]): Record<string, McpServerSetting> {
  const usable = Object.entries(fieldsOf(part["mcpServers"])).flatMap(([name, value]) => {
    const { command, args, env, url, headers } = fieldsOf(value);
    const setting = {
      command: textOr(command),
      args: textsOf(args),
      env: stringsOf(env),
      url: textOr(url),
      headers: stringsOf(headers),
    };
    if ((setting.command === undefined) !== (setting.url === undefined) && /^[\w-]{1,60}$/.test(name))
      return [[name, setting] as const];
    problems.push(
      `chat.mcpServers.${name} has no effect: it needs a \`command\` or a \`url\`, and a plain name.`,
    );
    return [];
  });
  return Object.fromEntries(usable);
}

function providersOf(part: Fields, problems: string[]): Record<string, ProviderSetting> {
  const usable = Object.entries(fieldsOf(part["providers"])).flatMap(([name, value]) => {
    const fields = fieldsOf(value);
    const api = APIS.find((one) => one === (fields["api"] ?? "openai-chat"));
    if (api === undefined) {
      problems.push(`chat.providers.${name} has no effect: \`api\` is not one of ${APIS.join(", ")}.`);
      return [];
    }
    const baseUrl = textOr(fields["baseUrl"]);
    if (baseUrl !== undefined && !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : "")) {
      problems.push(`chat.providers.${name} has no effect: \`baseUrl\` is not an address.`);
      return [];
    }
    const setting: ProviderSetting = {
      api,
      baseUrl,
      keyVariable: textOr(fields["keyVariable"]),
      package: textOr(fields["package"]),
    };
    return [[name, setting] as const];
  });
  return Object.fromEntries(usable);
}

/** Rules that the user answered "always in this project" with. They are in the home, where no repository can write. */
function answersPath({ home, workspace }: SettingsPlace): string {
  const name = createHash("sha256").update(workspace).digest("hex").slice(0, 24);
  return join(home, "config", "chat", `${name}.json`);
}

/** Keeps a rule that allows something in this project from now on. */
export async function keepAllowRule(place: SettingsPlace, rule: string): Promise<void> {
  const path = answersPath(place);
  const known = await readPart(path, [], "whole");
  const rules = new Set([...textsOf(fieldsOf(known["permissions"])["allow"]), rule]);
  const content = { workspace: place.workspace, permissions: { allow: [...rules] } };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.tmp`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}
