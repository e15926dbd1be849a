/**
 * The demo from end to end: played live through the engine, on disk, in a window a fraction the size of
 * what is said; then reopened and checked.
 */
import { nodeSessions } from "palimpsest";
import { EventLoopYielder } from "palimpsest/internal";
import { SessionTrack } from "../replay/measure/session-track.ts";
import {
  checkLossless,
  checkRebuild,
  type LosslessResult,
  type RebuildResult,
} from "../replay/measure/stored-checks.ts";
import { WireJudge } from "../replay/measure/wire-judge.ts";
import type { DemoFactResult } from "./demo-json.ts";
import { type ConversationFigures, DemoStage, type StageSetting } from "./demo-stage.ts";

interface DemoSetting extends StageSetting {
  /** Folder that the session is stored in. */
  readonly storeFolder: string;
  readonly windowTokens: number;
}

export interface DemoOutcome {
  readonly facts: readonly DemoFactResult[];
  readonly track: SessionTrack;
  readonly lossless: LosslessResult;
  readonly rebuild: RebuildResult;
  readonly figures: ConversationFigures;
  /** The largest request as the scripted model billed it. */
  readonly billedPeakTokens: number;
  readonly bytesWritten: number;
  readonly totalMs: number;
}

/** Plays the demo to its end. @throws `ABORTED` once it is stopped; whatever the engine throws. */
export async function playDemo(setting: DemoSetting): Promise<DemoOutcome> {
  const startedMs = performance.now();
  const track = new SessionTrack(new WireJudge({ hasAnthropicTools: true }));
  const sessions = nodeSessions({ folder: setting.storeFolder });
  const options = {
    observer: track,
    durability: "durable",
    window: { windowTokens: setting.windowTokens },
  } as const;
  const session = await sessions.create({ ...options, source: { format: "demo" } });
  const stage = new DemoStage(setting, session, track);
  await stage.play();
  await session.close();

  const yielder = new EventLoopYielder(setting.signal);
  const reopened = await sessions.open(session.id, options);
  const rebuild = await checkRebuild(reopened, track.calls, yielder);
  const lossless = await checkLossless(reopened, track.originals, yielder);
  await reopened.close();
  const { facts, figures, billedPeakTokens } = stage;
  // Opening it again may have added a checkpoint.
  const bytesWritten = session.bytesWritten() + reopened.bytesWritten();
  return {
    facts,
    track,
    lossless,
    rebuild,
    figures,
    billedPeakTokens,
    bytesWritten,
    totalMs: performance.now() - startedMs,
  };
}
