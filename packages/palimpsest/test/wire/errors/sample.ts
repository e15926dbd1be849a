/** One error, and what it means. */
import type { ModelFailure } from "#ports/model-failure.ts";

export interface Sample {
  readonly why: string;
  readonly error: unknown;
  readonly says: { readonly [Field in keyof ModelFailure]?: ModelFailure[Field] | undefined };
}
