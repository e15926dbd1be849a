/**
 * Plain copies of blocks that the window shows in part, for the agent's own tool for files.
 *
 * DESIGN. The log has every block; a copy is only a second way to it, for agents without the history tools and for those
 * that would rather search a file. A preview names the path of its copy from the first request on and never changes, so
 * the copy is written before the preview is stored, and where it cannot be written the preview names no path. What
 * becomes of a copy later damages nothing: only the agent reads it. A copy lies with its session, so it goes to
 * the trash with it; a fork's previews name the copies of the session that they were made in.
 */

import type { JsonValue } from "../../base/json/json.ts";
import { formatPointer, type HistoryAccess, withoutPath } from "../../compaction/shared/pointer.ts";
import { readsFiles } from "../../compaction/shared/tool-kinds.ts";
import type { PlainCopies, SessionLog } from "../../ports/session-store.ts";
import { blockText, type ContentBlock } from "../../transcript/blocks.ts";
import type { LayerEdit } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** The name under which checkpoints carry that the model can read files. */
export const READS_FILES_MARK = "readsFiles";

interface PlainFilesOptions {
  readonly log: Pick<SessionLog, "plainCopies">;
  readonly carried: Map<string, JsonValue>;
  /** As `plainFiles` of the window's options. */
  readonly setting: boolean | string | undefined;
}

export class PlainFiles {
  readonly #copies: PlainCopies | undefined;
  readonly #carried: Map<string, JsonValue>;
  readonly #isAlwaysNamed: boolean;

  constructor({ log, carried, setting }: PlainFilesOptions) {
    const folder = typeof setting === "string" ? setting : undefined;
    this.#copies = setting === false ? undefined : log.plainCopies?.(folder);
    this.#carried = carried;
    this.#isAlwaysNamed = setting !== undefined;
  }

  /** The path of a block's copy; `undefined` where none is named. */
  get pathOf(): HistoryAccess["pathOf"] {
    const copies = this.#copies;
    if (copies === undefined) return undefined;
    if (!this.#isAlwaysNamed && this.#carried.get(READS_FILES_MARK) !== true) return undefined;
    return (pointer) => copies.pathOf(pointer);
  }

  /** Takes over the names of the model's tools. */
  receive(names: () => readonly string[]): void {
    if (this.#copies === undefined || this.#isAlwaysNamed) return;
    if (readsFiles(names())) this.#carried.set(READS_FILES_MARK, true);
    else this.#carried.delete(READS_FILES_MARK);
  }

  /** Writes the copy of `whole` if its preview names it. Returns the preview, without the path if there is no copy. */
  async keep<Block extends ContentBlock>(shown: Block, pointer: string, whole: ContentBlock): Promise<Block> {
    const copies = this.#copies;
    if (copies === undefined) return shown;
    // The JSON of a preview has the path as JSON writes it.
    const path = JSON.stringify(copies.pathOf(pointer)).slice(1, -1);
    const text = JSON.stringify(shown);
    if (!text.includes(path) || (await copies.put(pointer, blockText(whole)))) return shown;
    return JSON.parse(withoutPath(text, path)) as Block;
  }

  /** Writes the copies that an edit of old blocks names. */
  async keepAll(edit: LayerEdit, visible: readonly VisibleMessage[]): Promise<LayerEdit> {
    const { forms } = edit.effect;
    if (edit.kind !== "offload" || forms === undefined || this.#copies === undefined) return edit;
    const messages = new Map(
      visible.flatMap((one) => (one.insertedBy === undefined ? [[one.seq, one]] : [])),
    );
    const kept = [];
    for (const form of forms) {
      const { seq, block, shown } = form;
      const whole = messages.get(seq)?.blocks.find(({ index }) => index === block)?.block;
      kept.push(
        shown === undefined || whole === undefined
          ? form
          : { ...form, shown: await this.keep(shown, formatPointer({ seq, block }), whole) },
      );
    }
    return { ...edit, effect: { ...edit.effect, forms: kept } };
  }
}
