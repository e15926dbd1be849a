/** One box of words beside the pointer. It repeats what the page says elsewhere: no key or reader needs it. */
import { byId } from "./elements.js";

const GAP = 14;

export function showTooltip(event, children) {
  const box = byId("tooltip");
  box.replaceChildren(...children);
  box.hidden = false;
  const { innerWidth, innerHeight } = window;
  const { width, height } = box.getBoundingClientRect();
  const right = event.clientX + GAP;
  const below = event.clientY + GAP;
  const left = right + width < innerWidth ? right : Math.max(4, event.clientX - GAP - width);
  const top = below + height < innerHeight ? below : Math.max(4, event.clientY - GAP - height);
  box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

export function hideTooltip() {
  byId("tooltip").hidden = true;
}
