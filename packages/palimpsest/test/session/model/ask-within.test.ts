import { describe, expect, it } from "vitest";
import { type AskLimits, askWithin } from "#session/model/ask-within.ts";
import { FakeDeadline } from "#test/helpers/conversation-memory.ts";

/** The outcome, the work's signal, and how many time limits and listeners are left. */
async function ask(
  work: (signal: AbortSignal) => unknown,
  { signal, act }: { readonly signal?: AbortSignal; readonly act?: (deadline: FakeDeadline) => void } = {},
) {
  const deadline = new FakeDeadline();
  let inner: AbortSignal | undefined;
  const limits: AskLimits = { deadline, timeoutMs: 5_000, signal };
  const asked = askWithin(async (given) => {
    inner = given;
    return work(given);
  }, limits);
  const outcome = asked.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await Promise.resolve();
  await Promise.resolve();
  act?.(deadline);
  const ended = await outcome;
  await Promise.resolve();
  return {
    ...ended,
    wasStarted: inner !== undefined,
    isAborted: inner?.aborted,
    left: deadline.waiting.length,
  };
}
const never = (): Promise<never> => new Promise(() => {});

describe("asking within a limit", () => {
  it("ends with the answer, and leaves no time limit behind", async () => {
    expect(await ask(() => "yes")).toEqual({ value: "yes", wasStarted: true, isAborted: false, left: 0 });
  });

  it("ends with what the work threw, at once or later", async () => {
    const error = new TypeError("broken");
    const thrown = await ask(() => {
      throw error;
    });
    const rejected = await ask(() => Promise.reject(error));
    expect([thrown, rejected].map((one) => "error" in one && one.error)).toEqual([error, error]);
    expect([thrown.left, rejected.left]).toEqual([0, 0]);
  });

  it("ends with the time limit, which the work is told of and not waited for", async () => {
    const ended = await ask(never, { act: (deadline) => deadline.end() });
    expect(ended).toMatchObject({
      error: { code: "MODEL_FAILED", kind: "timeout", message: "The model did not answer within 5000 ms." },
      isAborted: true,
      left: 0,
    });
  });

  it("ends with an abort and its reason, and the work is told", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const ended = await ask(never, { signal: stop.signal, act: () => stop.abort(reason) });
    expect(ended).toMatchObject({ error: reason, isAborted: true, left: 0 });
  });

  it("does not begin what was aborted before", async () => {
    const ended = await ask(() => "yes", { signal: AbortSignal.abort(new Error("enough")) });
    expect(ended).toMatchObject({ error: { message: "enough" }, wasStarted: false, left: 0 });
  });

  it("drops what the work says after its time, also where it throws", async () => {
    let fail = (_: unknown): void => undefined;
    const work = () => new Promise((_, reject) => (fail = reject));
    const ended = await ask(work, { act: (deadline) => deadline.end() });
    fail(new Error("too late"));
    await Promise.resolve();
    expect(ended).toMatchObject({ error: { kind: "timeout" } });
  });

  it("listens to a caller's signal only as long as it waits", async () => {
    const stop = new AbortController();
    let listening = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    Object.assign(stop.signal, {
      addEventListener: (...given: Parameters<typeof addEventListener>) => {
        listening++;
        addEventListener.apply(stop.signal, given);
      },
      removeEventListener: (...given: Parameters<typeof removeEventListener>) => {
        listening--;
        removeEventListener.apply(stop.signal, given);
      },
    });
    await ask(() => "yes", { signal: stop.signal });
    expect(listening).toBe(0);
  });
});
