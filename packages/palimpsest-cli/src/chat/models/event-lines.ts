/**
 * The lines of an event stream, for the vendors' SDKs. They search a line from its beginning at every piece of it that
 * arrives, and one keeps every comment until the next event. So each line is passed on whole, and those that no SDK
 * reads, such as the comments that keep a connection open, are left out.
 */
import { Buffer } from "node:buffer";

/** A line other than `data` and `event`, with its end. One byte is one character here. A byte order mark may be first. */
const UNREAD_LINE = /^(?!(?:\xef\xbb\xbf)?(?:data|event))[^\r\n]+(?:\r\n|[\r\n])/gm;
/** Everything up to the last line end. A carriage return at the end of a piece may be half of one. */
const WHOLE_LINES = /^[\s\S]*(?:\n|\r(?!$))/;
const [CARRIAGE_RETURN, LINE_FEED] = [13, 10];

/** Returns a filter that passes the lines on. */
export function eventLines(): TransformStream<Uint8Array, Uint8Array> {
  /** The beginning of a line whose end has not arrived. */
  let begun: Uint8Array[] = [];
  const flush = (controller: TransformStreamDefaultController<Uint8Array>): void => {
    enqueueRead(Buffer.concat(begun).toString("latin1"), controller);
    begun = [];
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => {
      if (piece.byteLength === 0) return;
      const isCutAtReturn = begun.at(-1)?.at(-1) === CARRIAGE_RETURN;
      if (isCutAtReturn && piece[0] !== LINE_FEED) flush(controller);
      const end = Buffer.from(piece).toString("latin1").match(WHOLE_LINES)?.[0].length ?? 0;
      if (end === 0) return void begun.push(piece);
      const lines = Buffer.concat([...begun, piece.subarray(0, end)]).toString("latin1");
      begun = end < piece.byteLength ? [piece.subarray(end)] : [];
      enqueueRead(lines, controller);
    },
    flush,
  });
}

function enqueueRead(lines: string, controller: TransformStreamDefaultController<Uint8Array>): void {
  const read = lines.replace(UNREAD_LINE, "");
  if (read !== "") controller.enqueue(Buffer.from(read, "latin1"));
}
