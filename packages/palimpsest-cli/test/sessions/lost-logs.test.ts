/** Logs of which a crash, a full disk or a power loss left nothing: no command takes one for the latest session. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openChat } from "#chat/agent/open-chat.ts";
import { runChatCommand } from "#chat/commands/registry.ts";
import { json, storedHome, storeSession } from "../../../../test/helpers/stored.ts";
import { chatPlace, runChat, runForResult } from "../chat/chat-double.ts";

const LOST = "11111111-2222-3333-4444-555555555555";

/** Leaves a newer log without an entry in the only project of a home. */
function leaveLost(home: string, bytes: string): void {
  const [project] = readdirSync(join(home, "projects"));
  const path = join(home, "projects", project!, `${LOST}.jsonl`);
  writeFileSync(path, bytes);
  // Clocks of file systems are coarse: so that it is newer in any case.
  const soon = Date.now() / 1_000 + 10;
  utimesSync(path, soon, soon);
}

it.each([
  ["", "(an empty log)"],
  ["\0".repeat(4_096), "(no entry can be read)"],
])("a log of %j is listed as %s, and not as a session in which nothing was said", async (bytes, words) => {
  const place = storedHome();
  const id = await storeSession(place);
  leaveLost(place.home, bytes);
  expect((await place.run(["sessions", "list"])).out).toContain(`1111  ${words}`);
  const { sessions } = json<{ readonly sessions: readonly object[] }>(
    await place.run(["sessions", "list", "--json"]),
  );
  expect(sessions).toMatchObject([{ sessionId: LOST, isLost: true }, { sessionId: id }]);
  expect(sessions[1]).not.toHaveProperty("isLost");
});

describe("a log without an entry", () => {
  it.each([
    ["empty", ""],
    ["of zeros", "\0".repeat(4_096)],
  ])("that is %s is not the latest session of `context`, `notes` and `run --continue`", async (_, bytes) => {
    const place = storedHome();
    const id = await storeSession(place);
    leaveLost(place.home, bytes);
    for (const args of [["context"], ["notes", "path"]]) {
      const { sessionId } = json<{ readonly sessionId: string }>(await place.run([...args, "--json"]));
      expect(sessionId).toBe(id);
    }

    const chat = await chatPlace(["Hello, Ada.", "Ada."]);
    const first = await runForResult(chat, ["-p", "My name is Ada."]);
    leaveLost(chat.home, bytes);
    const second = await runForResult(chat, ["-p", "My name?", "--continue"]);
    expect(second.session_id).toBe(first.session_id);
    const resume = await openChat({
      ...{ env: chat.env, folder: chat.folder, version: "1", model: "claude-opus-4-5" },
      ...{ session: { from: "new" }, onEvent: () => undefined },
    });
    const { text } = await runChatCommand(resume, "/resume", new AbortController().signal);
    expect(text).toContain(first.session_id.slice(0, 8));
    expect(text).not.toContain(LOST.slice(0, 8));
    await resume.close();
    // It can still be named, and the doctor reports it.
    expect((await runChat(chat, ["-p", "Hello?", "--resume", LOST])).code).toBe(0);
    await chat.provider.close();
  });
});
