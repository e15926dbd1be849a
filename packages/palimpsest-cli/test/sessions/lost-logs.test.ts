/** Logs of which a crash, a full disk or a power loss left nothing: no command takes one for the latest session. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, storedHome, storeSession } from "../../../../test/helpers/stored.ts";
import { chatPlace, runChat, runForResult } from "../chat/chat-double.ts";

const LOST = "11111111-2222-3333-4444-555555555555";

/** Leaves a newer log without an entry in the only project of a home. */
function leaveLost(home: string, bytes: string): void {
  const [project] = readdirSync(join(home, "projects"));
  writeFileSync(join(home, "projects", project!, `${LOST}.jsonl`), bytes);
}

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
    // It can still be named, and the doctor reports it.
    expect((await runChat(chat, ["-p", "Hello?", "--resume", LOST])).code).toBe(0);
    await chat.provider.close();
  });
});
