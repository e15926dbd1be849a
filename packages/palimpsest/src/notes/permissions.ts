/**
 * Checks the tool calls of a model that updates notes through the host's edit tool: that one tool, on that one
 * path, and nothing else.
 *
 * Paths are compared letter by letter. The path has to be the notes' path as given, so that no other spelling
 * has to be understood: not `..`, not a link, not another case, not a character that looks the same. The code
 * that opens the file checks for links. An allowed call is passed on as a copy of the checked input.
 */
import { isObject } from "../base/json/json.ts";

/** Tool calls of one update that may be allowed. Our choice: four for each section of the template. */
const UPDATER_CALLS_COUNT = 40;

/** One call as a model made it, unchecked. */
export interface UpdaterCall {
  readonly name: unknown;
  readonly input: unknown;
}

/** The host's permission for the updater. */
interface UpdaterGrant {
  /** Exact name of the edit tool. If it is empty, every call is denied. */
  readonly toolName: string;
  /** The notes' path, as given to the updater. */
  readonly notesPath: string;
  /** The names of the tool's arguments. @defaultValue those of Claude Code's edit tool */
  readonly arguments?: EditArguments;
}

export interface EditArguments {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: string;
}

/** An edit that was allowed. */
export interface NotesEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type UpdaterDenial = "other-tool" | "other-path" | "malformed" | "too-many";

type UpdaterVerdict =
  | { readonly isAllowed: true; readonly edit: NotesEdit }
  | { readonly isAllowed: false; readonly reason: UpdaterDenial };

interface JudgedCalls {
  readonly edits: readonly NotesEdit[];
  readonly deniedCounts: Readonly<Record<UpdaterDenial, number>>;
}

const USUAL_ARGUMENTS: EditArguments = {
  path: "file_path",
  oldText: "old_string",
  newText: "new_string",
  replaceAll: "replace_all",
};

/** Judges one call. Never throws. */
export function judgeUpdaterCall({ name, input }: UpdaterCall, grant: UpdaterGrant): UpdaterVerdict {
  // An empty grant allows no tool, and a call without a name matches none.
  if (grant.toolName === "" || name !== grant.toolName) return denied("other-tool");
  if (!isObject(input)) return denied("malformed");
  const names = grant.arguments ?? USUAL_ARGUMENTS;
  const known: readonly (string | undefined)[] = [names.path, names.oldText, names.newText, names.replaceAll];
  // An argument that is not known here may be a second path to the tool.
  if (Object.keys(input).some((key) => !known.includes(key))) return denied("malformed");
  const own = (key: string): unknown => (Object.hasOwn(input, key) ? input[key] : undefined);
  const path = own(names.path);
  if (typeof path !== "string") return denied("malformed");
  if (path !== grant.notesPath) return denied("other-path");
  const oldText = own(names.oldText);
  const newText = own(names.newText);
  const replaceAll = names.replaceAll === undefined ? false : (own(names.replaceAll) ?? false);
  if (typeof oldText !== "string" || typeof newText !== "string" || typeof replaceAll !== "boolean")
    return denied("malformed");
  return { isAllowed: true, edit: { oldText, newText, replaceAll } };
}

/** Judges all calls of one update. Returns the allowed edits in order, and counts the denied calls by reason. */
export function judgeUpdaterCalls(calls: readonly UpdaterCall[], grant: UpdaterGrant): JudgedCalls {
  const deniedCounts = { "other-tool": 0, "other-path": 0, malformed: 0, "too-many": 0 };
  const edits: NotesEdit[] = [];
  for (const call of calls) {
    const verdict = judgeUpdaterCall(call, grant);
    if (!verdict.isAllowed) deniedCounts[verdict.reason]++;
    else if (edits.length >= UPDATER_CALLS_COUNT) deniedCounts["too-many"]++;
    else edits.push(verdict.edit);
  }
  return { edits, deniedCounts };
}

function denied(reason: UpdaterDenial): UpdaterVerdict {
  return { isAllowed: false, reason };
}
