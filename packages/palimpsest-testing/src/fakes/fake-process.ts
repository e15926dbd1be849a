/** Processes that live and die as a test says. */
import type { ProcessIdentity } from "palimpsest/internal";

/** One process on a machine of a test; those with the same `living` set see each other. */
export class FakeProcess implements ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  readonly space: string;
  readonly startedAt: string;
  readonly #running: Set<string>;

  constructor({
    pid,
    host = "machine",
    living,
  }: {
    readonly pid: number;
    readonly host?: string;
    /** Shared by the processes of one machine. */
    readonly living: Set<string>;
  }) {
    this.pid = pid;
    this.host = host;
    this.space = host;
    this.startedAt = `start of ${pid}`;
    this.#running = living;
    living.add(this.#key(pid));
  }

  isAlive(pid: number, startedAt: string | undefined): boolean {
    return this.#running.has(this.#key(pid)) && (startedAt ?? `start of ${pid}`) === `start of ${pid}`;
  }

  /** Ends it without another word. */
  die(): void {
    this.#running.delete(this.#key(this.pid));
  }

  #key(pid: number): string {
    return `${this.space} ${pid}`;
  }
}
