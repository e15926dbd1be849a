/**
 * The parts of the terminal library that the chat uses. The published package has them within (`scripts/build.mjs`), because
 * an optional dependency of the library runs a script when it is installed.
 */
export {
  CombinedAutocompleteProvider,
  type Component,
  Editor,
  isKeyRelease,
  Markdown,
  type MarkdownTheme,
  matchesKey,
  StdinBuffer,
  setCapabilities,
  setKittyProtocolActive,
  type Terminal as TuiTerminal,
  TUI,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
