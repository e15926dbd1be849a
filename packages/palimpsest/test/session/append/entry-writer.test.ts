/** Repeated facts are left out of the log, and nothing is lost by it. */

import { InMemoryFileSystem } from "palimpsest-testing";
import { expect, it } from "vitest";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { LOG_PATH, optionsOn, SESSION } from "#test/fault/damaged-session/sound-session.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import type { CallEntry, Entry } from "#transcript/entries.ts";

const MODEL = { model: "claude-opus-4-5" };
const TOOLS = [{ name: "read", description: "Reads.", input_schema: { type: "object" } }];

async function entriesOn(disk: InMemoryFileSystem): Promise<readonly Entry[]> {
  const log = await optionsOn(disk, 9).store.open(SESSION);
  const found: Entry[] = [];
  for await (const { entries } of log.readAll()) found.push(...entries.map(({ entry }) => entry));
  await log.close();
  return found;
}

it("a call names the call before that left with the same system prompt and tools, and says its own where they differ", async () => {
  const disk = new InMemoryFileSystem();
  let session = await createSession({ ...optionsOn(disk, 1), sessionId: SESSION });
  await session.append(user("Begin."));
  const requests = [
    { ...MODEL, system: "Be brief.", tools: TOOLS },
    { ...MODEL, system: "Be brief.", tools: TOOLS },
    { ...MODEL, system: "Be long.", tools: TOOLS },
    { ...MODEL, system: "Be long.", tools: TOOLS },
    MODEL,
    { ...MODEL, system: "Be long.", tools: TOOLS },
  ];
  const seqs: number[] = [];
  const prepare = async (request: (typeof requests)[number], turn: number) => {
    seqs.push((await session.prepare(request)).callSeq);
    await session.record({ messages: [assistant(`r${turn}`, `Answer ${turn}.`)] });
    await session.append(user(`Go on ${turn}.`));
  };
  for (const [turn, request] of requests.entries()) await prepare(request, turn);
  await session.close();
  session = await openSession(SESSION, optionsOn(disk, 2));
  await prepare(requests[0]!, 6);
  await session.close();

  const calls = (await entriesOn(disk)).filter((entry): entry is CallEntry => entry.type === "call");
  const reported = calls.map(({ fixedAs, system, tools, fixedTokens }) =>
    fixedAs === undefined
      ? [system, tools, fixedTokens].map((field) => field !== undefined)
      : { as: seqs.indexOf(fixedAs), rest: [system, tools, fixedTokens] },
  );
  const nothing = [undefined, undefined, undefined];
  expect(reported).toEqual([
    [true, true, true],
    { as: 0, rest: nothing },
    [true, true, true],
    { as: 2, rest: nothing },
    [false, false, false],
    [true, true, true],
    [true, true, true],
  ]);
});

it("a session that was left after such a call opens with the size that it had", async () => {
  const disk = new InMemoryFileSystem();
  const request = { ...MODEL, system: "Be brief. ".repeat(200) };
  const session = await createSession({ ...optionsOn(disk, 1), sessionId: SESSION });
  for (const turn of [1, 2, 3]) {
    await session.append(user(`Question ${turn}.`));
    await session.prepare(request);
  }
  const again = await openSession(SESSION, optionsOn(disk, 2));
  expect(again.tokens).toEqual(session.tokens);
  await again.close();
});

it("a message says when it was said only where that is not when it was appended", async () => {
  const disk = new InMemoryFileSystem();
  const options = optionsOn(disk, 1);
  const session = await createSession({ ...options, sessionId: SESSION });
  const now = options.clock.nowMs();
  await session.append({ ...user("Now."), at: now });
  await session.append({ ...user("Before."), at: now - 1_000 });
  await session.close();
  const times = (await entriesOn(disk)).flatMap((entry) =>
    entry.type === "message" ? [{ at: entry.at, saidAt: entry.saidAt }] : [],
  );
  expect(times).toEqual([
    { at: now, saidAt: undefined },
    { at: now, saidAt: now - 1_000 },
  ]);
});

it("an answer says which call it is of, and what that took, also where the call's line is damaged", async () => {
  const disk = new InMemoryFileSystem();
  const session = await createSession({ ...optionsOn(disk, 1), sessionId: SESSION });
  const usage = { inputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 3 };
  const calls: number[] = [];
  for (const turn of [1, 2, 3]) {
    await session.append(user(`Question ${turn}.`));
    calls.push((await session.prepare(MODEL)).callSeq);
    await session.record({ messages: [assistant(`r${turn}`, `Answer ${turn}.`)], usage });
  }
  const [first, second, third] = calls;
  // As after a crash: no checkpoint says what the log cannot.
  const log = Buffer.from(disk.readFile(LOG_PATH)).toString("utf8");
  const damaged = log.replace(`"type":"call","seq":${second},`, `"type":"cal1","seq":${second},`);
  expect(damaged).not.toBe(log);
  disk.writeFile(LOG_PATH, Buffer.from(damaged));

  const answers = (await entriesOn(disk)).filter(({ type }) => type === "answer");
  expect(answers).toMatchObject([
    { callSeq: first, usage },
    { callSeq: second, usage },
    { callSeq: third, usage },
  ]);
  const again = await openSession(SESSION, optionsOn(disk, 2));
  expect(again.visible.length).toBe(6);
  expect(again.tokens).toEqual(session.tokens);
  await again.close();
});
