import { describe, expect, it } from "vitest";
import { SUMMARY } from "#test/agent/fake-model.ts";
import { callOf, docsTool, type StageOptions, setTheStage as setStage, wordsOf } from "#test/agent/stage.ts";

/** Twenty of these fill the window once. */
const tools = [docsTool(1_600)];
const setTheStage = (options: StageOptions = {}) => setStage({ calls: 20, ...options });

describe("a full window", () => {
  it("is summarised by the model, once for each time it is full", async () => {
    const { session, eventNames } = await setTheStage();
    await session.turn("Read everything.", { tools });
    expect(eventNames()).toEqual(["summary-call forked: written", "full (threshold)"]);
    const summary = session.session.visible[0];
    expect(summary?.origin).toBe("summary");
    expect(JSON.stringify(summary?.blocks)).toContain("mend the parser");
    expect(JSON.stringify(summary?.blocks)).toContain("Read everything.");
  });

  it("shares the request of the conversation to the byte when it asks", async () => {
    const { session, model } = await setTheStage({ calls: 40 });
    await session.turn("Read everything.", {
      tools: [docsTool(800)],
      system: "You read.",
      parameters: { max_tokens: 4_000 },
    });
    const at = model.requests.findIndex((request) =>
      JSON.stringify(request.messages.at(-1)).includes("<summary> tags"),
    );
    const [before, asked] = [model.requests[at - 1], model.requests[at]];
    const { messages: shared, ...rest } = before!;
    expect(asked).toMatchObject({
      model: rest.model,
      system: "You read.",
      // What the window has left. It is not cached.
      parameters: { max_tokens: 3_692 },
    });
    expect(rest.parameters).toEqual({ max_tokens: 4_000 });
    expect(asked?.tools).toBe(rest.tools);
    expect(JSON.stringify(asked?.messages.slice(0, shared.length))).toBe(JSON.stringify(shared));
    expect(asked?.messages.length).toBe(shared.length + 2);
  });

  it.each([
    { name: "goes on with the work", summary: "I go on.", outcome: "not-a-summary" },
    { name: "calls a tool", summary: callOf(99), outcome: "called-a-tool" },
    { name: "answers nothing", summary: "", outcome: "empty" },
    { name: "breaks", summary: new TypeError("fetch failed"), outcome: "network" },
  ])("is summarised without a model where that $name", async ({ summary, outcome }) => {
    const { session, eventNames } = await setTheStage({ summary: () => summary });
    const result = await session.turn("Read everything.", { tools });
    expect(result.endedBy).toBe("done");
    expect(eventNames()).toEqual([`summary-call forked: ${outcome}`, "extractive (threshold)"]);
  });

  it("refuses a summary that is larger than what it is for", async () => {
    const long = SUMMARY.replace("reading.", wordsOf(40_000));
    const { session, eventNames } = await setTheStage({ summary: () => long });
    await session.turn("Read everything.", { tools });
    expect(eventNames()).toEqual([
      "summary-call forked: written",
      "extractive (threshold)",
      "summary-refused",
    ]);
  });

  it("asks no model any more after three failures, until somebody compacts by hand", async () => {
    const { session, eventNames } = await setTheStage({
      calls: 54,
      summary: (_, n) => (n < 3 ? "No." : SUMMARY),
    });
    await session.turn("Read everything.", { tools: [docsTool(2_400)] });
    const asked = eventNames().filter((name) => name.startsWith("summary-call"));
    expect(asked).toHaveLength(3);
    expect(eventNames().filter((name) => name.startsWith("extractive")).length).toBeGreaterThan(3);
    const result = await session.compact();
    expect(result.writtenBy).toBe("claude-sonnet-4-5");
  });

  it("leaves the oldest rounds out where the summary's own request is too long", async () => {
    const tooLong = Object.assign(new Error("prompt is too long: 40000 tokens > 32000 maximum"), {
      status: 400,
    });
    const { session, model, eventNames } = await setTheStage({
      summary: (_, n) => (n < 2 ? tooLong : SUMMARY),
    });
    await session.turn("Read everything.", { tools });
    expect(eventNames()).toEqual([
      "summary-call forked: prompt-too-long",
      "summary-call cold: prompt-too-long",
      "summary-call cold: written",
      "full (threshold)",
    ]);
    const cold = model.requests.filter(({ system }) => system?.startsWith("You summarise"));
    const lengths = cold.map(({ messages }) => JSON.stringify(messages).length);
    expect(lengths[1]).toBeLessThan(lengths[0]! - 8_000 * 3);
    expect(JSON.stringify(cold[1]?.messages)).toContain("did not fit");
    expect(cold[1]?.tools).toBeUndefined();
  });

  it("gives up after three retries that were too long", async () => {
    const tooLong = Object.assign(new Error("prompt is too long"), { status: 400 });
    const { session, eventNames } = await setTheStage({ summary: () => tooLong });
    await session.turn("Read everything.", { tools });
    expect(eventNames()).toEqual([
      "summary-call forked: prompt-too-long",
      "summary-call cold: prompt-too-long",
      "summary-call cold: prompt-too-long",
      "summary-call cold: prompt-too-long",
      "extractive (threshold)",
    ]);
  });

  it("says that a model is asked before it answers, and an abort then leaves the window as it was", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const stage = await setTheStage({
      calls: 3,
      summary: () => {
        seen.push(...stage.events.map(({ type }) => type).filter((type) => type.startsWith("summary")));
        stop.abort();
        return SUMMARY;
      },
    });
    await stage.session.turn("Read three files.", { tools });
    const { visible } = stage.session;
    await expect(stage.session.compact({ signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
    expect(seen).toEqual(["summary-started"]);
    expect(stage.events.find(({ type }) => type === "summary-started")).toEqual({
      ...{ type: "summary-started", trigger: "manual", model: "claude-sonnet-4-5", form: "forked" },
      ...{ attempt: 0, tokens: expect.any(Number), isBackground: false },
    });
    expect(stage.session.visible).toEqual(visible);
    expect((await stage.session.turn("Go on.", { tools })).endedBy).toBe("done");
  });

  it("says of each call for a summary who asked for it, also where two are written at once", async () => {
    let byHand: Promise<unknown> | undefined;
    const stage = await setTheStage({
      summary: (_, index) => {
        if (index > 0) return SUMMARY;
        byHand = stage.session.compact();
        return Object.assign(new Error("prompt is too long"), { status: 400 });
      },
    });
    await stage.session.turn("Read everything.", { tools });
    await byHand;
    const asked = stage.events.flatMap((event) =>
      event.type === "summary-call" ? [`${event.trigger} ${event.attempt} ${event.outcome}`] : [],
    );
    expect(asked.toSorted()).toEqual(["auto 0 prompt-too-long", "auto 1 written", "manual 0 written"]);
  });

  it("takes in what is said meanwhile at once, and shows it behind the summary", async () => {
    let seqs: readonly number[] = [];
    const stage = await setTheStage({
      summary: async () => {
        seqs = await stage.session.append({
          role: "user",
          content: [{ type: "text", text: "Also the lexer." }],
        });
        return SUMMARY;
      },
    });
    const { session, model } = stage;
    await session.turn("Read everything.", { tools });
    const boundary = stage.events.find((event) => event.type === "layer");
    expect(seqs[0]).toBeLessThan(boundary?.type === "layer" ? boundary.seq : 0);
    const next = model.requests.find(({ messages }) => JSON.stringify(messages).includes("Also the lexer."));
    const order = JSON.stringify(next?.messages);
    expect(order.indexOf("mend the parser")).toBeLessThan(order.indexOf("Also the lexer."));
  });

  it("is as it was where the compaction is aborted", async () => {
    const stop = new AbortController();
    const { session, eventNames } = await setTheStage({
      summary: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    await expect(session.turn("Read.", { tools, signal: stop.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(eventNames()).toEqual([]);
    expect(session.session.visible[0]?.origin).toBe("user");
  });

  it("marks what a summary tells and the log does not know", async () => {
    const invented = SUMMARY.replace("src/parser.ts", "src/file3.ts and src/invented.ts");
    const { session } = await setTheStage({ summary: () => invented });
    await session.turn("Read everything.", { tools });
    const text = JSON.stringify(session.session.visible[0]?.blocks);
    expect(text).toContain("src/invented.ts [unverified]");
    expect(text).not.toContain("src/file3.ts [unverified]");
  });
});

describe("hooks", () => {
  it("are asked in order, and change the instructions", async () => {
    const seen: string[] = [];
    const { session, model } = await setTheStage({
      hooks: {
        sessionStart: ({ source }) => {
          seen.push(`sessionStart ${source}`);
          return "The house style is plain.";
        },
        preCompact: ({ trigger, reason }) => {
          seen.push(`preCompact ${trigger} ${reason}`);
          return { instructions: "Keep the names of all birds." };
        },
        postCompact: ({ edits }) => {
          seen.push(`postCompact ${edits[0]?.edit.kind}`);
        },
      },
    });
    await session.turn("Read everything.", { tools });
    expect(seen).toEqual([
      "sessionStart new",
      "preCompact auto threshold",
      "sessionStart compacted",
      "postCompact full",
    ]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("The house style is plain.");
    const asked = model.requests.find(({ messages }) => JSON.stringify(messages).includes("<summary> tags"));
    expect(JSON.stringify(asked?.messages.at(-1))).toContain("Keep the names of all birds.");
  });

  it("may veto: the window stays as it is as long as the request fits, and then the turn ends", async () => {
    const { session, eventNames } = await setTheStage({ hooks: { preCompact: () => ({ veto: "not now" }) } });
    await expect(session.turn("Read everything.", { tools })).rejects.toMatchObject({
      code: "COMPACTION_VETOED",
      message: expect.stringContaining("not now"),
    });
    expect(eventNames()).toContain("compaction-vetoed");
    expect(eventNames().some((name) => name.includes("threshold"))).toBe(false);
  });

  it("that throw or never answer are told and passed over", async () => {
    const { session, eventNames } = await setTheStage({
      hooks: {
        preCompact: () => {
          throw new Error("broken");
        },
      },
    });
    const result = await session.turn("Read everything.", { tools });
    expect(result.endedBy).toBe("done");
    expect(eventNames()).toEqual(["hook-failed", "summary-call forked: written", "full (threshold)"]);
  });
});

describe("a compaction by hand", () => {
  it("follows its instructions", async () => {
    const { session, model } = await setTheStage({ calls: 12 });
    await session.turn("Read everything.", { tools });
    const result = await session.compact({ instructions: "Only the parser matters." });
    expect(result).toMatchObject({ writtenBy: "claude-sonnet-4-5" });
    expect(result.freedTokens).toBeGreaterThan(4_000);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Only the parser matters.");
  });

  it("says how much smaller the window is with what is shown again, and how large it was", async () => {
    const restore = async () => [{ kind: "note", key: "all", text: wordsOf(400) }];
    const { session } = await setTheStage({ calls: 12, restorers: [{ name: "notes", restore }] });
    await session.turn("Read everything.", { tools });
    const before = session.context().usedTokens;
    const { edits, freedTokens } = await session.compact();
    const { usedTokens, shares, lastCompaction } = session.context();
    expect(shares.find(({ category }) => category === "restored")?.tokens).toBeGreaterThan(300);
    expect(freedTokens).toBe(before - usedTokens);
    expect(edits[0]!.edit.freedTokens - freedTokens).toBeGreaterThan(300);
    expect(lastCompaction!.usedTokens / before).toBeGreaterThan(0.95);
    expect(lastCompaction!.usedTokens / before).toBeLessThan(1.05);
  });

  it("of what follows an entry leaves what stands before it as it is", async () => {
    const { session } = await setTheStage({ calls: 12 });
    await session.turn("Read everything.", { tools });
    const before = session.session.visible;
    const pivot = before[8]!.seq;
    await session.compact({ from: pivot });
    const after = session.session.visible;
    expect(after.slice(0, 7).map(({ seq }) => seq)).toEqual(before.slice(0, 7).map(({ seq }) => seq));
    expect(after.at(-1)?.origin).toBe("summary");
  });

  it("of what stands before an entry leaves what follows as it is", async () => {
    const { session } = await setTheStage({ calls: 12 });
    await session.turn("Read everything.", { tools });
    const before = session.session.visible;
    const pivot = before[15]!.seq;
    await session.compact({ upTo: pivot });
    const after = session.session.visible;
    expect(after[0]?.origin).toBe("summary");
    expect(after.at(-1)?.seq).toBe(before.at(-1)?.seq);
    expect(after.length).toBeGreaterThan(8);
  });

  it("that is not enough is no error: nothing is sent", async () => {
    const { session } = await setTheStage({ calls: 2, window: { policy: "faithful" } });
    await session.turn("Read everything.", { tools });
    for (let index = 0; index < 30; index++)
      await session.append({ role: "user", content: [{ type: "text", text: wordsOf(1_500) }] });
    const last = session.session.visible.at(-1)!.seq;
    expect(session.session.tokens.padded).toBeGreaterThan(28_320);
    expect((await session.compact({ from: last })).edits).toHaveLength(1);
    expect(session.session.tokens.padded).toBeGreaterThan(28_320);
  });

  it.each([
    { why: "all of it", options: {}, hint: "Go on without it." },
    { why: "one side of a pivot", options: { upTo: 3 }, hint: expect.stringContaining("`upTo`") },
  ])("is refused where nothing would be gained, before a model is paid for it: $why", async ({
    options,
    hint,
  }) => {
    const { session, eventNames } = await setTheStage({ answer: () => "Yes." });
    await session.turn("Hello.");
    await expect(session.compact(options)).rejects.toMatchObject({ code: "COMPACTION_REFUSED", hint });
    expect(eventNames()).toEqual([]);
  });

  it("asks the hook first, also where nothing would be gained", async () => {
    const { session } = await setTheStage({
      answer: () => "Yes.",
      hooks: { preCompact: () => ({ veto: "not now" }) },
    });
    await session.turn("Hello.");
    await expect(session.compact()).rejects.toMatchObject({ code: "COMPACTION_VETOED" });
  });
});
