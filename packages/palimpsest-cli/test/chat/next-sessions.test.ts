/** A second session, days later, knows a preference of the first; the third knows that it changed. */
import { FakeClock } from "palimpsest-testing";
import { expect, it } from "vitest";
import { openChat } from "#chat/agent/open-chat.ts";
import { type ChatPlace, chatPlace } from "./chat-double.ts";

const DAY_MS = 86_400_000;

async function ask(place: ChatPlace, clock: FakeClock, input: string): Promise<void> {
  const agent = await openChat({
    ...{
      env: place.env,
      folder: place.folder,
      session: { from: "new" },
      version: "1",
      model: "claude-opus-5-5",
      clock,
    },
    onEvent: () => undefined,
  });
  await agent.send(input);
  await agent.session.memorySettled();
  await agent.close();
  clock.advance(3 * DAY_MS);
}

it("a preference of the first session is known to the second, and the third sees it superseded", async () => {
  const place = await chatPlace(() => "Understood.");
  const clock = new FakeClock(Date.UTC(2026, 0, 5));
  const newest = (): string =>
    JSON.stringify(place.provider.requests.filter(({ purpose }) => purpose === "answer").at(-1)?.body);
  await ask(place, clock, "From now on the staging server listens on port 9090.");
  await ask(place, clock, "Which port has the staging server?");
  expect(newest()).toContain("port 9090");
  await ask(place, clock, "From now on the staging server listens on port 7070, no longer on 9090.");
  await ask(place, clock, "Which port has the staging server?");
  expect(newest()).toContain("port 7070");
  expect(newest()).not.toContain("listens on port 9090");
  await place.provider.close();
});
