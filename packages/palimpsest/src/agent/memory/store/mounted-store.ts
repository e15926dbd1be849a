/**
 * A project's memory directory with its team's in the folder `team/`: two stores that look like one.
 *
 * Each keeps its own records and promises. A change of both at once would not be all or nothing, so there is none:
 * what a team knows is changed by changing the team's memories.
 */
import { MemoryError } from "../../../base/errors.ts";
import { TEAM_FOLDER } from "../../../memory/files/memory-index.ts";
import type {
  ArchivedFile,
  MemoryApplied,
  MemoryChange,
  MemoryFollower,
  MemoryListing,
  MemoryStore,
} from "../../../ports/memory-store.ts";

export { mountOf, TEAM_FOLDER } from "../../../memory/files/memory-index.ts";

/** The project's store with the team's mounted in it. Closing it closes both. */
export function mountTeam(project: MemoryStore, team: MemoryStore): MemoryStore {
  const canFollow = project.follow !== undefined && team.follow !== undefined;
  return {
    path: project.path,
    ...(canFollow ? { follow: () => followBoth(project.follow!(), team.follow!()) } : {}),
    list: async () => merge(await project.list(), await team.list()),
    read: async (path) => {
      if (!path.startsWith(TEAM_FOLDER)) return project.read(path);
      const file = await team.read(path.slice(TEAM_FOLDER.length));
      return file === undefined ? undefined : mounted(file);
    },
    apply: (changes) => applyTo({ project, team }, changes),
    archived: async () => {
      const files = [...(await project.archived()), ...(await team.archived()).map(mountedArchived)];
      return files.toSorted((one, other) => other.archivedMs - one.archivedMs);
    },
    readArchived: (id) =>
      id.startsWith(TEAM_FOLDER) ? team.readArchived(id.slice(TEAM_FOLDER.length)) : project.readArchived(id),
    readRecord: (name) => project.readRecord(name),
    writeRecord: (name, text) => project.writeRecord(name, text),
    appendRecord: (name, line) => project.appendRecord(name, line),
    listRecords: (prefix) => project.listRecords(prefix),
    tryLock: (name) => project.tryLock(name),
    close: async () => {
      await Promise.all([project.close(), team.close()]);
    },
  };
}

function mounted<Named extends { readonly path: string }>(file: Named): Named {
  return { ...file, path: TEAM_FOLDER + file.path };
}

function mountedArchived(file: ArchivedFile): ArchivedFile {
  return { ...mounted(file), id: TEAM_FOLDER + file.id };
}

/** The two read at once only where both can. */
function followBoth(project: MemoryFollower, team: MemoryFollower): MemoryFollower {
  const problems: [MemoryListing["problems"], MemoryListing["problems"]] = [[], []];
  const hidden = new Set<string>();
  const ofTeam = (path: string): string => path.slice(TEAM_FOLDER.length);
  const isTeams = (path: string): boolean => path.startsWith(TEAM_FOLDER);
  const { kept, keep } = project;
  return {
    next: async () => {
      const [ours, theirs] = [await project.next(), await team.next()];
      for (const { path } of ours.changed) if (isTeams(path)) hidden.add(path);
      for (const path of ours.removed) hidden.delete(path);
      if (ours.problems !== undefined) problems[0] = ours.problems;
      if (theirs.problems !== undefined) problems[1] = theirs.problems;
      return {
        changed: [...ours.changed.filter(({ path }) => !isTeams(path)), ...theirs.changed.map(mounted)],
        removed: [
          ...ours.removed.filter((path) => !isTeams(path)),
          ...theirs.removed.map((path) => TEAM_FOLDER + path),
        ],
        problems: [...problems[0], ...problems[1].map(mounted), ...[...hidden].map(hiddenProblem)],
      };
    },
    ...(project.read === undefined || team.read === undefined
      ? {}
      : {
          read: (path) => {
            if (!isTeams(path)) return project.read?.(path);
            const file = team.read?.(ofTeam(path));
            return file && mounted(file);
          },
        }),
    isLasting: (path, stamp) =>
      isTeams(path) ? team.isLasting(ofTeam(path), stamp) : project.isLasting(path, stamp),
    ...(kept === undefined ? {} : { kept: () => project.kept!() }),
    ...(keep === undefined ? {} : { keep: (pieces) => project.keep!(pieces) }),
    close: () => {
      project.close();
      team.close();
    },
  };
}

/** A folder of that name in the project's own directory cannot be seen behind the team's. */
function hiddenProblem(path: string): MemoryListing["problems"][number] {
  return { path, detail: "A team's memories are mounted in this folder: it is not read." };
}

function merge(project: MemoryListing, team: MemoryListing): MemoryListing {
  const hidden = project.files.filter(({ path }) => path.startsWith(TEAM_FOLDER));
  const files = [
    ...project.files.filter(({ path }) => !path.startsWith(TEAM_FOLDER)),
    ...team.files.map(mounted),
  ];
  return {
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    problems: [
      ...project.problems,
      ...team.problems.map(mounted),
      ...hidden.map(({ path }) => hiddenProblem(path)),
    ],
  };
}

async function applyTo(
  { project, team }: { readonly project: MemoryStore; readonly team: MemoryStore },
  changes: readonly MemoryChange[],
): Promise<MemoryApplied> {
  const isTeams = ({ path }: MemoryChange): boolean => path.startsWith(TEAM_FOLDER);
  if (!changes.some(isTeams)) return project.apply(changes);
  if (!changes.every(isTeams)) throw otherPlace(changes.map(({ path }) => path));
  const applied = await team.apply(
    changes.map((change) => ({ ...change, path: change.path.slice(TEAM_FOLDER.length) })),
  );
  if (!applied.isApplied)
    return { isApplied: false, conflicts: applied.conflicts.map((path) => TEAM_FOLDER + path) };
  const versions = [...applied.versions].map(([path, version]) => [TEAM_FOLDER + path, version] as const);
  return { isApplied: true, versions: new Map(versions) };
}

/** Some memories of the project's, and some of the team's. */
export function otherPlace(paths: readonly string[]): MemoryError {
  return new MemoryError("MEMORY_REFUSED", {
    message: `${paths.join(", ")} do not lie in one place: a project's and its team's memories are changed apart.`,
    hint: "Change those of the team by themselves; `isTeam` says where a new one goes.",
  });
}
