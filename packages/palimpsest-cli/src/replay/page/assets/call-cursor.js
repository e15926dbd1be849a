/** Pointers on a picture whose columns are calls: one that points, one that picks, by mouse, pen or finger. */

/**
 * `callAt` returns the call at a place of the window. Pressing selects a call, and so does moving while
 * pressed; moving a mouse without pressing only highlights a call.
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
