/**
 * Some programs hold the whole list of messages and change it as they please. They hand over the
 * whole list each time; new messages are appended, missing ones are hidden, and the log records both.
 */
import assert from "node:assert/strict";
import { createSession, InMemorySessionStore, nodeHasher, randomIds, systemClock } from "palimpsest";

const events = [];
const session = await createSession({
  store: new InMemorySessionStore(),
  clock: systemClock,
  ids: randomIds,
  hasher: nodeHasher,
  observer: { onEvent: (event) => events.push(event) },
});
const say = (role, text) => ({ role, content: [{ type: "text", text }] });
const shown = () => session.visible.map(({ blocks }) => blocks[0].block.text);

const list = [say("user", "Plan a trip to Rome"), say("assistant", "By train or by plane?")];
assert.equal((await session.reconcile(list)).length, 2);
assert.equal((await session.reconcile(list)).length, 0, "nothing is new the second time");

// The user edits the first message, and the program asks again from there.
const edited = [say("user", "Plan a trip to Naples")];
await session.reconcile(edited);
assert.deepEqual(shown(), ["Plan a trip to Naples"]);
assert.equal(events.find(({ type }) => type === "host-edit")?.hiddenMessages, 2);

// Nothing is lost: the hidden message is still in the log.
const [hit] = await session.history.search("Rome");
assert.match(hit.snippet, /trip to Rome/);
await session.close();
console.log("Two messages hidden, one appended, none lost.");
