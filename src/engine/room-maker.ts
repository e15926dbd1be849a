/**
 * Making room: the planner of the session's policy, fed with what it needs from the log.
 */
import { costPolicy, DEFAULT_POLICY } from "../compaction/cost-policy.ts";
import type { Room, RoomMade } from "../compaction/room.ts";
import { type SummarySources, WindowPlanner } from "../compaction/window-planner.ts";
import type { WindowOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";

export class RoomMaker {
  /** Layers that are switched off, by name. */
  readonly disabledLayers: ReadonlySet<string>;
  readonly #parts: Pick<SessionParts, "digest" | "pins" | "writer">;
  readonly #planner: WindowPlanner | undefined;
  #isResumed = false;

  constructor(parts: Pick<SessionParts, "digest" | "pins" | "writer">, options: WindowOptions) {
    this.#parts = parts;
    this.disabledLayers = new Set(options.disabledLayers ?? []);
    const policy = costPolicy(options.policy ?? DEFAULT_POLICY);
    this.#planner = policy === undefined ? undefined : new WindowPlanner(policy);
  }

  /** Whether the policy leaves the window alone. */
  get isOff(): boolean {
    return this.#planner === undefined;
  }

  async make(room: Room): Promise<RoomMade> {
    const nothing: RoomMade = { edits: [], usedTokens: room.usedTokens };
    if (this.#planner === undefined) return nothing;
    this.#resume(this.#planner, room);
    const plan = this.#planner.plan(room);
    if (plan !== "needs-log") return plan;
    const again = this.#planner.plan(room, await this.#sources());
    return again === "needs-log" ? nothing : again;
  }

  /** The request leaves: what was planned was carried out, and left messages of `messagesTokens`. */
  called(room: Room, made: RoomMade, messagesTokens: number): void {
    this.#planner?.called(room, made, messagesTokens);
  }

  /** Of a session that was opened, the log tells how many calls have carried what is in the window. */
  #resume(planner: WindowPlanner, room: Room): void {
    if (this.#isResumed) return;
    this.#isResumed = true;
    const { callSeqs, activeEdits } = this.#parts.writer.projection;
    const boundary = activeEdits.findLast(({ edit }) => "isBoundary" in edit && edit.isBoundary === true);
    const since = callSeqs.filter((seq) => seq > (boundary?.seq ?? 0)).length;
    if (since > 0) planner.resumed(room, since);
  }

  async #sources(): Promise<SummarySources> {
    return { digest: await this.#parts.digest.get(), pinned: await this.#parts.pins.texts() };
  }
}
