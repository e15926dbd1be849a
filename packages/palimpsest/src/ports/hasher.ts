/** SHA-256, which pure code cannot take from the platform. */
export interface Hasher {
  /** The hash of the text's UTF-8 bytes, as 64 hex digits. */
  sha256(text: string): string;
}
