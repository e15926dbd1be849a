/**
 * The text of the block that was read last: its next page is mostly what is asked for next, and reading a block of many
 * megabytes again for each page would take longer than all else.
 */
export class LastText {
  /** Kept while memory allows. */
  #kept: WeakRef<{ readonly pointer: string; readonly text: string }> | undefined;

  /** The text of the block behind `pointer`, from `read` if it is not at hand. */
  async of(pointer: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
    const kept = this.#kept?.deref();
    if (kept?.pointer === pointer) return kept.text;
    const text = await read();
    this.#kept = text === undefined ? undefined : new WeakRef({ pointer, text });
    return text;
  }
}
