/**
 * Reads the size of an image or a PDF from its bytes.
 *
 * The bytes come from anywhere, so nothing is believed that cannot be: each reader looks at a bounded number
 * of places and gives up on the first that is not as its format says. A size that cannot be read is
 * `undefined`, and the caller takes a flat figure.
 */
/** Longest edge of an image that is believed, in pixels: vendors refuse more than 8,000, JPEG ends here. */
const LARGEST_EDGE_PIXELS = 65_535;
/** Segments of a JPEG to read before its frame header; cameras write about 20. */
const JPEG_SEGMENTS_COUNT = 200;
/** Bytes of a PDF to read, half of them at its end: the page tree is at either end. It takes about 0.1 s. */
const PDF_SCANNED_BYTES = 4_194_304;
/** Least bytes of a PDF for each of its pages: the smallest page object has about as many. */
const PDF_PAGE_BYTES = 50;

/** The size of an image in pixels, or of a document in pages. */
export type MediaSize =
  | { readonly type: "image"; readonly width: number; readonly height: number }
  | { readonly type: "pages"; readonly count: number };

/** Reads the size of a PNG, JPEG, GIF, WebP or PDF in base64; `undefined` where it cannot. Never throws. */
export function readMediaSize(base64: string): MediaSize | undefined {
  const bytes = new Base64Bytes(base64);
  if (bytes.startsWith("\x89PNG\r\n\x1a\n")) return imageOf(bytes.uint32(16), bytes.uint32(20));
  if (bytes.startsWith("GIF8")) return imageOf(bytes.uint16Le(6), bytes.uint16Le(8));
  if (bytes.startsWith("\xff\xd8\xff")) return readJpeg(bytes);
  if (bytes.startsWith("RIFF") && bytes.text(8, 4) === "WEBP") return readWebp(bytes);
  return bytes.startsWith("%PDF-") ? readPdf(bytes) : undefined;
}

function imageOf(width: number, height: number): MediaSize | undefined {
  const isSize = (pixels: number): boolean => pixels >= 1 && pixels <= LARGEST_EDGE_PIXELS;
  return isSize(width) && isSize(height) ? { type: "image", width, height } : undefined;
}

/** Walks the segments to the frame header, which may lie behind a preview and a colour profile. */
function readJpeg(bytes: Base64Bytes): MediaSize | undefined {
  let at = 2;
  for (let segment = 0; segment < JPEG_SEGMENTS_COUNT; segment++) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    // Padding before a marker.
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return imageOf(bytes.uint16(at + 7), bytes.uint16(at + 5));
    else {
      const length = bytes.uint16(at + 2);
      if (!(length >= 2)) return undefined;
      at += 2 + length;
    }
  }
  return undefined;
}

/** Start of a frame, whatever its coding; the other markers of that range are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readWebp(bytes: Base64Bytes): MediaSize | undefined {
  switch (bytes.text(12, 4)) {
    case "VP8 ":
      return imageOf(bytes.uint16Le(26) & 0x3fff, bytes.uint16Le(28) & 0x3fff);
    case "VP8L": {
      if (bytes.at(20) !== 0x2f) return undefined;
      const bits = bytes.uint16Le(21) + bytes.uint16Le(23) * 0x10000;
      return imageOf((bits % 0x4000) + 1, (Math.floor(bits / 0x4000) % 0x4000) + 1);
    }
    case "VP8X":
      return imageOf(bytes.uint24Le(24) + 1, bytes.uint24Le(27) + 1);
    default:
      return undefined;
  }
}

const PAGE = /\/Type\s{0,9}\/Page(?![a-zA-Z])/g;
const PAGE_COUNT =
  /\/Type\s{0,9}\/Pages(?![a-zA-Z])[^>]{0,200}?\/Count\s{1,9}(\d{1,6})|\/Count\s{1,9}(\d{1,6})(?!\d)[^<>]{0,200}?\/Type\s{0,9}\/Pages(?![a-zA-Z])/g;

/** The root of the page tree says how many pages there are; where it is packed away, no one can tell from here. */
function readPdf(bytes: Base64Bytes): MediaSize | undefined {
  const half = PDF_SCANNED_BYTES / 2;
  const parts =
    bytes.length <= PDF_SCANNED_BYTES
      ? [[0, bytes.length]]
      : [
          [0, half],
          [bytes.length - half, half],
        ];
  let pages = 0;
  let declared = 0;
  for (const [start, length] of parts) {
    const text = bytes.text(start!, length!);
    pages += text.match(PAGE)?.length ?? 0;
    for (const [, one, other] of text.matchAll(PAGE_COUNT))
      declared = Math.max(declared, Number(one ?? other));
  }
  const count = Math.max(pages, declared);
  return count >= 1 && count <= bytes.length / PDF_PAGE_BYTES ? { type: "pages", count } : undefined;
}

const VALUES = new Int8Array(128).fill(-1);
for (const [value, character] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries())
  VALUES[character.charCodeAt(0)] = value;

/** Bytes of a base64 text, decoded where they are looked at. Outside, and where the text is none, there is `NaN`. */
class Base64Bytes {
  readonly #text: string;
  /** Up to two more than there are, where the text is padded. */
  readonly length: number;

  constructor(text: string) {
    this.#text = text;
    this.length = Math.floor((text.length * 3) / 4);
  }

  at(index: number): number {
    const first = Math.floor(index / 3) * 4 + (index % 3);
    const high = this.#value(first);
    const low = this.#value(first + 1);
    switch (index % 3) {
      case 0:
        return high * 4 + Math.floor(low / 16);
      case 1:
        return (high % 16) * 16 + Math.floor(low / 4);
      default:
        return (high % 4) * 64 + low;
    }
  }

  uint16(index: number): number {
    return this.at(index) * 0x100 + this.at(index + 1);
  }

  uint32(index: number): number {
    return this.uint16(index) * 0x10000 + this.uint16(index + 2);
  }

  uint16Le(index: number): number {
    return this.at(index) + this.at(index + 1) * 0x100;
  }

  uint24Le(index: number): number {
    return this.uint16Le(index) + this.at(index + 2) * 0x10000;
  }

  startsWith(text: string): boolean {
    return this.text(0, text.length) === text;
  }

  /** Bytes as Latin-1; one that cannot be read ends it. */
  text(start: number, length: number): string {
    const pieces: string[] = [];
    for (let from = start; from < start + length; from += PIECE_BYTES) {
      const codes: number[] = [];
      for (let index = from; index < Math.min(from + PIECE_BYTES, start + length); index++) {
        const byte = this.at(index);
        if (Number.isNaN(byte)) return pieces.join("") + String.fromCharCode(...codes);
        codes.push(byte);
      }
      pieces.push(String.fromCharCode(...codes));
    }
    return pieces.join("");
  }

  #value(index: number): number {
    const value = VALUES[this.#text.charCodeAt(index)] ?? -1;
    return value === -1 ? Number.NaN : value;
  }
}

/** As many arguments as every engine takes in one call. */
const PIECE_BYTES = 4_096;
