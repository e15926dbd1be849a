/** A compaction by hand leaves nothing in the log, in the window or in the next request that the user did not say. */
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#ports/model-client.ts";
import { SUMMARY } from "#test/agent/fake-model.ts";
import { type Stage, type StageOptions, setTheStage, wordsOf } from "#test/agent/stage.ts";

/** Some turns, each with a question and an answer. */
async function conversation(options: StageOptions = {}, turns = 10): Promise<Stage> {
  const stage = await setTheStage({ answer: (_, index) => `Answer ${index}. ${wordsOf(400)}`, ...options });
  for (let index = 0; index < turns; index++) await stage.session.turn(`Question ${index}.`);
  return stage;
}

const entriesOf = async ({ session }: Stage): Promise<string> => {
  const kinds: string[] = [];
  for (const { origin, role } of session.session.visible) kinds.push(`${origin} ${role}`);
  return kinds.join(", ");
};

const textsOf = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap(({ role, content }) =>
    content.flatMap((block) => (role === "user" && block.type === "text" ? [block.text] : [])),
  );

describe.each(["permissive", "strict"] as const)("an idle compaction of a %s session", (editSafety) => {
  const window = { editSafety };

  it("leaves the summary, what was kept, and the next question", async () => {
    const stage = await conversation({ window });
    await stage.session.compact();
    await stage.session.turn("NEXT");
    const sent = textsOf(stage.model.requests.at(-1)!);
    expect(sent.at(-1)).toBe("NEXT");
    expect(sent.filter((text) => text.includes("[Continue.]"))).toEqual([]);
    expect(stage.eventNames()).not.toContain("repair");
    const origins = new Set(stage.session.session.visible.map(({ origin }) => origin));
    expect(origins).not.toContain("engine");
  });

  it.each([
    { why: "refused", options: { answer: () => "Yes." }, code: "COMPACTION_REFUSED", turns: 1 },
    {
      why: "vetoed",
      options: { hooks: { preCompact: () => ({ veto: "not now" }) } },
      code: "COMPACTION_VETOED",
      turns: 10,
    },
  ])("that is $why leaves the window as it was", async ({ options, code, turns }) => {
    const stage = await conversation({ window, ...options }, turns);
    const before = await entriesOf(stage);
    await expect(stage.session.compact()).rejects.toMatchObject({ code });
    expect(await entriesOf(stage)).toBe(before);
    expect(stage.eventNames()).not.toContain("repair");
  });

  it("that is aborted leaves the window as it was", async () => {
    const stop = new AbortController();
    const stage = await conversation({
      window,
      summary: () => {
        stop.abort();
        return SUMMARY;
      },
    });
    const before = await entriesOf(stage);
    await expect(stage.session.compact({ signal: stop.signal })).rejects.toMatchObject({ code: "ABORTED" });
    expect(await entriesOf(stage)).toBe(before);
    expect(stage.eventNames()).not.toContain("repair");
  });
});

describe("a call that is prepared with nothing new to say", () => {
  it("asks the model to continue, once the compaction before it is done", async () => {
    const stage = await conversation();
    await stage.session.compact();
    const { messages } = await stage.session.prepare();
    expect(messages.at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "[Continue.]" }] });
  });
});
