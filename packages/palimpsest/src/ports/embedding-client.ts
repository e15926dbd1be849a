/**
 * Whoever turns texts into vectors, so that memories are found by what they mean, too.
 *
 * Optional everywhere: what an embedding adds is fused with what words find, and where it fails or takes too long
 * words alone decide.
 */
export interface EmbeddingClient {
  /** Which model: vectors of different models are never compared. */
  readonly model: string;
  /** Texts that one call may have. @defaultValue `embeddedTextsCount` */
  readonly mostTexts?: number;
  /** One vector for each text, in their order, all of one length. */
  embed(
    texts: readonly string[],
    how: { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}
