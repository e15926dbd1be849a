/**
 * Finds recorded sessions: those of other agents in their usual places, and those below a folder.
 *
 * Only names and times are read here. Links are not followed, and every walk is bounded, so that a folder of anything
 * costs little.
 */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../terminal/terminal.ts";

/** A file that may be a recording. */
export interface FoundRecording {
  readonly path: string;
  readonly changedMs: number;
  /** The agent in whose place it lies; absent for files below a given folder. */
  readonly tool?: string;
}

/** A place in which an agent keeps its sessions. */
interface UsualPlace {
  readonly tool: string;
  readonly folder: string;
  /** Levels of folders below it that hold sessions. */
  readonly depth: number;
  readonly isRecording: (name: string) => boolean;
}

/** Folders and files that one walk looks at. Our choice: what takes a second at most. */
const WALK_COUNT = 50_000;
/** Levels of a folder that a user names. Our choice: those of every agent's place, and as many above. */
const FOLDER_DEPTH = 10;

const LINES = /^[^.].*\.jsonl$/;
const RECORDINGS = /^[^.].*\.(?:jsonl|ndjson|json|traj)(?:\.gz)?$/i;
/** Folders of programs, not of sessions. */
const PASSED_OVER: ReadonlySet<string> = new Set(["node_modules", ".git", ".palimpsest"]);

/** Returns the places in the order of their names. Environment variables that move them are those of the agents. */
function usualPlaces(env: Environment): readonly UsualPlace[] {
  const home = env["HOME"] ?? env["USERPROFILE"];
  const below = (...path: readonly string[]) => (home === undefined ? [] : [join(home, ...path)]);
  const named = (name: string, path: readonly string[] = []) => {
    const folder = env[name];
    return folder === undefined || folder === "" ? [] : [join(folder, ...path)];
  };
  const first = (...folders: readonly (readonly string[])[]) => folders.flat().slice(0, 1);
  const rows: readonly (readonly [tool: string, folders: readonly string[], depth: number, names: RegExp])[] =
    [
      [
        "Claude Code",
        [
          ...first(named("CLAUDE_CONFIG_DIR", ["projects"]), below(".claude", "projects")),
          ...first(named("XDG_CONFIG_HOME", ["claude", "projects"]), below(".config", "claude", "projects")),
        ],
        1,
        LINES,
      ],
      [
        "Codex",
        first(named("CODEX_HOME", ["sessions"]), below(".codex", "sessions")),
        3,
        /^rollout-.*\.jsonl$/,
      ],
      [
        "Copilot CLI",
        first(named("COPILOT_HOME", ["session-state"]), below(".copilot", "session-state")),
        1,
        LINES,
      ],
      [
        "gemini-cli",
        first(named("GEMINI_CLI_HOME", [".gemini", "tmp"]), below(".gemini", "tmp")),
        2,
        /^session-.*\.jsonl?$/,
      ],
      [
        "opencode",
        first(named("XDG_DATA_HOME", ["opencode"]), below(".local", "share", "opencode")),
        0,
        /^opencode\.db$/,
      ],
      ["pi", first(named("PI_CODING_AGENT_DIR", ["sessions"]), below(".pi", "agent", "sessions")), 1, LINES],
    ];
  return rows.flatMap(([tool, folders, depth, names]) =>
    folders.map((folder) => ({ tool, folder, depth, isRecording: (name: string) => names.test(name) })),
  );
}

/** The agents whose places are known. */
export const KNOWN_TOOLS = "Claude Code, Codex, Copilot CLI, gemini-cli, opencode and pi";

/** Recordings in the usual places, the newest first. */
export function recordingsOfAgents(env: Environment): readonly FoundRecording[] {
  const found = usualPlaces(env).flatMap(({ tool, ...place }) =>
    walk(place).map((recording) => ({ ...recording, tool })),
  );
  return found.toSorted(byTime);
}

/** Files below a folder that may be recordings, the newest first. */
export function recordingsBelow(folder: string): readonly FoundRecording[] {
  const isRecording = (name: string): boolean => RECORDINGS.test(name);
  return walk({ folder, depth: FOLDER_DEPTH, isRecording }).toSorted(byTime);
}

function byTime(one: FoundRecording, other: FoundRecording): number {
  return other.changedMs - one.changedMs || (one.path < other.path ? -1 : 1);
}

function walk({ folder, depth, isRecording }: Omit<UsualPlace, "tool">): FoundRecording[] {
  const found: FoundRecording[] = [];
  let left = WALK_COUNT;
  const visit = (path: string, levels: number): void => {
    for (const item of itemsOf(path)) {
      if (left-- <= 0) return;
      const child = join(path, item.name);
      if (item.isDirectory() && levels > 0 && !PASSED_OVER.has(item.name)) visit(child, levels - 1);
      if (!item.isFile() || !isRecording(item.name)) continue;
      const stat = statSync(child, { throwIfNoEntry: false });
      if (stat !== undefined && stat.size > 0) found.push({ path: child, changedMs: stat.mtimeMs });
    }
  };
  visit(folder, depth);
  return found;
}

/** Nothing where the folder is missing or may not be read: another place may have a recording. */
function itemsOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
