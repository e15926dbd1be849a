/** `palimpsest/testing/arbitraries`: random histories with the damage that real ones have. Needs the peer `fast-check`. */
export { anyMessage, anyText, type HistoryStep, history } from "../../testing/arbitraries.ts";
