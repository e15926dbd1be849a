/**
 * The scripts of the goldens: every layer, every wire format, notes, memories, recovery from refusals, and the calls
 * that a host makes by hand.
 */
import { FAILURES } from "./failure-scripts.ts";
import { HOSTS } from "./host-scripts.ts";
import { CONVERSATIONS, MEMORIES } from "./memory-scripts.ts";
import type { Script } from "./script.ts";
import { NOTES, SUMMARIES, WINDOWS } from "./window-scripts.ts";

export const SCRIPTS: readonly Script[] = [
  ...WINDOWS,
  ...SUMMARIES,
  ...NOTES,
  ...FAILURES,
  ...HOSTS,
  ...MEMORIES,
  ...CONVERSATIONS,
];
