/**
 * Three days of a host by a fake clock. Every eight hours its process dies in the middle of a turn, and a new one goes
 * on over what lies on the disk. All that a home does by itself happens when it is due, once, and no turn waits for it.
 *
 * A turn's delay is what the fake clock advances meanwhile. Only jobs advance it, and they are held until the turns of
 * a life have ended. A turn that waits for one is let go by a net, and has the job's time as its delay.
 */
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { functionModel } from "#models/function/function-model.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { at, leftBehind, open, texts, useHomes } from "#test/helpers/homes.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

useHomes();

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2030, 0, 1);
const RULE = "Use tabs in the parser.";
/** The clock is set on by this. Both steps divide the hours at which something is due. */
const STEP_HOURS = bySize({ usual: 4, long: 1 });
/** A job in the background takes this long by the fake clock. */
const JOB_MS = 60_000;
/** A turn that has not ended by then waits for a job that is held. Only a failing test waits as long. */
const NET_MS = 60_000;

/** What a dead process leaves: the files as they are, and no lease, since its writer is dead. */
function afterDeath(from: string, to: string): string {
  cpSync(from, to, { recursive: true, filter: (path) => !basename(path).startsWith("lease.") });
  return to;
}

class Host {
  /** Its turns wait for a job, as they must not. */
  readonly #isWaiting: boolean;
  nowMs = START_MS;
  readonly events: { readonly atMs: number; readonly event: SessionEvent }[] = [];
  readonly turnDelaysMs: number[] = [];
  /** Turns during which a job of the background was due and not done. */
  turnsBesideJobs = 0;

  constructor({ isWaiting = false } = {}) {
    this.#isWaiting = isWaiting;
  }

  of<Type extends SessionEvent["type"]>(
    type: Type,
  ): readonly Extract<SessionEvent, { readonly type: Type }>[] {
    return this.events.flatMap(({ event }) => (event.type === type ? [event as never] : []));
  }

  hoursOf(job: string): readonly number[] {
    return this.events
      .filter(({ event }) => event.type === "background" && event.job === job)
      .map(({ atMs }) => Math.floor((atMs - START_MS) / HOUR_MS));
  }

  /** One process: a new session with two turns, hours in which it is open, and death in the middle of a third turn. */
  async life(folder: string, name: string, resumed: string | undefined): Promise<void> {
    const clock = { nowMs: () => this.nowMs };
    const home = open({ home: folder, clock });
    const memory = createMemory({ home, clock });
    const held: (() => void)[] = [];
    let isHolding = true;
    let begun = 0;
    let done = 0;
    const inBackground = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      begun++;
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      const result = await work();
      this.nowMs += JOB_MS;
      done++;
      return result;
    };
    const [cleanUp, dream] = [home.cleanUp.bind(home), memory.dream.bind(memory)];
    home.cleanUp = (options) => inBackground(() => cleanUp(options));
    memory.dream = (options) => inBackground(() => dream(options));
    const tick: (() => void)[] = [];
    const everyHour = (ms: number, work: () => void): (() => void) => {
      if (ms === HOUR_MS) tick.push(work);
      return () => undefined;
    };
    let isDying = false;
    const release = (): void => {
      isHolding = false;
      for (const go of held.splice(0)) go();
    };
    const answer = async (): Promise<string> => {
      if (isDying) return new Promise<never>(() => undefined);
      if (this.#isWaiting) {
        release();
        await until(() => done > 0);
      }
      return "Understood.";
    };
    const palimpsest = createPalimpsest({
      ...{ home, memory, clock },
      timer: { every: (ms, work) => everyHour(ms, work) },
      notes: { updater: "extractive", isGated: false, costShareCap: "off" },
      model: functionModel(answer, { model: "claude-opus-5-5" }),
      background: { closeOnExit: false },
      observer: { onEvent: (event) => void this.events.push({ atMs: this.nowMs, event }) },
    });
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await setImmediate();
    };
    const session = await palimpsest.session(name);
    for (const text of [`Remember that ${name} is a bridge.`, "Go on."]) {
      await until(() => begun > 0);
      const beforeMs = this.nowMs;
      const net = setTimeout(release, NET_MS);
      await session.turn(text);
      clearTimeout(net);
      this.turnDelaysMs.push(this.nowMs - beforeMs);
      if (done < begun) this.turnsBesideJobs++;
    }
    expect(texts(session.session).filter((text) => text.includes(RULE))).toHaveLength(1);
    release();
    // The clean-up, and then the dream.
    let looks = 1;
    await until(() => done === 2 * looks);
    if (resumed !== undefined) {
      const earlier = await palimpsest.session(resumed);
      looks++;
      await until(() => done === 2 * looks);
      await earlier.memorySettled();
      expect(texts(earlier.session).filter((text) => text.includes(RULE))).toHaveLength(1);
    }
    for (let hour = 0; hour < 8; hour += STEP_HOURS) {
      const stepMs = STEP_HOURS * HOUR_MS;
      this.nowMs = Math.ceil((this.nowMs + 1) / stepMs) * stepMs;
      for (const work of tick) work();
      looks++;
      await until(() => done === 2 * looks);
    }
    await session.memorySettled();
    await session.notesSettled();
    isDying = true;
    const last = `Remember that the river of ${name} is wide.`;
    void session.turn(last).catch(() => undefined);
    await until(() => texts(session.session).includes(last));
  }
}

