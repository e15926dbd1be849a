/**
 * LoCoMo: ten long conversations with questions and the turns that answer them. The user of this bench
 * downloads it (github.com/snap-research/locomo, CC BY-NC 4.0); it is never part of the repository.
 *
 * A memory is one turn with its time, the turn just before it and its session; a question is asked of its
 * conversation. Evidence that names no turn of the conversation is left out, and a question without evidence
 * too. Both halves of the conversations are shown: a setting that suits one half only shows there.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The conversations under a folder; none where there are none. */
export function readLocomo(folder, isNested = true) {
  if (folder === undefined || !existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: isNested })
    .map(String)
    .filter((name) => name.endsWith(".json"));
  return files
    .sort()
    .flatMap((name) => [JSON.parse(readFileSync(join(folder, name), "utf8"))].flat())
    .map(readConversation)
    .filter(({ questions }) => questions.length > 0);
}

function readConversation(raw) {
  const { qa = raw.qa ?? [], ...conversation } = {
    ...(raw.conversation ?? raw),
    qa: raw.qa ?? raw.conversation?.qa,
  };
  const turns = [];
  for (let number = 1; conversation[`session_${number}`] !== undefined; number++)
    conversation[`session_${number}`].forEach((turn, index, all) => {
      const image = turn.blip_caption === undefined ? "" : `\n[image: ${turn.blip_caption}]`;
      const before = all[index - 1]?.dia_id;
      turns.push({
        id: turn.dia_id,
        body: `${turn.speaker}: ${turn.text ?? turn.clean_text}${image}`,
        time: conversation[`session_${number}_date_time`] ?? "",
        group: sessionOf(turn.dia_id),
        before,
      });
    });
  const known = new Set(turns.map(({ id }) => id));
  const questions = qa.map(({ question, evidence = [], category }) => {
    const named = evidence.flatMap((text) => String(text).match(/D\d+:\d+/g) ?? []);
    return { question, category, evidence: [...new Set(named)].filter((id) => known.has(id)) };
  });
  return { turns, questions: questions.filter(({ evidence }) => evidence.length > 0) };
}

const sessionOf = (id) => id.split(":")[0];

/** The parts of a memory under each setting. */
const PARTS = {
  "one turn": ({ body }) => ({ body }),
  "with its time": ({ body, time }) => ({ body, time }),
  "with neighbours": ({ body, time, before }) => ({ body, time, before }),
  "with its session": ({ body, time, group }) => ({ body, time, group }),
  "with both": ({ id: _, ...all }) => all,
};

/** One row for each setting. */
export function measureLocomo(conversations, createMemorySearch, ours) {
  const rows = Object.entries(PARTS).map(([name, part]) => row(name, conversations, turnSearch(part)));
  const other = (name, weights) =>
    row(name, conversations, turnSearch(PARTS["with both"], { ...ours, ...weights }));
  rows.push(other("k1 1.2, b 0.75", { k1: 1.2, b: 0.75 }));
  for (const groupShare of [0.3, 0.5, 1.2]) rows.push(other(`session share ${groupShare}`, { groupShare }));
  for (const [near, far] of [
    [0.5, 0],
    [0.3, 0.2],
    [0.7, 0.5],
  ])
    rows.push(other(`neighbours ${near}, ${far}`, { neighbourShares: { near, far } }));
  for (const tellingShare of [0, 0.4]) rows.push(other(`telling share ${tellingShare}`, { tellingShare }));
  rows.push(row("sessions as memories", conversations, sessionSearch));
  return rows;

  function turnSearch(part, weights = ours) {
    return ({ turns }) => {
      const search = createMemorySearch(weights);
      for (const turn of turns) search.set(turn.id, part(turn));
      return (question) => {
        const found = search.search(question, { limit: turns.length }).map(({ id }) => id);
        return { turns: found, sessions: [...new Set(found.map(sessionOf))] };
      };
    };
  }

  function sessionSearch({ turns }) {
    const search = createMemorySearch(ours);
    for (const group of new Set(turns.map((turn) => turn.group))) {
      const own = turns.filter((turn) => turn.group === group);
      search.set(group, { body: own.map(({ body }) => body).join("\n"), time: own[0].time });
    }
    return (question) => ({ sessions: search.search(question, { limit: 10 }).map(({ id }) => id) });
  }
}

/**
 * The same as a user would do it: every turn is remembered with its day, its session and what it follows, and each
 * question is searched. Takes some minutes.
 */
export async function measureLibrary(conversations, { PersistentMemory, inMemoryMemoryStore }) {
  const halves = newHalves();
  for (const [place, conversation] of conversations.entries()) {
    const deadline = { after: () => () => undefined };
    const memory = new PersistentMemory({ store: inMemoryMemoryStore(), deadline, now: () => Date.now() });
    const pathOf = new Map();
    const turnOf = new Map();
    for (const { id, body, group, time, before } of conversation.turns) {
      const where = { source: "user", sessionId: group, messageId: id, createdAtMs: dayOf(time) };
      const follows = before === undefined ? {} : { follows: pathOf.get(before) };
      const { path } = await memory.remember(body, { ...where, ...follows });
      pathOf.set(id, path);
      if (!turnOf.has(path)) turnOf.set(path, id);
    }
    for (const { question, evidence } of conversation.questions) {
      const found = await memory.search(question, { limit: conversation.turns.length });
      const turns = found.map(({ path }) => turnOf.get(path));
      count(halves[place % 2], evidence, { turns, sessions: [...new Set(turns.map(sessionOf))] });
    }
  }
  return { name: "through the library", ...sharesOf(halves) };
}

/** `1:56 pm on 8 May, 2023` */
function dayOf(time) {
  const [, day, year] = /on (\d+ \w+), (\d{4})/.exec(time) ?? [];
  return day === undefined ? undefined : Date.parse(`${day} ${year} UTC`);
}

function row(name, conversations, makeSearch) {
  const halves = newHalves();
  conversations.forEach((conversation, place) => {
    const ask = makeSearch(conversation);
    for (const { question, evidence } of conversation.questions)
      count(halves[place % 2], evidence, ask(question));
  });
  return { name, ...sharesOf(halves) };
}

const newHalves = () => [0, 1].map(() => ({ count: 0, turn5: 0, turn10: 0, session10: 0, all10: 0 }));

function count(half, evidence, found) {
  const sessions = [...new Set(evidence.map(sessionOf))];
  const share = shareFound(sessions, found.sessions.slice(0, 10));
  half.count++;
  half.turn5 += shareFound(evidence, found.turns?.slice(0, 5) ?? []);
  half.turn10 += shareFound(evidence, found.turns?.slice(0, 10) ?? []);
  half.session10 += share;
  half.all10 += share === 1 ? 1 : 0;
}

function sharesOf(halves) {
  const shares = (half) =>
    Object.fromEntries(
      Object.entries(half).map(([key, sum]) => [key, key === "count" ? sum : sum / half.count]),
    );
  const all = Object.fromEntries(Object.keys(halves[0]).map((key) => [key, halves[0][key] + halves[1][key]]));
  return { all: shares(all), even: shares(halves[0]), odd: shares(halves[1]) };
}

const shareFound = (wanted, found) => wanted.filter((one) => found.includes(one)).length / wanted.length;
