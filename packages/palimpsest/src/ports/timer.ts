/** What happens again and again. */
export interface Timer {
  /**
   * Does `work` every `ms` milliseconds until the function that it returns is called. It never keeps a
   * process alive by itself.
   */
  every(ms: number, work: () => void): () => void;
}
