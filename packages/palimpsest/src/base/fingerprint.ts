/**
 * A short number that tells texts apart. For noticing changes, not for naming things: a person who picks the
 * texts can make two that agree, so nothing may depend on it that an attacker would want to fake.
 */

/** 53 bits of `text`, the same everywhere; `seed` makes another number of the same text. */
export function fingerprint(text: string, seed = 0): number {
  // Two multiply-and-xor lanes (cyrb53, public domain): about a nanosecond a character.
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
}
