/** Calls and results of a conversation that do not find each other, and messages in a wrong order. */
import { assistant, call, result, system, user } from "#test/helpers/histories.ts";
import { at, blocksOf, extraKind, inserted, JOINED, removed } from "./conversation-kind.ts";
import { contentOf, conversationKind, type Fields, type Kind } from "./kind.ts";

const image = (media_type: string, data: string): Fields => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
const PNG = "image/png";

const PAIR_KINDS: readonly Kind[] = [
  conversationKind("unanswered-call", "nobody answered a call in the middle", removed("markfile")),
  conversationKind("unanswered-last-call", "the conversation ends with a call", (messages) =>
    messages.slice(0, at(messages, "markanswer")),
  ),
  conversationKind(
    "one-of-two-results-missing",
    "of two calls one was answered",
    (messages) => void blocksOf(messages, "markgrep").splice(0, 1),
  ),
  conversationKind("orphan-result", "a result has no call", removed("markplan")),
  conversationKind("orphan-result-at-the-start", "a result stands first", (messages) => messages.slice(2)),
  conversationKind(
    "duplicate-result",
    "a result came twice, in one message",
    (messages) =>
      void blocksOf(messages, "markfile").push(result("c1", "markfile again") as unknown as Fields),
  ),
  conversationKind("duplicate-result-message", "the message with a result came twice", (messages) => {
    const index = at(messages, "markfile");
    return messages.toSpliced(index, 0, messages[index]!);
  }),
  conversationKind(
    "duplicate-result-later",
    "a result came again turns later",
    inserted("marklast", user(result("c1", "late"))),
  ),
  conversationKind("result-before-its-call", "a result stands before its call", (messages) => {
    const index = at(messages, "markplan");
    return messages.toSpliced(index, 2, messages[index + 1]!, messages[index]!);
  }),
  conversationKind(
    "result-after-the-next-question",
    "a result came after other words",
    (messages) => {
      const index = at(messages, "markfile");
      return messages.toSpliced(index, 0, user("wait") as unknown as Fields);
    },
    { quiet: "results are moved to their place if nothing was sent in between" },
  ),
  conversationKind(
    "result-after-the-next-answer",
    "a result came after the next answer",
    inserted("markfile", assistant("rx", "in between")),
  ),
  conversationKind(
    "result-behind-text",
    "a result stands behind the words of its message",
    (messages) => void blocksOf(messages, "markfile").unshift({ type: "text", text: "here:" }),
    {
      quiet: "results lead their message",
    },
  ),
  conversationKind("result-in-an-answer", "a result stands in an answer", (messages) => {
    messages[at(messages, "markfile")]!["role"] = "assistant";
  }),
  conversationKind("result-in-a-system-message", "a result stands in a system message", (messages) => {
    messages[at(messages, "markfile")]!["role"] = "system";
  }),
  conversationKind("call-in-a-question", "a call stands in a user's message", (messages) => {
    messages[at(messages, "markplan")]!["role"] = "user";
  }),
  extraKind("call-in-a-system-message", "a call stands in a system message", "markreminder", call("c50")),
  conversationKind(
    "duplicate-call-in-one-answer",
    "one answer makes the same call twice",
    (messages) => void blocksOf(messages, "markplan").push(call("c1") as unknown as Fields),
  ),
  conversationKind("duplicate-call-id-over-turns", "two turns use one call id", (messages) => {
    blocksOf(messages, "marktail")[2]!["id"] = "c1";
    blocksOf(messages, "markanswer")[0]!["tool_use_id"] = "c1";
  }),
  conversationKind("every-call-has-one-id", "all calls have the same id", (messages) => {
    for (const message of messages)
      for (const block of contentOf(message)) {
        if (block["type"] === "tool_use") block["id"] = "same";
        if (block["type"] === "tool_result") block["tool_use_id"] = "same";
      }
  }),
  conversationKind("duplicate-message", "a message came twice", (messages) => {
    const index = at(messages, "markplan");
    return messages.toSpliced(index, 0, messages[index]!);
  }),
  conversationKind(
    "duplicate-response-id-over-turns",
    "two answers in different turns have one response id",
    (messages) => {
      messages[at(messages, "marktail")]!["responseId"] = "r1";
    },
    JOINED,
  ),
  conversationKind("whole-conversation-twice", "the whole conversation came twice", (messages) => [
    ...messages,
    ...messages,
  ]),
  conversationKind("reversed-conversation", "the messages came in reverse order", (messages) =>
    messages.toReversed(),
  ),
  conversationKind("only-results", "only results came", (messages) =>
    messages.filter((message) => JSON.stringify(message).includes("tool_result")),
  ),
  conversationKind("only-answers", "only answers came", (messages) =>
    messages.filter((message) => message["role"] === "assistant"),
  ),
];

const ORDER_KINDS: readonly Kind[] = [
  conversationKind("answer-first", "an answer stands first", (messages) => messages.slice(1)),
  conversationKind("answer-last", "an answer stands last", (messages) => messages.slice(0, -1)),
  conversationKind(
    "two-answers-in-a-row",
    "two answers follow each other",
    inserted("markpicture", assistant("rx", "and more")),
    JOINED,
  ),
  conversationKind(
    "two-questions-in-a-row",
    "two questions follow each other",
    inserted("markagain", user("and again")),
    JOINED,
  ),
  conversationKind(
    "system-first",
    "a system message stands first",
    (messages) => [system("be brief") as unknown as Fields, ...messages],
    {
      quiet: "the user's words go before it",
    },
  ),
  conversationKind(
    "system-between-call-and-result",
    "a system message stands between a call and its result",
    inserted("markfile", system("hurry")),
    {
      quiet: "results are put right after their calls",
    },
  ),
  conversationKind(
    "system-between-answers",
    "a system message stands between two answers",
    inserted("markpicture", system("careful"), assistant("rx", "yes")),
    {
      quiet: "where it is not allowed it is rendered as the user's",
    },
  ),
  conversationKind(
    "system-last",
    "a system message stands last",
    (messages) => [...messages, system("go") as unknown as Fields],
    {
      quiet: "it is allowed there",
    },
  ),
  conversationKind(
    "system-with-image",
    "a system message holds an image",
    (messages) => void blocksOf(messages, "markreminder").push(image(PNG, "aaaa")),
    {
      quiet: "a system message that is not text is rendered as the user's",
    },
  ),
  conversationKind("only-system", "only system messages came", (messages) => [
    messages[at(messages, "markreminder")]!,
  ]),
  conversationKind("nothing", "no message came", () => [], { isEmpty: true, quiet: "nothing is there" }),
  conversationKind("interrupted-answer", "an answer was cut off in its call", (messages) => {
    Object.assign(messages[at(messages, "marktail")]!, { interrupted: true });
    blocksOf(messages, "marktail")[2]!["input"] = "";
  }),
  conversationKind(
    "interrupted-thinking",
    "an answer was cut off while the model was thinking",
    inserted("marklast", { ...assistant("rx", { type: "thinking", thinking: "half" }), interrupted: true }),
  ),
];

export const PAIR_AND_ORDER_KINDS: readonly Kind[] = [...PAIR_KINDS, ...ORDER_KINDS];
