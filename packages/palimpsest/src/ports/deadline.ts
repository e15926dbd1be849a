/** What happens once, when time is up. */
export interface Deadline {
  /**
   * Does `work` after `ms` milliseconds, unless the function that it returns is called before. Unlike a
   * `Timer` it keeps a process alive: somebody waits for what it ends.
   */
  after(ms: number, work: () => void): () => void;
}
