/** Pointers on a picture whose columns are calls: one that points, one that picks, by mouse, pen or finger. */

/**
 * `callAt` tells the call at a place of the window. Pressing picks a call, and so does moving while
 * pressed; a mouse that only moves points at it.
 */
export function listenToCalls(target, { callAt, onPoint, onPick, onLeave }) {
  target.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    target.setPointerCapture(event.pointerId);
    onPick(callAt(event));
  });
  target.addEventListener("pointermove", (event) => {
    const isPressed = target.hasPointerCapture(event.pointerId);
    const isPointing = event.pointerType === "mouse";
    if (!isPressed && !isPointing) return;
    const call = callAt(event);
    if (isPressed) onPick(call);
    if (isPointing) onPoint(event, call);
  });
  target.addEventListener("pointerleave", onLeave);
}

/** The call at a place of a chart of `count` calls. */
export function callIn(chart, count, { clientX }) {
  const { left, width } = chart.over.getBoundingClientRect();
  const at = Math.floor(((clientX - left) / width) * count);
  return Math.max(0, Math.min(count - 1, at));
}
