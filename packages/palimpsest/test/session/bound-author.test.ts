/** Thinking that a model binds stays bound when another model is asked, also where the host names no author. */
import { describe, expect, it } from "vitest";
import type { Session } from "#session/session.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";

const BINDING = { model: "claude-opus-5-5" };
const OTHER = { model: "gpt-4.1" };

const thinking = (index: number): Message => ({
  role: "assistant",
  responseId: `r${index}`,
  content: [
    { type: "thinking", thinking: `Thought ${index}.`, signature: "signed" },
    { type: "text", text: `Answer ${index}.` },
  ],
});

/** Reads until something makes the window smaller; the kinds of its edits. */
async function readUntilFull(session: Session, request: { readonly model: string }) {
  for (let turn = 1; turn < 60; turn++) {
    const say = [user(`Read part ${turn}.`), user(result(`c${turn}`, "It reads on and on. ".repeat(90)))];
    const answers = [assistant(`a${turn}`, call(`c${turn}`, "Read")), assistant(`b${turn}`, "Read.")];
    for (const [index, message] of say.entries()) {
      await session.append(message);
      const { edits } = await session.prepare(request);
      if (edits.length > 0) return edits.map(({ seq, edit }) => ({ seq, kind: edit.kind }));
      await session.record({ messages: [answers[index]!] });
    }
  }
  throw new Error("the window was never full");
}

/** A session in which the binding model thought before the other one went on. */
async function switched(how: "record" | "append") {
  const made = await aSession({ windowTokens: 16_000, policy: "faithful" });
  const { session } = made;
  await session.append(user("Think."));
  await session.prepare(BINDING);
  if (how === "record") await session.record({ messages: [thinking(0)] });
  else await session.append(thinking(0));
  return made;
}

describe("a conversation from elsewhere", () => {
  const whole = result("c1", "It reads on and on, line by line.\n".repeat(5_000));
  const list = [
    user("Read it."),
    assistant("r1", call("c1", "Read")),
    user(whole),
    thinking(2),
    user("And now?"),
  ];

  it.each([
    { request: BINDING, how: "append", thoughts: 0 },
    { request: BINDING, how: "reconcile", thoughts: 0 },
    { request: { model: "claude-opus-4-5" }, how: "append", thoughts: 1 },
  ] as const)("shows $thoughts thoughts behind a result that is shown in part ($how, $request.model)", async ({
    request,
    how,
    thoughts,
  }) => {
    const { session, events } = await aSession();
    await session[how](list);
    const { messages } = await session.prepare(request);
    expect(JSON.stringify(messages).split("Thought 2.")).toHaveLength(thoughts + 1);
    expect(JSON.stringify(messages)).toContain("Answer 2.");
    const repairs = events.filter((event) => event.type === "repair" && event.reason === "adopted-thinking");
    expect(repairs).toHaveLength(1 - thoughts);
    await session.record({ messages: [thinking(3)] });
    await session.append(user("Go on."));
    expect(JSON.stringify((await session.prepare(request)).messages)).toContain("Thought 3.");
  });

  it("keeps its thinking where the host says that messages may be rewritten", async () => {
    const { session } = await aSession({ editSafety: "permissive" });
    await session.append(list);
    expect(JSON.stringify((await session.prepare(BINDING)).messages)).toContain("Thought 2.");
  });

  it("keeps its thinking where nothing before it is shown in part", async () => {
    const { session } = await aSession();
    await session.append(list.filter((message) => message.content[0] !== whole));
    expect(JSON.stringify((await session.prepare(BINDING)).messages)).toContain("Thought 2.");
  });

  it("shows no thinking behind a preview that another pointer names, after a rewind that a host does not follow", async () => {
    const { session } = await aSession();
    await session.reconcile(list.slice(0, 1));
    await session.prepare(BINDING);
    await session.record({ messages: [list[1]!] });
    await session.reconcile(list.slice(0, 3));
    await session.prepare(BINDING);
    await session.record({ messages: [thinking(2)] });
    await session.reconcile(list);
    expect(JSON.stringify((await session.prepare(BINDING)).messages)).toContain("Thought 2.");
    await session.rewind(1);
    await session.reconcile(list);
    expect(JSON.stringify((await session.prepare(BINDING)).messages)).not.toContain("Thought 2.");
  });
});

describe("a session that holds bound thinking", () => {
  it.each(["record", "append"] as const)("is strict on another model, too (%s)", async (how) => {
    const { session } = await switched(how);
    const edits = await readUntilFull(session, OTHER);
    expect(edits.map(({ kind }) => kind)).toEqual(["extractive"]);
  });

  it("is strict after opening it again", async () => {
    const { session, reopen } = await switched("record");
    await session.append(user("Go on."));
    await session.prepare(OTHER);
    await session.record({ messages: [assistant("b", "Yes.")] });
    await session.close();
    const edits = await readUntilFull(await reopen(), OTHER);
    expect(edits.map(({ kind }) => kind)).toEqual(["extractive"]);
  });

  it("refuses an undo behind such thinking while another model is asked", async () => {
    const { session } = await aSession({ windowTokens: 16_000 });
    const { seq } = (await readUntilFull(session, OTHER))[0]!;
    await session.prepare(BINDING);
    await session.record({ messages: [thinking(1)] });
    await session.append(user("Go on."));
    await session.prepare(OTHER);
    await session.record({ messages: [assistant("c", "Yes.")] });
    await expect(session.undo(seq)).rejects.toMatchObject({ code: "UNDO_REFUSED" });
  });

  it("has the called model as the author of an answer that comes late", async () => {
    const { session } = await aSession();
    await session.append(user("Think."));
    const { callSeq } = await session.prepare(BINDING);
    await session.prepare(OTHER);
    await session.record({ callSeq, messages: [thinking(0)] });
    expect(session.visible.at(-1)).toMatchObject({ role: "assistant", model: BINDING.model });
  });
});
