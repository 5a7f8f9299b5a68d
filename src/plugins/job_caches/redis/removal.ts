import { oldestJobs } from "../oldest_jobs.ts";
import type { JobReads, JobRemoval } from "../parts.ts";
import { key, type Reply, textOf, textsOf } from "./replies.ts";
import type { Command, RedisStore } from "./store.ts";

/** Jobs that are removed in one transaction. */
const SLICE = 100;

/** Removes settled jobs, a slice in each transaction. */
export function jobRemoval(store: RedisStore, reads: Pick<JobReads, "outcomes">): JobRemoval {
  return {
    async expire(beforeMs) {
      let gone = 0;
      let kept = 0;
      for (;;) {
        const jids = textsOf(
          await store.read("ZRANGE", key("jobs"), "-inf", `(${beforeMs}`, "BYSCORE", "LIMIT", kept, SLICE),
        );
        if (jids.length === 0) return gone;
        const settled = await settledOf(store, jids);
        kept += jids.length - settled.length;
        if (settled.length > 0) await remove(store, reads, settled);
        gone += settled.length;
      }
    },
    async shrink(bytes) {
      let gone = 0;
      let kept = 0;
      for (;;) {
        const excess = Number(textOf(await store.read("GET", key("bytes")) ?? 0)) - bytes;
        if (excess <= 0) return gone;
        const jids = textsOf(await store.run("ZRANGE", key("jobs"), kept, kept + SLICE - 1));
        if (jids.length === 0) return gone;
        const settled = await settledOf(store, jids);
        const sizes = await Promise.all(settled.map(async (jid) => ({ jid, size: await sizeOf(store, jid) })));
        const going = oldestJobs(sizes, excess).map(({ jid }) => jid);
        if (going.length === 0) kept += jids.length;
        else await remove(store, reads, going);
        gone += going.length;
      }
    },
  };
}

async function settledOf(store: RedisStore, jids: readonly string[]): Promise<string[]> {
  const open = await store.run("ZMSCORE", key("open"), ...jids) as Reply[];
  return jids.filter((_jid, at) => open[at] === null);
}

async function sizeOf(store: RedisStore, jid: string): Promise<number> {
  const size = await store.run("HGET", key("job", jid), "bytes");
  return size === null ? 0 : Number(textOf(size));
}

async function remove(
  store: RedisStore,
  reads: Pick<JobReads, "outcomes">,
  jids: readonly string[],
): Promise<void> {
  store.recent.clear();
  const commands: Command[] = [];
  const words = new Map<string, [kind: string, word: string]>();
  for (const jid of jids) {
    const [found, outcomes, size] = await Promise.all([
      store.run("SMEMBERS", key("words", jid)),
      reads.outcomes(jid),
      sizeOf(store, jid),
    ]);
    for (const one of textsOf(found)) {
      const [kind, word] = [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1)];
      commands.push(["ZREM", key("word", kind, word), jid]);
      words.set(one, [kind, word]);
    }
    for (const { minion, state } of outcomes) commands.push(["ZREM", key("state", state), `${jid} ${minion}`]);
    commands.push(["INCRBY", key("bytes"), -size]);
    commands.push(["DEL", ...["job", "target", "ret", "back", "outcome", "words"].map((name) => key(name, jid))]);
  }
  commands.push(["HDEL", key("entries"), ...jids]);
  for (const name of ["jobs", "listed", "open", "failed"]) commands.push(["ZREM", key(name), ...jids]);
  await store.transaction(commands);
  for (const [kind, word] of words.values()) {
    // No job has the word any more.
    if (await store.run("EXISTS", key("word", kind, word)) === 0) await store.run("ZREM", key("words", kind), word);
  }
}
