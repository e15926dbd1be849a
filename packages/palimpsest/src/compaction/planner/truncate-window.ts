/**
 * The end stop of the planner: truncates what makes a request too large after every other layer.
 */
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { planPeel } from "../layers/truncate-newest/truncate-newest.ts";
import { measureMessages } from "../shared/measure.ts";
import { type Room, type RoomMade, tokensAfter, visibleAfter } from "../shared/window-state.ts";
import { countLoss } from "../summary/loss-report.ts";

/** The end stop: what is still too large is shown in part, whatever it is. */
export function peelRoom(room: Room, made: RoomMade): RoomMade {
  const { blockingTokens } = room.budget;
  if (made.usedTokens < blockingTokens) return made;
  const visible = visibleAfter(room, made.edits);
  const maxTokens = Math.floor(
    (blockingTokens * ENGINE_DEFAULTS.peelShare - room.fixedTokens) / room.padding,
  );
  const mayShorten = (message: VisibleMessage): boolean =>
    room.editSafety === "permissive" || message.seq > room.lastCallSeq;
  const leftAlone = measureMessages(
    visible.filter((message) => !mayShorten(message)),
    room.measure,
  );
  const peelable = visible.filter(mayShorten);
  const edit = planPeel(peelable, maxTokens - leftAlone, room.measure, room.pins, room);
  if (edit === undefined) return made;
  const edits = [...made.edits, { ...edit, loss: countLoss(edit, room) }];
  return { edits, usedTokens: tokensAfter(room, edits) };
}
