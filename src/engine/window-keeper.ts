/**
 * Everything derived from the window, kept up to date at the cost of what is new: its size, what a
 * request made of it looks like, and what must be mended before that is sent.
 *
 * A push is followed message by message. Any other change of the window (an edit, an undo, a
 * rewind) counts up the projection's revision, and all of it is derived anew.
 */
import { estimateVisibleMessage } from "../tokens/estimate-message.ts";
import type { UsageLedger } from "../tokens/usage-ledger.ts";
import type { RepairEdit } from "../transcript/edits.ts";
import type { Projection } from "../transcript/projection.ts";
import { RepairScan } from "../transcript/repair.ts";
import { RequestAssembler } from "../transcript/request.ts";
import type { RequestMessage, VisibleMessage } from "../transcript/window.ts";

export class WindowKeeper {
  readonly ledger: UsageLedger;
  #projection: Projection | undefined;
  #revision = -1;
  #seen = 0;
  #assembler = new RequestAssembler();
  #scan = new RepairScan();

  constructor(ledger: UsageLedger) {
    this.ledger = ledger;
  }

  /** Catches up with the window. */
  follow(projection: Projection): void {
    const { visible, revision, callSeqs } = projection;
    if (projection !== this.#projection || revision !== this.#revision) {
      const isFirst = this.#projection === undefined;
      this.#projection = projection;
      this.#revision = revision;
      this.#assembler = new RequestAssembler();
      this.#scan = new RepairScan();
      this.#seen = 0;
      if (isFirst) this.ledger.windowRestored(sizeOf(visible));
      else this.ledger.windowReplaced(sizeOf(visible));
      for (const message of visible) this.#assembler.push(message, callSeqs);
    } else {
      for (let index = this.#seen; index < visible.length; index++) {
        const message = visible[index]!;
        this.ledger.messageAdded(estimateVisibleMessage(message));
        this.#assembler.push(message, callSeqs);
      }
    }
    this.#seen = visible.length;
  }

  /** What has to be mended before the window is sent. Follows first. */
  findRepairs(projection: Projection): readonly RepairEdit[] {
    this.follow(projection);
    return this.#scan.scan(projection.visible, projection.callSeqs);
  }

  /** The request that the window makes. Follows first. */
  request(projection: Projection): readonly RequestMessage[] {
    this.follow(projection);
    return this.#assembler.messages;
  }
}

/** Size of a window in reference tokens. */
export function sizeOf(visible: readonly VisibleMessage[]): number {
  let tokens = 0;
  for (const message of visible) tokens += estimateVisibleMessage(message);
  return tokens;
}
