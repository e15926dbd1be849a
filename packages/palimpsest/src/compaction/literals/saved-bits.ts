/** Bits as text that is stored, and what differs between two of them. */

export function xorOf(one: Uint8Array, other: Uint8Array): Uint8Array {
  const different = new Uint8Array(one.length);
  for (let at = 0; at < one.length; at++) different[at] = one[at]! ^ other[at]!;
  return different;
}

const PIECE_BYTES = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES))));
  return pieces.join("");
}

export function fromBase64(text: string): Uint8Array | undefined {
  try {
    const characters = atob(text);
    const bytes = new Uint8Array(characters.length);
    for (let at = 0; at < characters.length; at++) bytes[at] = characters.charCodeAt(at);
    return bytes;
  } catch {
    // Not base64: the stored text is damaged.
    return undefined;
  }
}
