/**
 * How a session keeps notes, as a host says it.
 */
import type { EditArguments } from "../../notes/permissions.ts";
import type { ModelClient } from "../../ports/model-client.ts";

/** How the notes of a session are kept. Everything may be left out. */
export interface NotesOptions {
  /**
   * Who brings them up to date while the agent works. `forked`: the session's model, on the conversation as its cache
   * holds it. `cold`: a model that reads what is new as a transcript. `extractive`: no model.
   * @defaultValue `forked`
   */
  readonly updater?: "forked" | "cold" | "extractive";
  /** Writes cold updates. @defaultValue `summaryModel`, or else the session's model */
  readonly model?: ModelClient;
  /** The sections, in the place of the usual ten: headings with a line in italics below each. */
  readonly template?: string;
  /** What the updater is asked, in the place of the usual words; see `docs/reference/notes.md` for its variables. */
  readonly prompt?: string;
  /** Highest share of the session's cost that updates may have, or `off`. @defaultValue `costShareCap`, 0.05 */
  readonly costShareCap?: number | "off";
  /** Whether an update waits for enough of the conversation and for a pause. @defaultValue `true` */
  readonly isGated?: boolean;
  /**
   * The host's edit tool, which a forked updater may call on the notes' path and on nothing else; the session carries
   * the edit out itself. Without one the model answers with patches.
   */
  readonly editTool?: { readonly name: string; readonly arguments?: EditArguments };
  /** How long one update may take, in milliseconds. @defaultValue `updateTimeoutMs`, 120,000 */
  readonly updateTimeoutMs?: number;
}
