/**
 * Compares a call's request with the one before: added, changed and removed blocks, in one list in the
 * order of the conversation.
 */

/**
 * Rows of `{ piece, change, was }`: `same`, `new`, `reshaped` (the same block in another form; `was` is
 * the piece before) or `gone`, which keeps its former place.
 */
export function diffWindows(before, now, placeOf) {
  const inNow = new Set(now);
  const inBefore = new Set(before);
  const placesNow = new Set(now.map(placeOf));
  const pieceBefore = new Map(before.map((piece) => [placeOf(piece), piece]));
  const rows = [];
  let at = 0;
  const goneUpTo = (end) => {
    for (; at < end; at++)
      if (!placesNow.has(placeOf(before[at]))) rows.push({ piece: before[at], change: "gone" });
  };
  const placeInBefore = new Map(before.map((piece, index) => [placeOf(piece), index]));
  for (const piece of now) {
    const place = placeOf(piece);
    const index = placeInBefore.get(place);
    // Pieces before it in the old request that are not in the new one left here.
    if (index !== undefined && index >= at) goneUpTo(index);
    const was = pieceBefore.get(place);
    if (inBefore.has(piece)) rows.push({ piece, change: "same" });
    else if (was !== undefined && !inNow.has(was)) rows.push({ piece, change: "reshaped", was });
    else rows.push({ piece, change: "new" });
  }
  goneUpTo(before.length);
  return rows;
}
