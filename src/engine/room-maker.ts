/**
 * Making room: the planner of the session's policy, fed with what it needs from the log.
 */
import { costPolicy, DEFAULT_POLICY } from "../compaction/cost-policy.ts";
import type { Room, RoomMade } from "../compaction/room.ts";
import { type SummarySources, WindowPlanner } from "../compaction/window-planner.ts";
import type { Tariff } from "../tokens/tariff.ts";
import type { WindowOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";

export class RoomMaker {
  /** Layers that are switched off, by name. */
  readonly disabledLayers: ReadonlySet<string>;
  readonly #parts: Pick<SessionParts, "digest" | "pins">;
  readonly #options: WindowOptions;
  readonly #tariffOf: (model: string) => Tariff;
  #planner: { readonly tariff: Tariff; readonly planner: WindowPlanner } | undefined;

  constructor(
    parts: Pick<SessionParts, "digest" | "pins">,
    options: WindowOptions,
    tariffOf: (model: string) => Tariff,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#tariffOf = tariffOf;
    this.disabledLayers = new Set(options.disabledLayers ?? []);
  }

  /** Whether the policy leaves the window alone. */
  get isOff(): boolean {
    return this.#options.policy === "off";
  }

  async make(room: Room, model: string): Promise<RoomMade> {
    const planner = this.#plannerFor(model);
    const plan = planner?.plan(room) ?? { edits: [], usedTokens: room.usedTokens };
    if (plan !== "needs-log") return plan;
    const again = planner!.plan(room, await this.#sources());
    return again === "needs-log" ? { edits: [], usedTokens: room.usedTokens } : again;
  }

  /** The request leaves: what was planned was carried out, and left messages of `messagesTokens`. */
  called(room: Room, made: RoomMade, messagesTokens: number): void {
    this.#planner?.planner.called(room, made, messagesTokens);
  }

  async #sources(): Promise<SummarySources> {
    return { digest: await this.#parts.digest.get(), pinned: await this.#parts.pins.texts() };
  }

  /** Another tariff has another idea of what was paid, so its ledger begins anew. */
  #plannerFor(model: string): WindowPlanner | undefined {
    const policy = costPolicy(this.#options.policy ?? DEFAULT_POLICY);
    if (policy === undefined) return undefined;
    const tariff = this.#tariffOf(model);
    if (this.#planner?.tariff !== tariff)
      this.#planner = { tariff, planner: new WindowPlanner(policy, tariff) };
    return this.#planner.planner;
  }
}
