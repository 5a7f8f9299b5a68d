/** What the fleet of a soak is asked to do: everything that Brine serves, at random, by a seed. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { connect as dial } from "node:net";
import { pause } from "../../bench/bed/until.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { Random } from "../faults/history.ts";
import type { Fleet } from "./fleet.ts";

/** One kind of work. */
interface Work {
  /** How often it is chosen, beside the others. */
  weight: number;
  run(fleet: Fleet, random: Random): Promise<void>;
}

const WAIT = { timeoutMs: 30_000, gatherMs: 5000 };

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}

/** Some of the minions, one at least. */
function some(random: Random, ids: readonly string[], share = 0.5): string[] {
  const found = ids.filter(() => random() < share);
  return found.length > 0 ? found : [pick(random, ids)];
}

function token(): string {
  return `t${randomBytes(8).toString("hex")}`;
}

/** Publishes a job that leaves a token, and tells the witness. */
async function leave(fleet: Fleet, minions: readonly string[], before: string, more = {}): Promise<void> {
  const mark = token();
  const isReal = fleet.real.includes(minions[0]!);
  const request = isReal
    ? { fun: "cmd.run", arg: [`${before} echo ${mark} >> "$RUNS"; echo ${mark}`] }
    : { fun: "soak.leave", arg: [mark] };
  const published = await fleet.client.publish({ tgt: [...minions], tgt_type: "list", ...request, ...more });
  if (published !== undefined) fleet.witness.published(published.jid, published.minions, mark);
}

/** Subscribes to the bus for a while, reading or not. */
function subscriber(fleet: Fleet, ms: number, reads: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = dial(fleet.path("master", "run", "master_event_pub.ipc"));
    socket.on("error", () => {});
    socket.once("close", () => resolve());
    if (reads) socket.resume();
    else socket.pause();
    setTimeout(() => socket.destroy(), ms);
  });
}

