/** A store of a process whose writes fail: once, or from one on, as in a process that was killed. */
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import type { TaskFiles } from "#ports/tasks.ts";
import type { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";

const KILLED = "the process is gone";

/** Writes fail at the n-th: once, or from then on, as in a process that was killed. */
export interface Fault {
  readonly at: number;
  readonly isLasting: boolean;
  /** The n-th write reaches the disk all the same. */
  readonly isWritten: boolean;
}

/** A store whose writes of journal and log can fail, as a process sees it; `kill` ends that process. */
export function faultyStore(
  store: InMemorySessionStore,
  fault: Fault,
): SessionStore & { readonly count: () => number; readonly kill: () => Promise<void> } {
  let count = 0;
  const logs: SessionLog[] = [];
  const attempt = <Result>(write: () => Result): Result => {
    const isFault = ++count === fault.at || (fault.isLasting && count > fault.at);
    if (isFault && !(fault.isWritten && count === fault.at)) throw new RangeError(KILLED);
    const result = write();
    if (isFault) throw new RangeError(KILLED);
    return result;
  };
  const faultyFiles = (files: TaskFiles): TaskFiles =>
    new Proxy(files, {
      get: (target, name) => {
        if (name === "appendJournal") return (line: string) => attempt(() => target.appendJournal(line));
        const value = target[name as keyof TaskFiles] as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const faultyLog = (log: SessionLog): SessionLog =>
    new Proxy(log, {
      get: (target, name) => {
        if (name === "append")
          return async (...given: Parameters<SessionLog["append"]>) => attempt(() => target.append(...given));
        if (name === "tasks") return target.tasks && faultyFiles(target.tasks);
        const value = target[name as keyof SessionLog] as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "count") return () => count;
      if (name === "create" || name === "open")
        return async (...given: [string]) => {
          const log = await target[name](...given);
          logs.push(log);
          return faultyLog(log);
        };
      if (name === "kill") return () => Promise.all(logs.map((log) => log.close()));
      const value = target[name as keyof InMemorySessionStore] as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as never;
}
