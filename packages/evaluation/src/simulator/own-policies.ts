/**
 * The library's own policies as the benches compare them: three cost policies in both classes of edit
 * safety, and, below, the ways to obtain a summary when the window is full (session notes with and without
 * their cost cap, a model asked at that moment, no model).
 */
import { costPolicy } from "palimpsest/experimental";
import type { CostPolicy } from "palimpsest/internal";
import type { PolicyUnderTest } from "./contestant.ts";
import { managedPolicy } from "./managed-window.ts";
import type { JudgedAnswer } from "./simulated-notes.ts";
import type { SummaryMoment, SummaryVariant } from "./simulated-summaries.ts";

const NAMES = ["economy", "balanced", "faithful"] as const;
const CLASSES = ["permissive", "strict"] as const;

/** Ids are `balanced/permissive` and so on. */
export const OWN_POLICIES: readonly PolicyUnderTest[] = NAMES.flatMap((name) =>
  CLASSES.map((editSafety) =>
    managedPolicy({
      id: `${name}/${editSafety}`,
      name: `${name}, ${editSafety}`,
      policy: costPolicy(name)!,
      editSafety,
    }),
  ),
);

/** The default policy without the appendix of exact strings, for measuring what the appendix gains. */
export const WITHOUT_APPENDIX: readonly PolicyUnderTest[] = CLASSES.map((editSafety) =>
  managedPolicy({
    id: `balanced-no-appendix/${editSafety}`,
    name: `balanced without appendix, ${editSafety}`,
    policy: { ...costPolicy("balanced")!, appendix: { tokens: 0, floor: 0 } },
    editSafety,
  }),
);

interface NamedVariant extends Pick<SummaryVariant, "notes" | "asksModel"> {
  readonly id: string;
}

/** Ways to obtain a summary. The first is the one that the others are compared with. */
export const SUMMARY_VARIANTS: readonly NamedVariant[] = [
  { id: "full", asksModel: true },
  { id: "session-memory", notes: { updater: "model" }, asksModel: true },
  { id: "session-memory, no cap", notes: { updater: "model", costShareCap: "off" }, asksModel: true },
  { id: "session-memory, no model", notes: { updater: "extractive" }, asksModel: false },
  { id: "extractive", asksModel: false },
];

/** Makes a policy that obtains summaries in one of these ways. Adds its answers and summaries to `tally`. */
export function variantPolicy(
  { id, notes, asksModel }: NamedVariant,
  { policy, editSafety }: { readonly policy: CostPolicy; readonly editSafety: "strict" | "permissive" },
  tally: { readonly answers: JudgedAnswer[]; readonly summaries: SummaryMoment[] },
): PolicyUnderTest {
  const summaries: SummaryVariant = {
    notes,
    asksModel,
    onJudged: (answer) => tally.answers.push(answer),
    onSummary: (summary) => tally.summaries.push(summary),
  };
  return managedPolicy({ id, name: id, policy, editSafety, summaries });
}
