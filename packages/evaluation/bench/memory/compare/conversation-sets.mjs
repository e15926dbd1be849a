/**
 * Sets whose memories are turns of conversations: people with people (LoCoMo, REALTALK), a person with an assistant
 * (BEAM at three sizes, LongMemEval), and a person's messages in Chinese (MemDaily, of MemSim).
 *
 * A document is one turn with the words around it that the library would know: the day, the conversation, and what came
 * before. Evidence that names no turn is left out, and a question without evidence too.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readLocomo } from "../locomo.mjs";
import { collectionSet, evenly, jsonIn, linesIn } from "./collection-set.mjs";

const LOCOMO_KINDS = ["", "several turns", "time", "open", "one turn", "misleading"];
const REALTALK_KINDS = ["", "several turns", "time", "open"];

/** Every so manyth of the larger conversations is taken: one has a thousand long turns. */
const BEAM_SHARES = { "100K": 1, "500K": 4, "1M": 2 };

export function readConversationSets(sets, corpus) {
  const locomo = readLocomo(join(sets, "locomo"));
  return [
    collectionSet("LoCoMo", ofPeople(locomo, LOCOMO_KINDS), { questionsCount: Number.POSITIVE_INFINITY }),
    collectionSet("REALTALK", ofPeople(readLocomo(join(sets, "REALTALK", "data"), false), REALTALK_KINDS)),
    ...Object.entries(BEAM_SHARES).map(([size, share]) =>
      collectionSet(`BEAM ${size}`, beam(join(sets, "BEAM", "chats", size), share)),
    ),
    collectionSet("LongMemEval hard", longMemEval(join(corpus, "memory", "longmemeval-s-hard236"))),
    collectionSet(
      "MemDaily (Chinese)",
      memDaily(join(sets, "MemSim", "data_generation/final_dataset/messages_and_QAs")),
    ),
  ];
}

function ofPeople(conversations, kinds) {
  return conversations.map(({ turns, questions }) => ({
    documents: turns,
    questions: questions.map(({ question, evidence, category }) => ({
      text: question,
      kind: kinds[category] ?? "other",
      gold: evidence,
    })),
  }));
}

function beam(folder, share) {
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).sort((one, other) => Number(one) - Number(other));
  const chosen = numbers.filter((_, place) => place % share === 0);
  return chosen.flatMap((number) => {
    const batches = jsonIn(join(folder, number, "chat.json"));
    const asked = jsonIn(join(folder, number, "probing_questions", "probing_questions.json"));
    if (batches === undefined || asked === undefined) return [];
    const turns = batches.flatMap(({ turns }, batch) => turns.flat().map((turn) => ({ ...turn, batch })));
    const known = new Set(turns.map(({ id }) => String(id)));
    const documents = turns.map(({ id, content, time_anchor, batch }, place) => ({
      id: String(id),
      // The end of a user's message is a mark of the set's makers.
      body: content.replace(/\s*->->\s*[\d,\s]+$/u, ""),
      time: time_anchor ?? "",
      group: `batch ${batch}`,
      before: turns[place - 1]?.batch === batch ? String(turns[place - 1].id) : undefined,
    }));
    const questions = Object.entries(asked).flatMap(([kind, list]) =>
      list.map(({ question, source_chat_ids: ids = [] }) => ({
        text: question,
        kind: kind.replaceAll("_", " "),
        gold: [...new Set(Object.values({ ids }).flatMap(allNumbers).map(String))].filter((id) =>
          known.has(id),
        ),
      })),
    );
    return [{ documents, questions }];
  });
}

/** Numbers at any depth. */
function allNumbers(value) {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(allNumbers) : [];
}

/** Each question has its own haystack of conversations; the corpus has a pool of their turns. */
function longMemEval(folder) {
  const turns = linesIn(join(folder, "docs.jsonl.gz"));
  const ids = new Set(turns.map(({ id }) => id));
  const bySession = Map.groupBy?.(turns, ({ session_id }) => session_id) ?? groupBy(turns);
  return linesIn(join(folder, "queries.jsonl.gz")).map((question) => {
    const { haystack_session_ids: sessions, evidence_session_ids: evidence } = question;
    const own = sessions.flatMap((session) => bySession.get(session) ?? []);
    const documents = own.map(({ id, session_id, text }) => {
      const [, session, number] = /^(.*)_(\d+)$/.exec(id) ?? [];
      const before = ["", "no"].map((_) => `${session}_${Number(number) - 2}`).find((one) => ids.has(one));
      return { id, body: text, group: session_id, before };
    });
    const gold = own
      .filter(({ id, session_id }) => id.startsWith("answer_") && evidence.includes(session_id))
      .map(({ id }) => id);
    return { documents, questions: [{ text: question.question, kind: question.question_type, gold }] };
  });
}

function groupBy(turns) {
  const groups = new Map();
  for (const turn of turns) groups.set(turn.session_id, [...(groups.get(turn.session_id) ?? []), turn]);
  return groups;
}

function memDaily(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith("_hybrid.json"));
  const all = files.sort().flatMap((name) =>
    evenly(jsonIn(join(folder, name)), 80).map(({ message_list, question_list }) => ({
      documents: message_list.map(({ mid, message, time }) => ({
        id: String(mid),
        body: message,
        time,
        group: "messages",
        before: mid === 0 ? undefined : String(mid - 1),
      })),
      questions: question_list.map(({ question, target_step_id }) => ({
        text: question,
        kind: name.replace(/^\d+_|_hybrid\.json$/g, ""),
        gold: target_step_id.map(String),
      })),
    })),
  );
  return all;
}
