/** `palimpsest-testing/arbitraries`: random histories with the damage that real ones have. Needs `fast-check` 4 beside this package. */
export { anyMessage, anyText, type HistoryStep, history } from "../generators/arbitraries.ts";
