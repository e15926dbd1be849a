/**
 * The figures by group, half and window: of the sessions that the peer compacts, and apart from them those that it
 * leaves alone because they fit its window.
 */
import { PEER } from "./contestants.mjs";

/** Its tenth of the sessions is too few in either half. */
const POOLED_GROUP = "codex";

export async function tablesOf({ cells, sessions, windows, contestants, dist, isEach }) {
  const load = (file) => import(new URL(`evaluation/dist/simulator/${file}.js`, dist).href);
  const [{ compareRuns, isLeftAlone, summarizeRuns }, { judgeFloors }] = await Promise.all(
    ["compare", "measures"].map(load),
  );
  const halves = isEach ? ["even", "odd"] : [undefined];
  const groups = [...new Set(sessions.map(({ group }) => group))];
  return groups.flatMap((group) =>
    windows.flatMap((size, window) => halves.map((half) => tableOf({ group, size, window, half }))),
  );

  function tableOf({ group, size, window, half }) {
    const own = sessions.filter((session) => session.group === group);
    const names = new Set(
      own.filter((one) => half === undefined || one.half === half).map(({ name }) => name),
    );
    const runsOf = (policy) =>
      cells.filter((cell) => cell.policy === policy && cell.window === window).map(({ run }) => run);
    const peer = runsOf(PEER);
    const alone = new Set(peer.filter(isLeftAlone).map(({ session }) => session));
    const populations = { compacted: (name) => !alone.has(name), "left alone": (name) => alone.has(name) };
    const parts = Object.entries(populations).map(([population, isIn]) => {
      const isHere = ({ session }) => names.has(session) && isIn(session);
      const isPooled = ({ session }) => own.some(({ name }) => name === session) && isIn(session);
      const rows = contestants.map(({ id }) => {
        const runs = runsOf(id);
        const difference = compareRuns(runs.filter(isHere), peer.filter(isHere));
        const tenths =
          group === POOLED_GROUP
            ? compareRuns(runs.filter(isPooled), peer.filter(isPooled)).measures
            : difference.measures;
        const floors = judgeFloors(difference.measures, { windowTokens: size.windowTokens, tenths });
        return { policy: id, figures: summarizeRuns(runs.filter(isHere)), difference, floors };
      });
      return { population, sessions: peer.filter(isHere).length, rows };
    });
    return { group, half, ...size, sessions: names.size, parts };
  }
}
