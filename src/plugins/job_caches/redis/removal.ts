import { oldestJobs } from "../oldest_jobs.ts";
import type { JobReads, JobRemoval } from "../parts.ts";
import { redisKey, type RedisReply, replyText, replyTexts } from "./replies.ts";
import type { RedisCommand, RedisStore } from "./store.ts";

/** Jobs that are removed in one transaction. */
const SLICE = 100;

/** Removes settled jobs, a slice in each transaction. */
export function jobRemoval(store: RedisStore, reads: Pick<JobReads, "outcomes">): JobRemoval {
  return {
    async expire(beforeMs) {
      let gone = 0;
      let kept = 0;
      for (;;) {
        const jids = replyTexts(
          await store.read("ZRANGE", redisKey("jobs"), "-inf", `(${beforeMs}`, "BYSCORE", "LIMIT", kept, SLICE),
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
        const excess = Number(replyText(await store.read("GET", redisKey("bytes")) ?? 0)) - bytes;
        if (excess <= 0) return gone;
        const jids = replyTexts(await store.run("ZRANGE", redisKey("jobs"), kept, kept + SLICE - 1));
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
  const open = await store.run("ZMSCORE", redisKey("open"), ...jids) as RedisReply[];
  return jids.filter((_jid, at) => open[at] === null);
}

async function sizeOf(store: RedisStore, jid: string): Promise<number> {
  const size = await store.run("HGET", redisKey("job", jid), "bytes");
  return size === null ? 0 : Number(replyText(size));
}

async function remove(
  store: RedisStore,
  reads: Pick<JobReads, "outcomes">,
  jids: readonly string[],
): Promise<void> {
  store.recent.clear();
  const commands: RedisCommand[] = [];
  const words = new Map<string, [kind: string, word: string]>();
  for (const jid of jids) {
    const [found, outcomes, size] = await Promise.all([
      store.run("SMEMBERS", redisKey("words", jid)),
      reads.outcomes(jid),
      sizeOf(store, jid),
    ]);
    for (const one of replyTexts(found)) {
      const [kind, word] = [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1)];
      commands.push(["ZREM", redisKey("word", kind, word), jid]);
      words.set(one, [kind, word]);
    }
    for (const { minion, state } of outcomes) commands.push(["ZREM", redisKey("state", state), `${jid} ${minion}`]);
    commands.push(["INCRBY", redisKey("bytes"), -size]);
    commands.push(["DEL", ...["job", "target", "ret", "back", "outcome", "words"].map((name) => redisKey(name, jid))]);
  }
  commands.push(["HDEL", redisKey("entries"), ...jids]);
  for (const name of ["jobs", "listed", "open", "failed"]) commands.push(["ZREM", redisKey(name), ...jids]);
  await store.transaction(commands);
  for (const [kind, word] of words.values()) {
    // No job has the word any more.
    if (await store.run("EXISTS", redisKey("word", kind, word)) === 0) {
      await store.run("ZREM", redisKey("words", kind), word);
    }
  }
}
