/**
 * A text without its breaks, and the places where it was put together: a key may begin and end there, although the
 * words on both sides are one word now.
 */
import { firstIndex } from "../lists.ts";
import type { Joints } from "./secret-patterns.ts";

/** A stretch without breaks: where it is in the text, and where in the text without breaks. */
export interface Piece {
  /** True if the break before it says that it goes on, as the end of a line does not. */
  readonly isRest: boolean;
  readonly at: number;
  readonly joinedAt: number;
  readonly text: string;
}

/** Breaks before and behind a place that a key is looked for between: it is seldom broken more than twice. */
const STRETCHES = [
  [0, 1],
  [-1, 0],
  [-1, 1],
  [0, 2],
] as const;

/** The joints of a text that these pieces make. */
export function jointsOf(pieces: readonly Piece[]): Joints {
  /** Index of the last piece that begins at this place or before. */
  const pieceAt = (joinedAt: number): number =>
    firstIndex(pieces.length, (index) => pieces[index]!.joinedAt > joinedAt) - 1;
  const endOf = ({ joinedAt, text }: Piece): number => joinedAt + text.length;
  return {
    isStart: (at) => pieces[pieceAt(at)]?.joinedAt === at,
    around: (at) => {
      const index = pieceAt(at);
      return STRETCHES.flatMap(([before, behind]) => {
        const [first, last] = [pieces[index + before], pieces[index + behind]];
        return first === undefined || last === undefined ? [] : [{ from: first.joinedAt, to: endOf(last) }];
      });
    },
  };
}