it("three days of a host that dies nine times", async () => {
  writeFileSync(at("app", "CLAUDE.md"), RULE);
  const host = new Host();
  const old = await leftBehind(
    open({ home: at("home-0"), clock: { nowMs: () => START_MS - 31 * 24 * HOUR_MS } }),
    "An old one.",
  );
  for (let life = 0; life < 9; life++) {
    await host.life(at(`home-${life}`), `s${life}`, life === 0 ? undefined : `s${life - 1}`);
    afterDeath(at(`home-${life}`), at(`home-${life + 1}`));
  }
  const home = open({ home: at("home-9"), clock: { nowMs: () => host.nowMs } });
  const { memories } = await createMemory({ home }).list();
  // The first look of each day; the starts and looks in between clean up nothing.
  expect(host.hoursOf("clean-up")).toEqual([0, 24, 48, 72]);
  expect((await home.listTrash()).map(({ sessionId }) => sessionId)).toEqual([old]);
  // The fifth session began at hour 32; 24 hours later five were active again.
  expect(host.hoursOf("dream")).toEqual([32, 56]);
  expect(host.hoursOf("start-context")).toEqual([0, 8, 16, 24, 32, 40, 48, 56, 64]);
  expect(host.hoursOf("extraction")).toEqual([8, 16, 24, 32, 40, 48, 56, 64]);
  expect(host.of("background").filter(({ outcome }) => outcome === "failed")).toEqual([]);
  const bridgeFiles = [...Array(9).keys()].map((life) => `s${life}-is-a-bridge.md`);
  const riverFiles = [...Array(8).keys()].map((life) => `the-river-of-s${life}-is-wide.md`);
  expect(memories.map(({ path }) => path)).toEqual([...bridgeFiles, ...riverFiles]);
  for (let life = 0; life < 9; life++)
    expect(existsSync(join(home.project.folder, `s${life}`, "notes.md")), `notes of s${life}`).toBe(true);
  expect(host.turnsBesideJobs).toBe(18);
  expect(host.turnDelaysMs).toEqual(Array(18).fill(0));
  console.log(
    `${host.turnDelaysMs.length} turns, ${host.turnsBesideJobs} beside work in the background; longest delay ${Math.max(...host.turnDelaysMs)} ms`,
  );
});

it("a turn that waits for work in the background has its time as delay", async () => {
  writeFileSync(at("app", "CLAUDE.md"), RULE);
  const host = new Host({ isWaiting: true });
  await host.life(at("home-0"), "s0", undefined);
  expect(host.turnDelaysMs[0]).toBeGreaterThanOrEqual(JOB_MS);
});
