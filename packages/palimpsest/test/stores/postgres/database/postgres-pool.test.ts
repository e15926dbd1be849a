/** A connection that is lost at the worst moment ends no process. */
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { PostgresClient } from "#stores/postgres/database/postgres-pool.ts";
import { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";

class FakeClient extends EventEmitter implements PostgresClient {
  readonly released: (boolean | undefined)[] = [];
  query = () => Promise.resolve({ rows: [] });
  release(isBroken?: boolean): void {
    this.released.push(isBroken);
    this.emit("error", new RangeError("lost as it went back"));
  }
}

/** Like `pg`: announces a new connection at once, hands it over later, and loses it in between. */
class FakePool extends EventEmitter {
  readonly client = new FakeClient();

  connect(): Promise<FakeClient> {
    if (this.client.released.length === 0) this.emit("connect", this.client);
    const handed = Promise.resolve(this.client);
    this.client.emit("error", new RangeError("lost as it was made"));
    return handed;
  }
}

it("listens to connections from their making on, and once", async () => {
  expect(() => new FakeClient().release()).toThrow("lost as it went back");
  const pool = new FakePool();
  const store = new PostgresSessionStore({ pool, hasher: nodeHasher });
  new PostgresSessionStore({ pool, hasher: nodeHasher, schema: "another" });
  pool.emit("error", new RangeError("an idle one is lost"));
  for (let times = 0; times < 3; times++) expect(await store.list()).toEqual([]);
  expect(pool.client.released).toEqual([false, false, false]);
  expect([
    pool.listenerCount("error"),
    pool.listenerCount("connect"),
    pool.client.listenerCount("error"),
  ]).toEqual([1, 1, 1]);
});
