/**
 * Bounds of reading the sizes of images and PDFs from bytes that may be anything. What vendors charge for
 * a size is in `tokens/media-price.ts`.
 */
export const MEDIA_DEFAULTS = {
  /** Longest edge of an image that is believed, in pixels. Source: our choice; vendors refuse more than 8,000, JPEG ends at 65,535. */
  largestEdgePixels: 65_535,
  /** Segments of a JPEG looked at before its frame header. Source: our choice; cameras write about 20. */
  jpegSegmentsCount: 200,
  /** Bytes of a PDF that are looked at, half of them at its end. Source: our choice: the page tree lies at either end; about 0.1 s. */
  pdfScannedBytes: 4_194_304,
  /** A PDF has no more pages than one for so many of its bytes: what says more is damaged. Source: our choice; the smallest page object has about as many. */
  pdfPageBytes: 50,
} as const;
