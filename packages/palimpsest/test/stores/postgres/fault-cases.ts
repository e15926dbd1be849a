/**
 * Every statement of a workload fails in turn: before it reaches the server, or after it was carried
 * out and its answer was lost. Nothing acknowledged is lost, nothing is stored twice, and the same log
 * goes on.
 */

import { all, message, seqs, textOf } from "palimpsest-testing/internal";
import { expect } from "vitest";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { PostgresQueryable } from "#stores/postgres/database/postgres-pool.ts";
import { emptyStore, type TestDatabase } from "../../../../../test/helpers/postgres.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";
import type { Case } from "./engine-cases.ts";

type Fault = "never sent" | "answer lost" | "deadlock";

/** A connection whose statement number `failAt` fails, and then `times - 1` more. */
function faulty(
  database: TestDatabase,
  plan: { readonly failAt: number; readonly fault: Fault; readonly times: number },
) {
  let count = 0;
  const connection: PostgresQueryable = {
    query: async (text, values) => {
      count++;
      const fails = count >= plan.failAt && count < plan.failAt + plan.times;
      if (fails && plan.fault === "deadlock")
        throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
      const rows = fails && plan.fault === "never sent" ? [] : await database.run(text, values);
      if (fails) throw new Error("Connection terminated unexpectedly");
      return { rows };
    },
  };
  return { connection, hasFailed: () => count >= plan.failAt };
}

/** By default every fifth statement; each fault begins at another one. */
const STEP = bySize({ usual: 5, long: 1 });
const firstOf = (fault: Fault): number => 1 + (FAULTS.indexOf(fault) % STEP);

const FAULTS: readonly Fault[] = ["never sent", "answer lost", "deadlock"];

export const faultCases: readonly Case[] = [
  ...FAULTS.map(
    (fault): Case => ({
      name: `a statement that fails once is made again (${fault})`,
      run: async (database) => {
        const { store, again } = await emptyStore(database);
        for (let failAt = firstOf(fault); ; failAt += STEP) {
          const { connection, hasFailed } = faulty(database, { failAt, fault, times: 1 });
          const id = `s-${failAt}`;
          const log = await again({ pool: connection }).create(id);
          await log.append([message(1, "one"), message(2, "two")]);
          await log.append([message(3, "three")]);
          await log.putBlob(nodeHasher.sha256("x"), "x");
          await log.append([message(4, "four")]);
          expect(seqs(await all(log)), `statement ${failAt}`).toEqual([1, 2, 3, 4]);
          await log.close();
          const trashing = again({ pool: connection });
          await trashing.trash(id, { at: 1, reason: "test" });
          await trashing.restore(id);
          expect(seqs(await all(await store.open(id))), `statement ${failAt}`).toEqual([1, 2, 3, 4]);
          await trashing.trash(id, { at: 1, reason: "test" });
          await trashing.purge(id);
          if (!hasFailed()) return;
        }
      },
    }),
  ),
  ...FAULTS.map(
    (fault): Case => ({
      name: `an append that fails for good is no part of the log that goes on (${fault})`,
      run: async (database) => {
        const { again } = await emptyStore(database);
        for (let failAt = firstOf(fault), isDone = false; !isDone; failAt += STEP) {
          const { connection, hasFailed } = faulty(database, { failAt, fault, times: 1 });
          const store = again({ pool: connection, retryForMs: 0 });
          const id = `s-${failAt}`;
          const reported: string[] = [];
          const log = await store.create(id).catch(() => store.create(id));
          for (let count = 1; reported.length < 4; count++) {
            // As an engine does: repeats a failed entry with the same number and another id.
            const seq = reported.length + 1;
            const entry = { ...message(seq, `try ${count}`), id: `id-${count}` };
            const outcome = await log.append([entry]).then(
              () => "stored",
              (error: { code?: string }) => error.code,
            );
            expect(["stored", "STORE_FAILED"], `statement ${failAt}`).toContain(outcome);
            if (outcome === "stored") reported.push(`try ${count}`);
          }
          const reader = await again().open(id);
          const texts = (await all(reader)).entries.map(({ entry }) => textOf(entry));
          expect(texts, `statement ${failAt}`).toEqual(reported);
          await log.close();
          isDone = !hasFailed();
        }
      },
    }),
  ),
  {
    name: "an append whose answer was lost is acknowledged when its caller makes it again",
    run: async (database) => {
      const { again } = await emptyStore(database);
      const { connection } = faulty(database, { failAt: 5, fault: "answer lost", times: 1 });
      const log = await again({ pool: connection, retryForMs: 0 }).create("s");
      await expect(log.append([message(1, "one")])).rejects.toMatchObject({ code: "STORE_FAILED" });
      expect(await log.append([message(1, "one")])).toEqual([1]);
      expect(seqs(await all(log))).toEqual([1]);
    },
  },
  {
    name: "notes are the old ones or the new ones, whichever statement fails or loses its answer",
    run: async (database) => {
      for (const fault of ["answer lost", "never sent"] as const)
        for (let failAt = firstOf(fault), isDone = false; !isDone; failAt += STEP) {
          const { store, again } = await emptyStore(database, { lease: false });
          const log = await store.create("s");
          await log.append([message(1, "one")]);
          await log.notes?.replace(undefined, "old");
          const { connection, hasFailed } = faulty(database, { failAt, fault, times: 1 });
          const { notes } = await again({ pool: connection }).open("s");
          expect(await notes?.replace("old", "new"), `${fault} at statement ${failAt}`).toBe(true);
          expect(await notes?.replace("old", "newer")).toBe(false);
          expect(await log.notes?.read()).toBe("new");
          isDone = !hasFailed();
        }
    },
  },
  {
    name: "a database that stays away is told of in the same call, with what to do",
    run: async (database) => {
      const { again } = await emptyStore(database);
      const { connection } = faulty(database, {
        failAt: 1,
        fault: "never sent",
        times: Number.POSITIVE_INFINITY,
      });
      const store = again({ pool: connection, retryForMs: 60 });
      const uses: readonly (() => Promise<unknown>)[] = [
        () => store.create("s"),
        () => store.open("s"),
        () => store.list(),
        () => store.describe(),
        () => store.find("s"),
        () => store.listTrash(),
        () => store.trash("s", { at: 1, reason: "test" }),
        () => store.restore("s"),
        () => store.purge("s"),
        () => store.migrate(),
      ];
      for (const use of uses)
        await expect(use(), String(use)).rejects.toMatchObject({
          code: "STORE_FAILED",
          hint: expect.stringContaining("try again"),
          cause: expect.objectContaining({ message: "Connection terminated unexpectedly" }),
        });
    },
  },
];
