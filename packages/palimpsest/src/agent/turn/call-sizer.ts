/**
 * The size of a request from those who know better than an estimate: the vendor's counting endpoint, and
 * its models endpoint for the limits. Whatever they do, the call goes on.
 */
import { errorMessage } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import type { ReportedLimits } from "../../ports/model-client.ts";
import { askWithin } from "../../session/model/ask-within.ts";
import type { CallRequest } from "../../session/options/prepared-call.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { CountingChain, needsCounter } from "../../tokens/count/counting-chain.ts";
import type { AgentOptions, AgentWorld } from "../options/agent-options.ts";

/** The vendor's models endpoint is asked for limits for this long, in milliseconds. Our choice: the catalogue is in. */
const LIMITS_TIMEOUT_MS = 5_000;
/** A counting endpoint is asked for this long, in milliseconds. Our choice: the estimate is in. */
const COUNTER_TIMEOUT_MS = 5_000;

export class CallSizer {
  readonly #session: Session;
  readonly #options: AgentOptions;
  readonly #world: AgentWorld;
  readonly #chain: CountingChain | undefined;
  /** Models whose limits were asked for. */
  readonly #asked = new Set<string>();

  constructor(session: Session, options: AgentOptions, world: AgentWorld) {
    this.#session = session;
    this.#options = options;
    this.#world = world;
    const counters = options.counters ?? (options.model.counter === undefined ? [] : [options.model.counter]);
    if (counters.length === 0) return;
    const { deadline } = world;
    this.#chain = new CountingChain({
      counters,
      deadline: (work) => askWithin(() => work, { deadline, timeoutMs: COUNTER_TIMEOUT_MS }),
      onFailure: ({ counter, reason }) => this.#tell(counter, reason),
    });
  }

  /** Asks where it matters, and tells the session what was answered. */
  async size(request: CallRequest): Promise<void> {
    await this.#limits(request.model);
    const chain = this.#chain;
    if (chain === undefined) return;
    const { builder } = internalsOf(this.#session);
    const looked = await internalsOf(this.#session).inTurn(() => builder.look(request));
    const { figure, thresholds, countable, isEdited } = looked;
    if (isEdited || !needsCounter(figure, thresholds)) return;
    const counted = await chain.count({ figure, thresholds, request: countable });
    if (counted !== figure)
      await internalsOf(this.#session).inTurn(async () => builder.counted(looked, counted));
  }

  async #limits(model: string): Promise<void> {
    const { model: client } = this.#options;
    if (client.limits === undefined || this.#asked.has(model)) return;
    this.#asked.add(model);
    try {
      const limits = await askWithin(
        async (signal): Promise<ReportedLimits | undefined> => client.limits?.(model, { signal }),
        { deadline: this.#world.deadline, timeoutMs: LIMITS_TIMEOUT_MS },
      );
      if (isObject(limits)) internalsOf(this.#session).budgets.vendorReported(model, limits);
    } catch (error) {
      this.#tell(`${client.provider} models`, errorMessage(error));
    }
  }

  #tell(counter: string, reason: string): void {
    internalsOf(this.#session).emit({ type: "counter-failed", counter, reason });
  }
}
