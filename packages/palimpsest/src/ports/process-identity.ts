/**
 * Who this process is, and whether another one still lives.
 *
 * A number of a process means something only among the processes that count together: on one machine,
 * since it was started, inside one container. `space` names that; numbers of two spaces say nothing
 * about each other.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** The machine's name, for people. */
  readonly host: string;
  /** Equal for processes whose numbers can be compared, and only for them. */
  readonly space: string;
  /** When the process began, in whatever the platform counts; absent where it does not tell. */
  readonly startedAt: string | undefined;
  /**
   * Whether a process of this space lives: false only if it certainly does not. One with the same number
   * that began at another time is another process.
   */
  isAlive(pid: number, startedAt: string | undefined): boolean;
}
