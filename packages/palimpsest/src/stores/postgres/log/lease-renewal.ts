/**
 * Keeps the leases of a store's writers alive: one statement for all of them at each beat, while there
 * are any.
 *
 * A beat that fails is left to the next one; whether a lease still holds is judged by the append itself,
 * whose condition is the lease's token. Time is the database's.
 */
import type { Timer } from "../../../ports/runtime.ts";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";

interface LeaseRenewalOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly timer: Timer;
  readonly ttlMs: number;
  readonly beatMs: number;
}

export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions;
  readonly #held = new Map<number, number>();
  #stop: (() => void) | undefined;
  #isBeating = false;

  constructor(options: LeaseRenewalOptions) {
    this.#options = options;
  }

  /** A session's lease is to be renewed from now on. */
  hold(key: number, token: number): void {
    this.#held.set(key, token);
    this.#stop ??= this.#options.timer.every(this.#options.beatMs, () => void this.#beat());
  }

  /** No more, if it is that lease. */
  drop(key: number, token: number): void {
    if (this.#held.get(key) === token) this.#held.delete(key);
    if (this.#held.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    const held = [...this.#held];
    const { database, tables, ttlMs } = this.#options;
    try {
      const { rows } = await database.run({
        what: "The leases could not be renewed",
        isOnce: true,
        text: `UPDATE ${tables.sessions} s SET lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
          FROM unnest($1::bigint[], $2::bigint[]) AS held (key, token)
          WHERE s.key = held.key AND s.lease_token = held.token AND s.lease_owner IS NOT NULL RETURNING s.key AS "key"`,
        values: [held.map(([key]) => key), held.map(([, token]) => token), ttlMs],
      });
      const renewed = new Set(rows.map(({ key }) => Number(key)));
      for (const [key, token] of held) if (!renewed.has(key)) this.drop(key, token);
    } catch {
      // The next beat tries again, and a lease outlives one that was missed.
    } finally {
      this.#isBeating = false;
    }
  }
}
