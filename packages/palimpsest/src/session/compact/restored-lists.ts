/**
 * The restorer of what a host lists: skills, agents and tasks, deferred tools, instructions of tool
 * servers. What can still be read is left out, and what changed since it was announced is said.
 */
import { fingerprint } from "../../base/fingerprint.ts";
import {
  anyString,
  checkOptions,
  duration,
  func,
  number,
  type OptionRules,
  oneOf,
  text,
} from "../../base/options/check-options.ts";
import type { RestoreContext, RestoredItem, Restorer } from "../../ports/restorer.ts";

/** One thing of a list. */
export interface ListedThing {
  /** Its name, unique in the list. */
  readonly key: string;
  /** The text for the model: a skill's text, a tool's description, an agent's state and the place of its output. */
  readonly text: string;
}

/** Options of a restored list. */
interface ListRestorerOptions {
  /** Unique among the restorers of a session. */
  readonly name: string;
  /** The kind of its items: `skill`, `agent`, `task`, `deferred-tools`, `mcp-instructions` … */
  readonly kind: string;
  /** The heading: `Skill in use`, `Tools that can be asked for`. */
  readonly label: string;
  /** The current items, the most important first. */
  readonly list: (signal: AbortSignal) => Promise<readonly ListedThing[]>;
  /** `each`: an item per thing, for long texts. `together`: one item with a line per thing. @defaultValue `together` */
  readonly form?: "each" | "together";
  readonly priority?: number;
  readonly budgetTokens?: number;
  readonly itemTokens?: number;
  readonly timeoutMs?: number;
}

const RULES: OptionRules<ListRestorerOptions> = {
  name: text,
  kind: text,
  label: anyString,
  list: func,
  form: oneOf("each", "together"),
  priority: number,
  budgetTokens: number,
  itemTokens: number,
  timeoutMs: duration,
};

/** Makes a restorer of a list. It shows the items that left the window, and the changes since the last announcement. */
export function listRestorer(options: ListRestorerOptions): Restorer {
  checkOptions("listRestorer", options, RULES);
  const { name, list, form = "together", priority, budgetTokens, itemTokens, timeoutMs } = options;
  return {
    name,
    priority,
    budgetTokens,
    itemTokens,
    timeoutMs,
    restore: async (context) => {
      const things = [...(await list(context.signal))];
      const gone = Object.keys(context.announced).filter((key) => things.every((thing) => thing.key !== key));
      const removal = gone.length === 0 ? [] : [`No longer there: ${gone.join(", ")}`];
      return form === "each"
        ? asItems(options, things, removal, context)
        : asOneItem(options, things, removal, context);
    },
  };
}

type Change = "new" | "changed" | undefined;

/** The change of an item since it was announced; nothing is new if nothing was announced. */
function changeOf({ key, text }: ListedThing, { announced }: RestoreContext): Change {
  if (Object.keys(announced).length === 0) return undefined;
  const before = Object.hasOwn(announced, key) ? announced[key] : undefined;
  if (before === undefined) return "new";
  return before === fingerprint(text) ? undefined : "changed";
}

function asItems(
  { kind, label }: ListRestorerOptions,
  things: readonly ListedThing[],
  removal: readonly string[],
  context: RestoreContext,
): readonly RestoredItem[] {
  const items = things.map((thing): RestoredItem => {
    const change = changeOf(thing, context);
    const note = change === undefined ? "as of now" : `as of now; ${change} since it was announced`;
    return {
      ...{ kind, key: thing.key, label, title: thing.key, note, text: thing.text },
      announces: { [thing.key]: fingerprint(thing.text) },
      ...(context.isVisible(thing.text) ? { isVisible: true } : {}),
    };
  });
  const removed = removal.map((text) => ({ kind, key: "", label, title: "changes", text, announces: {} }));
  return [...items, ...removed];
}

function asOneItem(
  { kind, name, label }: ListRestorerOptions,
  things: readonly ListedThing[],
  removal: readonly string[],
  context: RestoreContext,
): readonly RestoredItem[] {
  const lines = things.map((thing) => {
    const change = changeOf(thing, context);
    const line = `- ${thing.key}${thing.text === "" ? "" : `: ${thing.text.replace(/\s+/g, " ").trim()}`}`;
    return {
      thing,
      line: change === undefined ? line : `${line} (${change})`,
      isVisible: change === undefined && context.isVisible(line),
    };
  });
  const hidden = lines.filter(({ isVisible }) => !isVisible);
  const shown = fitting(hidden, context);
  const more = hidden.length - shown.length;
  const texts = [...removal, ...shown.map(({ line }) => line), ...(more === 0 ? [] : [`- and ${more} more`])];
  const text = texts.join("\n");
  // An item that did not fit was not announced; it is new when it is.
  const allLines = [...shown, ...lines.filter(({ isVisible }) => isVisible)];
  const announces = Object.fromEntries(allLines.map(({ thing }) => [thing.key, fingerprint(thing.text)]));
  return [
    {
      ...{ kind, key: name, label, title: `${things.length} in all`, note: "as of now", text, announces },
      ...(text === "" ? { isVisible: true } : {}),
    },
  ];
}

/** Room for the heading of an item, in tokens of the list's own lines. */
const FRAME_SHARE = 0.9;

/** As many lines as fit. */
function fitting<Line extends { readonly line: string }>(
  lines: readonly Line[],
  context: RestoreContext,
): readonly Line[] {
  let left = Math.min(context.itemTokens, context.budgetTokens) * FRAME_SHARE;
  const end = lines.findIndex(({ line }) => {
    left -= context.measure(`${line}\n`);
    return left < 0;
  });
  return end === -1 ? lines : lines.slice(0, end);
}
