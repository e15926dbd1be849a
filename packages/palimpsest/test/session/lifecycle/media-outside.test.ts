/** Pictures lie beside the log: it stays small, the window shows them, and a lost one leaves its name. */
import { describe, expect, it } from "vitest";
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import { assistant, call, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

const MODEL = { model: "claude-opus-4-5" };
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(400_000) },
} as const;
const screenshot: ContentBlock = {
  type: "tool_result",
  tool_use_id: "c1",
  content: [{ type: "text", text: "The page:" }, image],
};

async function withPictures() {
  const test = await aSession();
  await test.session.append([
    user("Look:", image),
    assistant("r1", call("c1", "Screenshot")),
    user(screenshot),
  ]);
  const { messages } = await test.session.prepare(MODEL);
  await test.session.close();
  return { ...test, messages };
}

/** The store with its blobs gone. */
function withoutBlobs(store: SessionStore): SessionStore {
  const strip = (log: SessionLog): SessionLog =>
    new Proxy(log, {
      get: (target, name) => {
        if (name === "getBlob") return async () => undefined;
        const member = target[name as keyof SessionLog];
        return typeof member === "function" ? (member as () => unknown).bind(target) : member;
      },
    });
  return new Proxy(store, {
    get: (target, name) => {
      const member = target[name as keyof SessionStore];
      const call = (member as (...session: unknown[]) => Promise<unknown>).bind(target);
      if (name !== "create" && name !== "open") return call;
      return async (...session: unknown[]) => strip((await call(...session)) as SessionLog);
    },
  });
}

describe("pictures beside the log", () => {
  it("are shown whole, also after reopening", async () => {
    const { messages, reopen } = await withPictures();
    expect(messages[0]!.content[1]).toEqual(image);
    expect(messages[2]!.content[0]).toEqual(screenshot);
    expect((await (await reopen()).prepare(MODEL)).messages).toEqual(messages);
  });

  it("are stored once: the lines of the log stay small", async () => {
    const { session, options } = await withPictures();
    const log = await options.store.open(session.id);
    let characters = 0;
    for await (const { entries } of log.readAll())
      for (const { entry } of entries) characters += JSON.stringify(entry).length;
    expect(characters).toBeLessThan(10_000);
  });

  it("leave their name where their blob is gone, and the pair of call and result stays", async () => {
    const { session, options } = await withPictures();
    const reopened = await openSession(session.id, { ...options, store: withoutBlobs(options.store) });
    const { messages } = await reopened.prepare(MODEL);
    expect(messages[0]!.content[1]).toEqual({
      type: "text",
      text: "[image, 400 KB, stored beside the log: m2.1]",
    });
    expect(messages[2]!.content[0]).toEqual({
      type: "tool_result",
      tool_use_id: "c1",
      content: [
        { type: "text", text: "The page:" },
        { type: "text", text: "[image, 400 KB, stored beside the log: m4.0]" },
      ],
    });
  });
});
