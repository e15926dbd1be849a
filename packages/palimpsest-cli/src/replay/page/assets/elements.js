/**
 * Elements of the page. Text from a session only ever becomes a text node: nothing here makes markup
 * of a string.
 */

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a string is a text, `undefined` and `false` are nothing. */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false) continue;
    if (name === "on")
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined && child !== false));
  return made;
}

/** A shape of 12 by 12 that takes the colour of the text around it. */
export function shape(path) {
  const svg = document.createElementNS(SVG, "svg");
  const outline = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "-6 -6 12 12");
  svg.setAttribute("class", "shape");
  svg.setAttribute("aria-hidden", "true");
  outline.setAttribute("d", path);
  svg.append(outline);
  return svg;
}

/** The element of the page with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Puts children into the element of the page with this id, in place of what is there. */
export function fill(id, ...children) {
  byId(id).replaceChildren(...children.flat().filter((child) => child !== undefined && child !== false));
}
