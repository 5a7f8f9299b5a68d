import type { JobLoad, StoredReturn } from "../../../model/job/job_cache.ts";
import type { TargetOutcome } from "../../../model/job/outcome.ts";
import { decode, type Packed } from "../../../protocol/wire/msgpack.ts";
import { allMinions, byMinion, type JobReads } from "../parts.ts";
import { key, pairsOf, type Reply, splitMember, textsOf, valueOf } from "./replies.ts";
import type { RedisStore } from "./store.ts";

/** What is read of one job, and the short lists of jobs that a master looks after. */
export function jobReads(store: RedisStore): JobReads {
  return {
    async load(jid) {
      const reply = await store.read("HGET", key("job", jid), "load");
      return reply === null ? undefined : valueOf(reply) as JobLoad;
    },
    hasLoad: async (jid) =>
      store.recent.hasLoad(jid) === true || await store.read("HEXISTS", key("job", jid), "load") === 1,
    hasReturn: async (jid, minion) => await store.read("HEXISTS", key("ret", jid), minion) === 1,
    async minions(jid) {
      const lists = await store.read("HVALS", key("target", jid)) as Reply[];
      return allMinions(lists.map((reply) => valueOf(reply) as string[]));
    },
    async returns(jid) {
      const returns = [...pairsOf(await store.read("HGETALL", key("ret", jid)))];
      return returns.map(([minion, reply]) => returnOf(minion, reply)).sort(byMinion);
    },
    async outcomes(jid) {
      const found = await store.read("HVALS", key("outcome", jid)) as Reply[];
      return found.map((reply) => valueOf(reply) as TargetOutcome).sort(byMinion);
    },
    unsettled: async () => textsOf(await store.read("ZRANGE", key("open"), 0, -1)),
    async inState(state) {
      const found: { jid: string; outcome: TargetOutcome }[] = [];
      for (const member of textsOf(await store.read("ZRANGE", key("state", state), 0, -1))) {
        const [jid, minion] = splitMember(member);
        const reply = await store.run("HGET", key("outcome", jid), minion);
        if (reply !== null) found.push({ jid, outcome: valueOf(reply) as TargetOutcome });
      }
      return found;
    },
  };
}

function returnOf(minion: string, reply: Reply): StoredReturn {
  const fields = decode(reply as Uint8Array, { mode: "bin", keep: ["return"] }) as
    & Omit<StoredReturn, "minion" | "return">
    & { return: Packed };
  const { retcode, success, out, storedMs } = fields;
  const found = { minion, return: fields.return, retcode, success, storedMs: Number(storedMs) };
  return out === undefined ? found : { ...found, out };
}
