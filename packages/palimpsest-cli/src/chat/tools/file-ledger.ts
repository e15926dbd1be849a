/**
 * The files that agents have read, each as it was then: what an agent has not read, or what changed since, it must read
 * before it changes it. Each agent has its own list, because one does not see what another read.
 */

interface SeenFile {
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** The state of a file, from `stat`. */
export type FileState = SeenFile;

/** A call. Some servers number the calls of each answer from 0 on, so agents may have calls with the same id. */
interface CallOfAgent {
  readonly callId: string;
  readonly session?: { readonly id: string } | undefined;
}

const keyOf = ({ callId, session }: CallOfAgent): string => `${session?.id ?? ""} ${callId}`;

/** Agents whose lists are kept. Our choice: more than work at once; one that is forgotten reads a file again. */
const AGENTS_COUNT = 64;

export class FileLedger {
  readonly #seen = new Map<string, Map<string, SeenFile>>();
  /** Calls that were found to fail before they ran, with the reason. */
  readonly #refused = new Map<string, string>();

  /** Records that an agent knows the file in this state. */
  saw(sessionId: string | undefined, path: string, { bytes, modifiedAt }: FileState): void {
    const key = sessionId ?? "";
    const files = this.#seen.get(key) ?? new Map<string, SeenFile>();
    files.set(path, { bytes, modifiedAt });
    // The agent that read last is at the end; the first is forgotten.
    this.#seen.delete(key);
    this.#seen.set(key, files);
    if (this.#seen.size > AGENTS_COUNT) this.#seen.delete(this.#seen.keys().next().value ?? "");
  }

  /** Decides that a call fails; without a reason, that it may run. An earlier call may have had the same id. */
  refuse(call: CallOfAgent, reason: string | undefined): void {
    if (reason === undefined) this.#refused.delete(keyOf(call));
    else this.#refused.set(keyOf(call), reason);
  }

  /** Why a call was refused before it ran; it is forgotten with that. */
  refusalOf(call: CallOfAgent): string | undefined {
    const reason = this.#refused.get(keyOf(call));
    this.#refused.delete(keyOf(call));
    return reason;
  }

  /** Why the agent may not change the file; `undefined` if it may. */
  problemWith(sessionId: string | undefined, path: string, now: FileState): string | undefined {
    const seen = this.#seen.get(sessionId ?? "")?.get(path);
    if (seen === undefined) return "It exists, and you have not read it in this session. Read it first.";
    if (seen.bytes === now.bytes && seen.modifiedAt === now.modifiedAt) return undefined;
    return "It changed since you read it. Read it again, then change it.";
  }
}
