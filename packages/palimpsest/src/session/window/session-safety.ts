/**
 * The edit safety of a session, kept up to date at the cost of what is new: whether earlier messages
 * may be rewritten depends on the model and on whether any visible message holds bound reasoning.
 */
import { type EditSafety, editSafety, holdsBoundReasoning } from "../../tokens/models/edit-safety.ts";
import type { Projection } from "../../transcript/projection.ts";

export class SessionSafety {
  readonly #asked: EditSafety | undefined;
  #projection: Projection | undefined;
  #model = "";
  #revision = -1;
  #seen = 0;
  #isBound = false;

  /** `asked`: what the host wants, whatever the session holds. */
  constructor(asked: EditSafety | undefined) {
    this.#asked = asked;
  }

  of(projection: Projection, model: string): EditSafety {
    if (this.#asked !== undefined) return this.#asked;
    const isSame =
      projection === this.#projection && projection.revision === this.#revision && model === this.#model;
    if (!isSame) {
      this.#projection = projection;
      this.#revision = projection.revision;
      this.#model = model;
      this.#seen = 0;
      this.#isBound = false;
    }
    const { visible } = projection;
    for (; !this.#isBound && this.#seen < visible.length; this.#seen++) {
      const message = visible[this.#seen]!;
      const content = message.blocks.map(({ block }) => block);
      this.#isBound = holdsBoundReasoning({ content, model: message.model }, model);
    }
    return editSafety({ model, holdsBoundReasoning: this.#isBound });
  }
}
