/**
 * The library's own policies, in both classes of edit safety, as they are compared with others.
 */
import { costPolicy } from "palimpsest/experimental";
import type { PolicyUnderTest } from "./contestant.ts";
import { managedPolicy } from "./managed-window.ts";

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

/** The default policy without string appendix: what the appendix gains. */
export const WITHOUT_APPENDIX: readonly PolicyUnderTest[] = CLASSES.map((editSafety) =>
  managedPolicy({
    id: `balanced-no-appendix/${editSafety}`,
    name: `balanced without appendix, ${editSafety}`,
    policy: { ...costPolicy("balanced")!, appendix: { tokens: 0, floor: 0 } },
    editSafety,
  }),
);
