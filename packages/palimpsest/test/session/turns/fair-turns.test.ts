import { describe, expect, it } from "vitest";
import { steppedLoop } from "#test/helpers/stepped-loop.ts";

describe("turns of a process", () => {
  it("are not waited for while there was one lately", () => {
    const { turns, work } = steppedLoop();
    expect(turns.take()).toBeUndefined();
    work(3);
    expect(turns.take()).toBeUndefined();
    work(1);
    expect(turns.take()).toBeInstanceOf(Promise);
  });

  it("come one at a time, with a pass of the event loop between two, in the order of asking", async () => {
    const { turns, work, pass } = steppedLoop();
    const seen: string[] = [];
    work(10);
    for (const name of ["a", "b", "c"]) void turns.take()?.then(() => seen.push(name));
    expect(seen).toEqual([]);
    await pass();
    expect(seen).toEqual(["a"]);
    await pass();
    expect(seen).toEqual(["a", "b"]);
    await pass();
    expect(seen).toEqual(["a", "b", "c"]);
    expect(await pass()).toBe(false);
  });

  it("are waited for in line: who comes later does not go first", async () => {
    const { turns, work, pass } = steppedLoop();
    const seen: string[] = [];
    work(10);
    void turns.take()?.then(() => seen.push("a"));
    void turns.take()?.then(() => seen.push("b"));
    await pass();
    void turns.take()?.then(() => seen.push("c"));
    await pass();
    await pass();
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("leave the others one after each stretch of work that somebody waits for", async () => {
    const { turns, work, pass } = steppedLoop();
    let steps = 0;
    const finished = turns.finish(() => {
      work(3);
      return ++steps < 6;
    });
    // The second step ends a stretch of 6 ms.
    expect(steps).toBe(2);
    await pass();
    expect(steps).toBe(4);
    await pass();
    await finished;
    expect(steps).toBe(6);
  });

  it("go to work that has begun before others that wait", async () => {
    const { turns, work, pass } = steppedLoop();
    const order: string[] = [];
    function* inSteps(): Generator<void, string, undefined> {
      for (let step = 0; step < 3; step++) {
        work(10);
        order.push("step");
        yield;
      }
      return "result";
    }
    const result = turns.run(inSteps());
    void turns.take()?.then(() => order.push("other"));
    while (await pass());
    expect(await result).toBe("result");
    expect(order).toEqual(["step", "step", "step", "other"]);
  });

  it("are for work that nobody waits for where nothing else waits, in slices", async () => {
    const { turns, pass } = steppedLoop({ lookMs: 1 });
    let steps = 0;
    turns.whenIdle(() => ++steps < 7);
    expect(steps).toBe(0);
    await pass();
    expect(steps).toBe(2);
    while (await pass());
    expect(steps).toBe(7);
  });

  it("reach idle work in the end, however many wait", async () => {
    const { turns, work, pass } = steppedLoop();
    const order: string[] = [];
    work(10);
    for (let waiter = 0; waiter < 6; waiter++) void turns.take()?.then(() => order.push("turn"));
    turns.whenIdle(() => order.push("idle") < 0);
    while (await pass());
    expect(order).toEqual(["turn", "turn", "turn", "turn", "idle", "turn", "turn"]);
  });
});
