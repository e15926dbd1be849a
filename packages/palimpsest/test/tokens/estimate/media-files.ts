/**
 * The smallest beginnings of images and PDFs of a given size, in base64. What comes after them is not read.
 */
const u16 = (value: number): number[] => [(value >> 8) & 0xff, value & 0xff];
const u16Le = (value: number): number[] => u16(value).reverse();
const u24Le = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff];
const u32 = (value: number): number[] => [...u16(Math.floor(value / 0x10000)), ...u16(value % 0x10000)];
const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));

const base64 = (bytes: readonly number[]): string => Buffer.from(bytes).toString("base64");

export const png = (width: number, height: number): string =>
  base64([
    0x89,
    ...ascii("PNG\r\n"),
    0x1a,
    0x0a,
    ...u32(13),
    ...ascii("IHDR"),
    ...u32(width),
    ...u32(height),
    ...[8, 2, 0, 0, 0, 0, 0, 0, 0],
  ]);

/** With a preview of the camera's and a table in front of the frame. */
export const jpeg = (width: number, height: number, { marker = 0xc0, previewBytes = 5_000 } = {}): string =>
  base64([
    ...[0xff, 0xd8, 0xff, 0xe1, ...u16(previewBytes)],
    ...Array.from({ length: previewBytes - 2 }, () => 0xff),
    ...[0xff, 0xff, 0xc4, ...u16(4), 0, 0],
    ...[0xff, marker, ...u16(17), 8, ...u16(height), ...u16(width), 3],
  ]);

export const gif = (width: number, height: number): string =>
  base64([...ascii("GIF89a"), ...u16Le(width), ...u16Le(height), 0, 0, 0]);

export const webp = {
  lossy: (width: number, height: number): string =>
    base64([
      ...ascii("RIFF\0\0\0\0WEBPVP8 "),
      ...[0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a],
      ...u16Le(width),
      ...u16Le(height),
    ]),
  lossless: (width: number, height: number): string => {
    const bits = width - 1 + (height - 1) * 0x4000;
    return base64([
      ...ascii("RIFF\0\0\0\0WEBPVP8L"),
      ...[0, 0, 0, 0, 0x2f],
      ...u16Le(bits % 0x10000),
      ...u16Le(Math.floor(bits / 0x10000)),
    ]);
  },
  extended: (width: number, height: number): string =>
    base64([
      ...ascii("RIFF\0\0\0\0WEBPVP8X"),
      ...[0, 0, 0, 0, 0, 0, 0, 0],
      ...u24Le(width - 1),
      ...u24Le(height - 1),
    ]),
} as const;

/** A PDF of so many pages, each of which takes 200 bytes. */
export const pdf = (pages: number): string => {
  const body = Array.from({ length: pages }, (_, page) =>
    `${page + 3} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>\nendobj\n`.padEnd(200, " "),
  );
  const tree = `2 0 obj\n<< /Type /Pages /Kids [] /Count ${pages} >>\nendobj\n`;
  return Buffer.from(`%PDF-1.4\n${body.join("")}${tree}%%EOF`, "latin1").toString("base64");
};
