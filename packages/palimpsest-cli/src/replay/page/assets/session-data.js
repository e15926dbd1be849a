/**
 * The session as the page holds it, opened: which pieces the request of a call was made of, and what
 * was edited before it.
 */

/** Calls between two windows that are kept whole; those between them are made from the one before. */
const KEPT_EVERY = 64;

export function openSession(data) {
  const kept = new Map([[-1, []]]);
  const editsOf = data.calls.map(() => []);
  for (const edit of data.edits) editsOf[Math.min(edit.call, data.calls.length - 1)]?.push(edit);
  const places = data.pieces.map(({ source, block }) => `${source}.${block}`);

  /** Indexes of the pieces of a request, in its order. */
  const windowOf = (call) => {
    let start = call;
    while (!kept.has(start)) start--;
    let pieces = kept.get(start);
    for (let index = start + 1; index <= call; index++) {
      pieces = decodePieces(pieces, data.calls[index].pieces);
      if (index % KEPT_EVERY === 0) kept.set(index, pieces);
    }
    return pieces;
  };
  return {
    ...data,
    editsOf,
    windowOf,
    /** The block that a piece is a form of. */
    placeOf: (piece) => places[piece],
    sourceOf: (piece) => data.sources[data.pieces[piece].source],
  };
}

/** The other half of the recorder's `encodePieces`. */
export function decodePieces(before, [head, tail, ...runs]) {
  const pieces = before.slice(0, head);
  for (let at = 0; at < runs.length; at += 2)
    for (let next = 0; next < runs[at + 1]; next++) pieces.push(runs[at] + next);
  return tail === 0 ? pieces : pieces.concat(before.slice(before.length - tail));
}
