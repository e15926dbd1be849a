/** `palimpsest-testing/internal`: for the sibling packages of exactly this version. It is not documented and may change with any release. */
export {
  all,
  CONTRACT_ID,
  checkpoint,
  message,
  seqs,
  textOf,
} from "../contracts/session-store-contract-kit.ts";
export { type TaskFilesHarness, taskFilesContract } from "../contracts/task-files-contract.ts";
export { FakeProcess } from "../fakes/fake-process.ts";
export { FakeTimer } from "../fakes/fake-time.ts";
export { type Crash, FakeFileSystemError } from "../fakes/in-memory-file-system.ts";
export type { FileFault } from "../faults/faulty-file-system.ts";
export { CacheModel, type PricedRequest } from "../metering/cache-model.ts";
export { findMetricStrings } from "../metering/metric-strings.ts";
export { Reachability } from "../metering/reachability.ts";
export { readableIn, stringsIn } from "../metering/readable-strings.ts";
export { ShownWindow } from "../metering/shown-window.ts";
export {
  type Author,
  makeTrajectory,
  type RecordedMessage,
  type Reference,
  type Trajectory,
  type TrajectoryMessage,
} from "../metering/trajectory.ts";
export { RECORDING_STEP_MS, trajectoryOf } from "../metering/trajectory-of-session.ts";
export {
  type CostFigures,
  FAR_TOKENS,
  type SurvivalFigures,
  WindowMeter,
} from "../metering/window-meter.ts";
export { nextUnitId, VisibleStrings, type WindowUnit } from "../metering/window-unit.ts";
