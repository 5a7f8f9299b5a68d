import type { JobLoad, StoredReturn } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";
import { decode, type Packed } from "../../../protocol/wire/msgpack.ts";
import { allMinions, byMinion, type JobReads } from "../parts.ts";
import { redisKey, type RedisReply, replyPairs, replyTexts, replyValue, splitMember } from "./replies.ts";
import type { RedisStore } from "./store.ts";

/** What is read of one job, and the short lists of jobs that a master looks after. */
export function jobReads(store: RedisStore): JobReads {
  return {
    async load(jid) {
      const reply = await store.read("HGET", redisKey("job", jid), "load");
      return reply === null ? undefined : replyValue(reply) as JobLoad;
    },
    hasLoad: async (jid) =>
      store.recent.hasLoad(jid) === true || await store.read("HEXISTS", redisKey("job", jid), "load") === 1,
    hasReturn: async (jid, minion) => await store.read("HEXISTS", redisKey("ret", jid), minion) === 1,
    async minions(jid) {
      const lists = await store.read("HVALS", redisKey("target", jid)) as RedisReply[];
      return allMinions(lists.map((reply) => replyValue(reply) as string[]));
    },
    async returns(jid) {
      const returns = [...replyPairs(await store.read("HGETALL", redisKey("ret", jid)))];
      return returns.map(([minion, reply]) => returnOf(minion, reply)).sort(byMinion);
    },
    async outcomes(jid) {
      const found = await store.read("HVALS", redisKey("outcome", jid)) as RedisReply[];
      return found.map((reply) => replyValue(reply) as TargetOutcome).sort(byMinion);
    },
    unsettled: async () => replyTexts(await store.read("ZRANGE", redisKey("open"), 0, -1)),
    async inState(state) {
      const found: { jid: string; outcome: TargetOutcome }[] = [];
      for (const member of replyTexts(await store.read("ZRANGE", redisKey("state", state), 0, -1))) {
        const [jid, minion] = splitMember(member);
        const reply = await store.run("HGET", redisKey("outcome", jid), minion);
        if (reply !== null) found.push({ jid, outcome: replyValue(reply) as TargetOutcome });
      }
      return found;
    },
  };
}

function returnOf(minion: string, reply: RedisReply): StoredReturn {
  const fields = decode(reply as Uint8Array, { mode: "bin", keep: ["return"] }) as
    & Omit<StoredReturn, "minion" | "return">
    & { return: Packed };
  const { retcode, success, out, storedMs } = fields;
  const found = { minion, return: fields.return, retcode, success, storedMs: Number(storedMs) };
  return out === undefined ? found : { ...found, out };
}
