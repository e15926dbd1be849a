/** The commands about the window and the conversation: compact, context, undo, rewind, pin. */
import { OptionError } from "palimpsest";
import { blockText } from "palimpsest/transcript";
import { formatShare, formatTokens } from "../../terminal/figures.ts";
import { type ChatCommand, oneLineOf, type RewindPlace } from "./chat-command.ts";

type Session = Parameters<ChatCommand["run"]>[0]["session"];

const compact: ChatCommand = {
  name: "compact",
  args: "[instructions]",
  description: "make room now: summarise the conversation so far",
  run: async ({ session }, args, signal) => {
    if (!session.visible.some(({ origin }) => origin === "user" || origin === "assistant"))
      throw new OptionError({
        message: "There is nothing to compact: nothing was said yet.",
        hint: "/context shows what fills the window.",
      });
    const { edits } = await session.compact({ signal, ...(args === "" ? {} : { instructions: args }) });
    // The events of the compaction say what was asked for, what came and what went, as for an automatic one.
    return { text: edits.length === 0 ? "Nothing can be compacted: the window is as small as it gets." : "" };
  },
};

const context: ChatCommand = {
  name: "context",
  description: "what fills the window",
  isImmediate: true,
  run: async ({ session }) => {
    const use = session.context();
    const rows = use.shares.map(
      ({ category, tokens }) => `${category.padEnd(14)} ${formatTokens(tokens).padStart(8)}`,
    );
    const { usedTokens, windowTokens, compactAtTokens, freeTokens, lastCompaction } = use;
    const lines = [
      `${formatTokens(usedTokens)} of ${formatTokens(windowTokens)} tokens (${formatShare(usedTokens / windowTokens)}); compaction starts at ${formatTokens(compactAtTokens)}`,
      ...rows,
      `${"free".padEnd(14)} ${formatTokens(freeTokens).padStart(8)}`,
      ...(lastCompaction === undefined ? [] : [`Last ${lastCompaction.why}.`]),
    ];
    return { text: lines.join("\n"), data: { type: "context", use } };
  },
};

const undo: ChatCommand = {
  name: "undo",
  description: "take the last compaction back",
  run: async ({ session }) => {
    const { lastCompaction } = session.context();
    if (lastCompaction === undefined)
      throw new OptionError({
        message: "There is no compaction to take back.",
        hint: "To go back in the conversation use /rewind.",
      });
    await session.undo(lastCompaction.seq);
    return { text: `Taken back: ${lastCompaction.layer}. The window shows again what it had hidden.` };
  },
};

/** The user's messages that are in view, the latest first. */
function placesOf(session: Session): readonly RewindPlace[] {
  return session.visible
    .flatMap(({ seq, role, origin, insertedBy, at, blocks }) => {
      const whole = blocks
        .flatMap(({ block }) => (block.type === "text" ? [blockText(block)] : []))
        .join("\n");
      const isOwn = role === "user" && origin === "user" && insertedBy === undefined && whole.trim() !== "";
      return isOwn ? [{ seq, at, whole, text: oneLineOf(whole) }] : [];
    })
    .reverse();
}

function nothingToGoBackTo(session: Session): string {
  if (session.context().lastCompaction === undefined) return "There is nothing to go back to.";
  return "A compaction hides your messages. /undo takes it back, as long as the window then fits.";
}

const rewind: ChatCommand = {
  name: "rewind",
  args: "[message]",
  description: "go back to before one of your messages (files stay as they are)",
  run: async ({ session }, args) => {
    const places = placesOf(session);
    if (args === "")
      return {
        text:
          places.length === 0
            ? nothingToGoBackTo(session)
            : [
                "Go back to before which message? /rewind NUMBER",
                ...places.map(({ text }, index) => `${String(index + 1).padStart(3)}  ${text}`),
              ].join("\n"),
        data: { type: "rewind", places },
      };
    const place = places[Number(args) - 1];
    if (place === undefined)
      throw new OptionError({
        message: `There is no message ${args}.`,
        hint: "/rewind shows their numbers.",
      });
    await session.rewind(place.seq - 1);
    return {
      text: `Back to before: ${place.text}\nWhat came after stays in the log. Files are as they were left.`,
      action: "switched",
    };
  },
};

const pin: ChatCommand = {
  name: "pin",
  args: "[fact]",
  description: "keep a fact in view for good; without one, list what is pinned",
  isImmediate: true,
  run: async ({ session }, args) => {
    if (args !== "") {
      await session.pinFact(args);
      return { text: `Pinned: ${oneLineOf(args)}` };
    }
    const texts = session.pins.map(({ seq, block }, index) => {
      const message = session.visible.find((one) => one.seq === seq);
      const shown = message?.blocks.filter((one) => block === undefined || one.index === block) ?? [];
      return `${String(index + 1).padStart(3)}  ${oneLineOf(shown.map((one) => blockText(one.block)).join(" ")) || `entry ${seq}`}`;
    });
    return {
      text:
        texts.length === 0
          ? "Nothing is pinned."
          : ["Pinned; /unpin NUMBER lets go of one:", ...texts].join("\n"),
    };
  },
};

const unpin: ChatCommand = {
  name: "unpin",
  args: "<number>",
  description: "let go of a pin",
  isImmediate: true,
  run: async ({ session }, args) => {
    const place = session.pins[Number(args) - 1];
    if (place === undefined)
      throw new OptionError({
        message: `There is no pin ${args || "without a number"}.`,
        hint: "/pin shows them.",
      });
    await session.unpin(place);
    return { text: "Let go." };
  },
};

export const WINDOW_COMMANDS: readonly ChatCommand[] = [compact, context, undo, rewind, pin, unpin];