/** The kinds of work by name. */
const WORK: Record<string, Work> = {
  "ping of all": {
    weight: 10,
    async run({ client }) {
      await client.run({ tgt: "*", fun: "test.ping" }, WAIT).all();
    },
  },
  "command with a mark": {
    weight: 14,
    run: (fleet, random) => leave(fleet, some(random, fleet.real), random() < 0.3 ? "sleep 0.5;" : ""),
  },
  "function with a mark": { weight: 14, run: (fleet, random) => leave(fleet, some(random, fleet.swarm, 0.2), "") },
  "job that is queued": {
    weight: 3,
    run: (fleet, random) => leave(fleet, some(random, fleet.real), "", { queue: 60 }),
  },
  "large return": {
    weight: 3,
    run: (fleet, random) =>
      leave(fleet, [pick(random, fleet.real)], `head -c ${Math.floor(random() * 2e6)} /dev/zero | tr '\\0' x; echo;`),
  },
  "large returns of the swarm": {
    weight: 2,
    async run({ client, swarm }, random) {
      const text = "x".repeat(Math.floor(random() * 50_000));
      await client.run({ tgt: some(random, swarm, 0.2), fun: "test.echo", arg: [text] }, WAIT).all();
    },
  },
  states: {
    weight: 3,
    async run({ client, real, swarm }, random) {
      const tgt = random() < 0.5 ? [pick(random, real)] : some(random, swarm, 0.1);
      await client.run({ tgt, fun: "state.apply", arg: ["web"] }, WAIT).all();
    },
  },
  "pillar refresh": {
    weight: 2,
    async run(fleet, random) {
      fleet.writePillar(Math.floor(random() * 1000));
      await fleet.client.run({ tgt: some(random, fleet.swarm, 0.3), fun: "saltutil.refresh_pillar" }, WAIT).all();
    },
  },
  "file transfer": {
    weight: 3,
    async run(fleet, random) {
      if (random() < 0.3) {
        writeFileSync(fleet.path("states", "large.bin"), token().repeat(20_000 + Math.floor(random() * 40_000)));
      }
      const tgt = random() < 0.5 ? [pick(random, fleet.real)] : some(random, fleet.swarm, 0.1);
      await fleet.client.run({ tgt, fun: "cp.cache_file", arg: ["salt://large.bin"] }, WAIT).all();
    },
  },
  "event of a minion": {
    weight: 6,
    async run({ client, swarm }, random) {
      const tag = `soak/${pick(random, ["a", "b", "c"])}`;
      await client.run(
        { tgt: some(random, swarm, 0.1), fun: "event.send", arg: [tag, { text: "x".repeat(500) }] },
        WAIT,
      ).all();
    },
  },
  runner: {
    weight: 2,
    async run({ client }, random) {
      const fun = pick(random, ["manage.up", "jobs.list_jobs", "test.arg", "cache.grains"]);
      await client.runner({ fun, ...(fun === "cache.grains" ? { kwarg: { tgt: "s*" } } : {}) }, { timeoutMs: 60_000 });
    },
  },
  keys: {
    weight: 2,
    async run({ client }) {
      const id = `guest-${token()}`;
      await client.wheel({ fun: "key.gen_accept", kwarg: { id_: id, keysize: 2048 } });
      await client.wheel({ fun: "key.list_all" });
      await client.wheel({ fun: "key.delete", kwarg: { match: id } });
    },
  },
  "job over HTTP": {
    weight: 8,
    async run(fleet, random) {
      await using http = await fleet.http();
      await http.run({ tgt: some(random, fleet.swarm, 0.2), fun: "test.arg", arg: [token()] }, WAIT).all();
    },
  },
  "event stream over HTTP": {
    weight: 3,
    async run(fleet) {
      await using http = await fleet.http();
      await using events = http.events({ signal: AbortSignal.timeout(20_000) });
      await events.ready();
      let seen = 0;
      try {
        for await (const _event of events) if (++seen >= 20) break;
      } catch (error) {
        // Nothing else happened in that time.
        if (!/timeout|aborted/i.test(messageOf(error))) throw error;
      }
    },
  },
  "client that comes and goes": {
    weight: 4,
    async run(fleet) {
      await using client = await fleet.open();
      await client.command({ tgt: "s*", fun: "test.version" }, WAIT);
    },
  },
  "subscriber that comes and goes": {
    weight: 3,
    run: (fleet, random) => subscriber(fleet, 1000 + 9000 * random(), true),
  },
  "subscriber that is stuck": { weight: 1, run: (fleet) => subscriber(fleet, 10_000, false) },
};

/** What became of the work of one kind. */
export interface Tally {
  done: number;
  /** Not done while the master or the gateway was away. */
  excused: number;
  failed: number;
  /** The last message. */
  why?: string;
}

/** Work that may be under way at once. */
const MOST = 24;
/** After master or gateway came back, others still find their way to it. A minion that is away is no reason for a failure. */
const EXCUSED_MS = 30_000;

/** Works until it is over; resolves once all of it has ended. @param everyMs the mean time between two pieces of work */
export async function load(
  fleet: Fleet,
  random: Random,
  everyMs: number,
  isOver: () => boolean,
): Promise<Record<string, Tally>> {
  const names = Object.keys(WORK);
  const all = names.reduce((sum, name) => sum + WORK[name]!.weight, 0);
  const tallies: Record<string, Tally> = Object.fromEntries(
    names.map((name) => [name, { done: 0, excused: 0, failed: 0 }]),
  );
  const underWay = new Set<Promise<void>>();
  const begin = (name: string) => {
    const tally = tallies[name]!;
    const began = performance.now();
    const work = WORK[name]!.run(fleet, random).then(() => void tally.done++, (error) => {
      const calm = fleet.disturbedMs + EXCUSED_MS < began;
      tally[calm ? "failed" : "excused"]++;
      if (calm || tally.failed === 0) tally.why = messageOf(error).slice(0, 300);
    }).finally(() => underWay.delete(work));
    underWay.add(work);
  };
  while (!isOver()) {
    let left = random() * all;
    const name = names.find((one) => (left -= WORK[one]!.weight) < 0)!;
    if (underWay.size < MOST) begin(name);
    await pause(2 * everyMs * random());
  }
  await Promise.all(underWay);
  return tallies;
}
