/**
 * What stands for a cleared result: what it was, its size, how to read it, and the few distinctive
 * strings that would otherwise have left the window with it.
 */
import type { ToolResultBlock, ToolUseBlock } from "../../../transcript/blocks.ts";
import { toolResultText } from "../../../transcript/blocks.ts";
import type { VisibleBlock } from "../../../transcript/window.ts";
import { withoutSecrets } from "../../../transcript/without-secrets.ts";
import { visitLiterals } from "../../literals/literals.ts";
import type { LiteralScope } from "../../literals/visible-literals.ts";
import { formatThousands } from "../../preview/preview.ts";
import { CLEARED_PREFIX } from "../../shared/cleared-mark.ts";
import { type Measure, measureText } from "../../shared/measure.ts";
import { outcomeOf } from "../../shared/outcome.ts";
import { formatOriginal, type HistoryAccess } from "../../shared/pointer.ts";
import { mainArgument, toolKind } from "../../shared/tool-kinds.ts";
import { isSmallQuery, type SmallQueryPolicy } from "./small-exchanges.ts";

export interface BriefPolicy extends SmallQueryPolicy, HistoryAccess {
  /** What stands for a cleared result, in tokens. */
  readonly briefTokens: number;
  /** Strings of a cleared result that its brief names. */
  readonly briefStringCount: number;
}

interface BriefSubject {
  readonly pointer: string;
  readonly shown: VisibleBlock;
  readonly result: ToolResultBlock;
  readonly call: ToolUseBlock;
  /** What can still be read; strings that the brief names are added to it. */
  readonly scope: LiteralScope;
}

const ARGUMENT_CHARACTERS = 80;
const STRING_CHARACTERS = 40;
const OUTCOME_CHARACTERS = 100;

export function formatBrief(subject: BriefSubject, policy: BriefPolicy, measure: Measure): string {
  const { pointer, result, call, scope } = subject;
  const text = toolResultText(withoutSecrets(result) as ToolResultBlock);
  const read = formatOriginal(pointer, policy);
  if (isSmallQuery({ result, call }, policy)) return `${CLEARED_PREFIX}] ${read}`;

  const head = `${CLEARED_PREFIX}: ${describe(subject, text, measure)}`;
  const close = `] ${read}`;
  const named: string[] = [];
  for (const literal of pickStrings(text, scope)) {
    if (named.length >= policy.briefStringCount) break;
    const longer = `${head}; it named ${[...named, literal].join(", ")}${close}`;
    if (measureText(longer, measure) > policy.briefTokens && named.length > 0) break;
    named.push(literal);
    scope.show(literal);
  }
  return named.length === 0 ? `${head}${close}` : `${head}; it named ${named.join(", ")}${close}`;
}

function describe({ shown, result, call: made }: BriefSubject, text: string, measure: Measure): string {
  const call = withoutSecrets(made) as ToolUseBlock;
  const argument = mainArgument(call.name, call.input, ARGUMENT_CHARACTERS);
  const subject = argument === "" ? call.name : `${call.name} ${argument}`;
  const bytes = shown.form !== "original" && shown.blob !== undefined ? shown.blob.bytes : undefined;
  const size =
    bytes === undefined
      ? `about ${formatThousands(measure(result))} tokens`
      : `${formatThousands(bytes)} bytes`;
  const outcome = outcomeOf({ ...result, content: text }, toolKind(call.name, call.input));
  const failure = outcome.hasFailed ? `, failed: ${outcome.line.slice(0, OUTCOME_CHARACTERS)}` : "";
  return `${subject}, ${size}${failure}`;
}

/** Candidates, best first: names on definition lines, then what occurs most often. */
function pickStrings(text: string, scope: LiteralScope): readonly string[] {
  const scores = new Map<string, number>();
  visitLiterals(text, (literal, kind, isOnDefinitionLine) => {
    if (literal.length > STRING_CHARACTERS || kind === "quoted" || scope.isVisible(literal)) return;
    const weight = (kind === "number" ? 0.3 : 1) + (isOnDefinitionLine ? 1.5 : 0);
    scores.set(literal, Math.max(scores.get(literal) ?? 0, weight) + 0.1);
  });
  return [...scores].sort((a, b) => b[1] - a[1]).map(([literal]) => literal);
}
