/**
 * The contestants: the policies of other agents, and the library's own policies in both classes of edit
 * safety.
 */

/** The peer that all are compared with; it is always there. */
export const PEER = "claude-code";

const ARRIVAL_LIMITS = [4_000, 8_000, 12_000, 16_000];
const ARRIVAL_PREVIEWS = [1_000, 2_000];

/**
 * `configuration`: what writes summaries and notes of the library's own policies. `varied`: values other than those of
 * `balanced`, each with an `id`.
 */
export async function loadContestants(dist, { isArrival, only, configuration = "none", varied = [] }) {
  const load = (file) => import(new URL(file, dist).href);
  const [{ BASELINES }, own] = await Promise.all([
    load("evaluation/dist/baselines/baselines.js"),
    load("evaluation/dist/simulator/own-policies.js"),
  ]);
  const peer = BASELINES.find(({ id }) => id === PEER);
  const all = isArrival
    ? [peer, ...(await arrivalContestants(load))]
    : [
        ...BASELINES,
        ...own.ownPolicies(configuration),
        ...own.variedPolicies(varied, configuration),
        ...(configuration === "none" ? own.WITHOUT_APPENDIX : []),
        ...own.PROVIDER_SIDE,
      ];
  if (only === undefined) return all;
  const wanted = only.split(",");
  const isNamed = ({ id }, name) => id === name || id.startsWith(`${name}/`);
  const unknown = wanted.find((name) => !all.some((policy) => isNamed(policy, name)));
  if (unknown !== undefined)
    throw new RangeError(`There is no policy ${unknown}: ${all.map(({ id }) => id).join(", ")}.`);
  return all.filter((policy) => policy.id === PEER || wanted.some((name) => isNamed(policy, name)));
}

/** The default policy with other limits for what is too large when it arrives, each in tokens. */
async function arrivalContestants(load) {
  const [{ managedPolicy }, { arrivalPolicy }, { costPolicy }] = await Promise.all(
    [
      "evaluation/dist/simulator/managed-window.js",
      "palimpsest/dist/compaction/planner/policies.js",
      "palimpsest/dist/compaction/planner/cost-policy.js",
    ].map(load),
  );
  const make = (id, name, arrival) =>
    managedPolicy({ id, name, policy: costPolicy("balanced"), editSafety: "strict", arrival });
  const limited = ARRIVAL_LIMITS.flatMap((blockTokens) =>
    ARRIVAL_PREVIEWS.map((previewTokens) =>
      make(
        `arrival-${blockTokens / 1_000}k-${previewTokens / 1_000}k`,
        `balanced, strict; above ${blockTokens / 1_000}K shows ${previewTokens / 1_000}K`,
        (windowTokens) => ({ ...arrivalPolicy(windowTokens), blockTokens, previewTokens }),
      ),
    ),
  );
  return [...limited, make("arrival-none", "balanced, strict; no limit at arrival", "none")];
}
