/** Ctrl-Z in the chat: the shell gets the terminal until `fg`. */
import type { TUI } from "./pi-tui.ts";

/**
 * Time after which the screen is drawn again, in milliseconds. While the program is stopped it does not pass, so it is only
 * noticed where there is no shell that could continue the program: there the signal has no effect.
 */
const STOPPED_WITHIN_MS = 50;

/** Leaves the screen and stops the program; draws the screen again once it goes on, unless the chat is over by then. */
export function suspend(tui: TUI, isOver: () => boolean): void {
  if (process.platform === "win32") return;
  tui.stop();
  setTimeout(() => {
    if (isOver()) return;
    tui.start();
    tui.requestRender(true);
  }, STOPPED_WITHIN_MS);
  // The whole group, as the terminal does it: a program that started this one is stopped, too.
  process.kill(0, "SIGTSTP");
}
