/**
 * Bytes as text that JSON takes without an escape: five characters for four bytes, where base64 needs five and
 * a third. The alphabet and the treatment of the end are those of Git's binary patches and of Python's
 * `base64.b85encode`, so that other readers have it already.
 */
const ALPHABET = Buffer.from(
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
  "latin1",
);
const [BASE, GROUP_BYTES, GROUP_DIGITS] = [85, 4, 5];
const NO_DIGIT = 255;
const GROUP_LIMIT = 2 ** 32;
const DIGIT_OF = new Uint8Array(256).fill(NO_DIGIT);
for (const [digit, character] of ALPHABET.entries()) DIGIT_OF[character] = digit;

/** As if zeros followed; the characters that they would add are left out. */
export function encodeBase85(bytes: Uint8Array): string {
  const groups = Math.ceil(bytes.length / GROUP_BYTES);
  const text = Buffer.allocUnsafe(groups * GROUP_DIGITS);
  for (let group = 0; group < groups; group++) {
    const from = group * GROUP_BYTES;
    let rest = 0;
    for (let at = from; at < from + GROUP_BYTES; at++) rest = rest * 256 + (bytes[at] ?? 0);
    for (let at = GROUP_DIGITS - 1; at >= 0; at--) {
      text[group * GROUP_DIGITS + at] = ALPHABET[rest % BASE]!;
      rest = Math.floor(rest / BASE);
    }
  }
  return text.toString("latin1", 0, text.length - (groups * GROUP_BYTES - bytes.length));
}

/** `undefined` where the characters are none of ours, or say more than four bytes can. */
export function decodeBase85(text: Uint8Array): Buffer | undefined {
  const groups = Math.ceil(text.length / GROUP_DIGITS);
  const missing = groups * GROUP_DIGITS - text.length;
  if (missing === GROUP_DIGITS - 1) return undefined;
  const bytes = Buffer.allocUnsafe(groups * GROUP_BYTES);
  for (let group = 0; group < groups; group++) {
    const from = group * GROUP_DIGITS;
    let value = 0;
    for (let at = from; at < from + GROUP_DIGITS; at++) {
      const digit = at < text.length ? DIGIT_OF[text[at]!]! : BASE - 1;
      if (digit === NO_DIGIT) return undefined;
      value = value * BASE + digit;
    }
    if (value >= GROUP_LIMIT) return undefined;
    bytes.writeUInt32BE(value, group * GROUP_BYTES);
  }
  return bytes.subarray(0, bytes.length - missing);
}
