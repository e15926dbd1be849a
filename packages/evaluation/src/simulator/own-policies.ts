/**
 * The library's own policies as the benches compare them: three cost policies in both classes of edit
 * safety, and, below, the ways to obtain a summary when the window is full (session notes with and without
 * their cost cap, a model asked at that moment, no model).
 */
import { costPolicy } from "palimpsest/experimental";
import { type CostPolicy, policyLimits, type WindowLimits } from "palimpsest/internal";
import type { PolicyUnderTest } from "./contestant.ts";
import { managedPolicy } from "./managed-window.ts";
import type { JudgedAnswer } from "./simulated-notes.ts";
import type { SummaryMoment, SummaryVariant } from "./simulated-summaries.ts";

const NAMES = ["economy", "balanced", "faithful"] as const;
const CLASSES = ["permissive", "strict"] as const;

/** Ways to run a session: what writes its summaries and its notes. */
export const CONFIGURATIONS = {
  /** `nodeSessions`: summaries from the log. */
  none: { asksModel: false },
  /** `createPalimpsest` as it is under `economy` and `balanced`: notes from the log take no part in a compaction. */
  model: { asksModel: true },
  /** The same with `notes: { updater: "forked" }`; as it is under `faithful`. */
  "model+notes": { asksModel: true, notes: { updater: "model" } },
} as const satisfies Readonly<Record<string, SummaryVariant>>;

export type ConfigurationName = keyof typeof CONFIGURATIONS;

/** Values of a policy and of its budget that are other than those of `balanced`. */
interface PolicyChanges extends Partial<CostPolicy> {
  readonly id: string;
  readonly limits?: WindowLimits;
  readonly disabledLayers?: readonly string[];
}

/** A policy in both classes of edit safety: ids are `balanced/permissive` and so on. */
function inBothClasses(
  id: string,
  policy: CostPolicy,
  settings: Pick<Parameters<typeof managedPolicy>[0], "summaries" | "limits" | "disabledLayers">,
): readonly PolicyUnderTest[] {
  return CLASSES.map((editSafety) =>
    managedPolicy({
      id: `${id}/${editSafety}`,
      name: `${id}, ${editSafety}`,
      policy,
      editSafety,
      ...settings,
    }),
  );
}

/** The library's policies in one configuration. */
export function ownPolicies(configuration: ConfigurationName): readonly PolicyUnderTest[] {
  const summaries = CONFIGURATIONS[configuration];
  return NAMES.flatMap((name) =>
    inBothClasses(name, costPolicy(name)!, { summaries, limits: policyLimits(name) }),
  );
}

/** The default policy with other values, for choosing them. */
export function variedPolicies(
  changes: readonly PolicyChanges[],
  configuration: ConfigurationName,
): readonly PolicyUnderTest[] {
  const summaries = CONFIGURATIONS[configuration];
  return changes.flatMap(({ id, limits, disabledLayers, ...values }) =>
    inBothClasses(
      id,
      { ...costPolicy("balanced")!, ...values },
      { summaries, limits: { ...policyLimits("balanced"), ...limits }, disabledLayers },
    ),
  );
}

/** The library's policies without a model. */
export const OWN_POLICIES = ownPolicies("none");

/** Strict sessions whose context the provider edits, at first or alone. */
export const PROVIDER_SIDE: readonly PolicyUnderTest[] = (
  [
    { id: "provider-clear", providerEdits: { clear: true } },
    { id: "provider-compact", providerEdits: { compact: true } },
    { id: "provider-both", providerEdits: { clear: true, compact: true } },
  ] as const
).map(({ id, providerEdits }) =>
  managedPolicy({
    id: `${id}/strict`,
    name: `${id}, strict`,
    policy: costPolicy("faithful")!,
    editSafety: "strict",
    providerEdits,
    summaries: { asksModel: true },
  }),
);

/** The default policy without the appendix of exact strings, for measuring what the appendix gains. */
export const WITHOUT_APPENDIX = variedPolicies(
  [{ id: "balanced-no-appendix", appendix: { tokens: 0, floor: 0 } }],
  "none",
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
