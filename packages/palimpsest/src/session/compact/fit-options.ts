/** The options by which the messages of a request are made to fit, and the window that results. */
import type { PreparedCall } from "../options/prepared-call.ts";
import type { FixedPart } from "../window/fixed-part.ts";
import type { CompactionCollaborators } from "./collaborators.ts";
import type { SummarySourcing } from "./obtain-summary.ts";
import type { WindowRestorer } from "./restore-window.ts";
import type { ByHand } from "./summary-request.ts";

/** The help of a session with a model. */
export interface CompactionHelp extends Pick<CompactionCollaborators, "hooks" | "notes"> {
  readonly summaries: SummarySourcing;
  readonly restorer: WindowRestorer;
}

/** Options of one request that is made to fit. */
export interface FitOptions {
  /** Given by a session with a model. Without it, summaries are made from the log, and so are files that are shown again. */
  readonly help?: CompactionHelp | undefined;
  /** Compact whatever the size of the window, because a person asked for it. */
  readonly byHand?: ByHand | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A window that fits, the edits that made it so, and by how many tokens its messages are fewer, whatever is shown again. */
export interface FittedWindow {
  readonly fixed: FixedPart;
  readonly edits: PreparedCall["edits"];
  readonly freedTokens: number;
}
