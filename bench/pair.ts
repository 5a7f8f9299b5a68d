/** A master and its minion `m1`, both of one side, ready for jobs. */
import { LocalClient } from "../src/client/local_client.ts";
import { silentLogger } from "../src/base/log.ts";
import { nodeRuntime } from "../src/runtime/node/node_runtime.ts";
import { Bed } from "./bed/bed.ts";
import type { Daemon } from "./bed/daemon.ts";
import type { Side } from "./bed/sides.ts";

export interface Pair extends AsyncDisposable {
  side: Side;
  bed: Bed;
  master: Daemon;
  minion: Daemon;
}

export const MINION = "m1";

/** Starts both, each with its own extra options; resolves once the minion has answered a ping. */
export async function startPair(
  side: Side,
  more: Record<string, unknown> = {},
  ofMaster: Record<string, unknown> = {},
): Promise<Pair> {
  const bed = new Bed();
  try {
    const master = await bed.startMaster(side, ofMaster);
    const minion = bed.startMinion(side, MINION, more);
    await using client = await LocalClient.open({
      runtime: nodeRuntime(),
      log: silentLogger,
      opts: bed.clientOptions,
    });
    await bed.until(minion, "the minion answers", async () => {
      const answers = await client.command({ tgt: MINION, fun: "test.ping" }, { timeoutMs: 1000, gatherMs: 500 });
      return answers[MINION] === true;
    });
    return { side, bed, master, minion, [Symbol.asyncDispose]: () => bed.stop() };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

/** Starts several pairs, one after the other; stops all of them if one does not start. */
export async function startPairs(sides: readonly Side[], say: (line: string) => void): Promise<Pair[]> {
  const pairs: Pair[] = [];
  try {
    for (const side of sides) {
      say(`starting master and minion: ${side.name}`);
      pairs.push(await startPair(side));
    }
    return pairs;
  } catch (error) {
    await Promise.all(pairs.map((pair) => pair.bed.stop()));
    throw error;
  }
}
