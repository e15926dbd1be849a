/** `palimpsest-testing/internal`: for the sibling packages of exactly this version. It is not documented and may change with any release. */
export {
  all,
  CONTRACT_ID,
  checkpoint,
  message,
  seqs,
  textOf,
} from "../contracts/session-store-contract-kit.ts";
export { FakeProcess } from "../fakes/fake-process.ts";
export { FakeTimer } from "../fakes/fake-time.ts";
export { type Crash, FakeFileSystemError } from "../fakes/in-memory-file-system.ts";
export type { FileFault } from "../faults/faulty-file-system.ts";
