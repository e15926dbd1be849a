/** Encodes a long text that comes in parts, so that no step of it keeps the process. */
import { setImmediate } from "node:timers/promises";

/** Parts of this size are encoded with a pass of the event loop between two of them. Our choice: less than a millisecond. */
const BREATHING_BYTES = 65_536;

/** Encodes the parts one after another; memory that is touched for the first time takes longer than the encoding. */
export async function encodeParts(parts: readonly string[]): Promise<Buffer> {
  if (parts.length === 1) return Buffer.from(parts[0]!, "utf8");
  const sizes = parts.map((part) => Buffer.byteLength(part, "utf8"));
  const text = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    at += text.write(part, at, "utf8");
    if (sizes[index]! >= BREATHING_BYTES) await setImmediate();
  }
  return text;
}
