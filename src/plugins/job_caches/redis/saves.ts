import { summaryOf } from "../../../model/job/job_cache.ts";
import { OUTCOME_STATES, succeeded } from "../../../model/job/outcome.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import { entryText } from "../entry_text.ts";
import type { JobReads, JobSaves } from "../parts.ts";
import { storedWordsOf } from "../search.ts";
import { redisKey } from "./replies.ts";
import type { RedisStore } from "./store.ts";

/** What a master saves, each into the buffer that the next flush sends. */
export function jobSaves(store: RedisStore, reads: Pick<JobReads, "hasLoad">): JobSaves {
  const { writes, recent, now } = store;
  const addJob = (jid: string) => writes.push(["ZADD", redisKey("jobs"), "NX", now(), jid]);
  const addBytes = (jid: string, bytes: number) => {
    writes.push(["HINCRBY", redisKey("job", jid), "bytes", bytes]);
    writes.push(["INCRBY", redisKey("bytes"), bytes]);
  };
  const setTargets = (jid: string, source: string, minions: readonly string[]) =>
    writes.push(["HSET", redisKey("target", jid), source, encode(minions, "bin")]);

  return {
    async reserve(jid) {
      await writes.settle();
      // Not buffered: two masters may share the server.
      const isFree = await store.run("ZADD", redisKey("jobs"), "NX", now(), jid) === 1;
      if (isFree) recent.remember(jid, false);
      return isFree;
    },
    async saveLoad(jid, load, minions) {
      // Reserved here and without a load: the server need not be asked.
      const isNew = recent.hasLoad(jid) === false || !await reads.hasLoad(jid);
      if (!isNew) {
        setTargets(jid, "", minions);
        writes.push(["ZADD", redisKey("open"), 0, jid]);
        return;
      }
      const summary = summaryOf(load);
      const packed = encode(load, "bin");
      addJob(jid);
      writes.push(["HSETNX", redisKey("job", jid), "load", packed]);
      addBytes(jid, packed.length);
      setTargets(jid, "", minions);
      writes.push(["HSETNX", redisKey("entries"), jid, entryText(jid, summary)]);
      writes.push(["ZADD", redisKey("listed"), 0, jid]);
      writes.push(["ZADD", redisKey("open"), 0, jid]);
      for (const [kind, word] of storedWordsOf(summary)) {
        writes.push(["SADD", redisKey("words", jid), `${kind}:${word}`]);
        writes.push(["ZADD", redisKey("word", kind, word), 0, jid]);
        writes.push(["ZADD", redisKey("words", kind), 0, word]);
      }
      recent.remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      addJob(jid);
      setTargets(jid, syndic, minions);
    },
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      const isKnown = async () => await store.run("HEXISTS", redisKey("ret", jid), minion) === 1;
      return writes.once(`${jid} ${minion}`, isKnown, () => {
        const failed = !succeeded(retcode, success);
        const packed = encode({ return: value, retcode, success, out, storedMs }, "bin");
        addJob(jid);
        writes.push(["HSETNX", redisKey("ret", jid), minion, packed]);
        writes.push(["HSETNX", redisKey("back", jid), minion, `${storedMs} ${failed ? 1 : 0}`]);
        if (failed) writes.push(["ZADD", redisKey("failed"), 0, jid]);
        addBytes(jid, packed.length);
      });
    },
    saveOutcomes(jid, outcomes) {
      if (outcomes.length === 0) return;
      addJob(jid);
      const members = outcomes.map(({ minion }) => `${jid} ${minion}`);
      for (const state of OUTCOME_STATES) writes.push(["ZREM", redisKey("state", state), ...members]);
      for (const [at, outcome] of outcomes.entries()) {
        writes.push(["ZADD", redisKey("state", outcome.state), 0, members[at]!]);
        writes.push(["HSET", redisKey("outcome", jid), outcome.minion, encode(outcome, "bin")]);
      }
    },
    settle: (jid) => writes.push(["ZREM", redisKey("open"), jid]),
  };
}
