import { summaryOf } from "../../../job/job_cache.ts";
import { succeeded } from "../../../job/outcome.ts";
import { encode } from "../../../wire/msgpack.ts";
import { toColumn } from "../columns.ts";
import { entryText } from "../entry_text.ts";
import type { JobReads, JobSaves } from "../parts.ts";
import { storedWordsOf } from "../search.ts";
import type { Query } from "./queries.ts";
import type { PostgresStore } from "./store.ts";
import { toText } from "./text.ts";

const INSERT_JOB = "INSERT INTO brine_job (jid, created) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const UPSERT_LOAD = "INSERT INTO brine_job (jid, created, open, entry, load) VALUES ($1, $2, true, $3, $4) " +
  "ON CONFLICT (jid) DO UPDATE SET open = true, entry = coalesce(brine_job.entry, excluded.entry), " +
  "load = coalesce(brine_job.load, excluded.load)";
const UPSERT_TARGET = "INSERT INTO brine_target (jid, source, minions) VALUES ($1, $2, $3) " +
  "ON CONFLICT (jid, source) DO UPDATE SET minions = excluded.minions";
const INSERT_RETURN = "INSERT INTO brine_ret (jid, minion, stored, value, retcode, success, out, failed) " +
  "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
const UPSERT_OUTCOME = "INSERT INTO brine_outcome (jid, minion, state, outcome) VALUES ($1, $2, $3, $4) " +
  "ON CONFLICT (jid, minion) DO UPDATE SET state = excluded.state, outcome = excluded.outcome";

/** What a master saves, each into the buffer that the next flush sends. */
export function jobSaves(store: PostgresStore, reads: Pick<JobReads, "hasLoad">): JobSaves {
  const { writes, recent, now } = store;
  const jobRow = (jid: string): Query => [INSERT_JOB, jid, now()];
  const targetRow = (
    jid: string,
    source: string,
    minions: readonly string[],
  ): Query => [UPSERT_TARGET, jid, source, encode(minions, "bin")];

  return {
    async reserve(jid) {
      await writes.settle();
      // Not buffered: two masters may share the server.
      const rows = await store.run(`${INSERT_JOB} RETURNING jid`, jid, now());
      if (rows.length > 0) recent.remember(jid, false);
      return rows.length > 0;
    },
    async saveLoad(jid, load, minions) {
      // Reserved here and without a load: the server need not be asked.
      const isNew = recent.hasLoad(jid) === false || !await reads.hasLoad(jid);
      if (!isNew) {
        writes.push(targetRow(jid, "", minions));
        writes.push(["UPDATE brine_job SET open = true WHERE jid = $1", jid]);
        return;
      }
      const summary = summaryOf(load);
      writes.push([UPSERT_LOAD, jid, now(), entryText(jid, summary), encode(load, "bin")]);
      writes.push(targetRow(jid, "", minions));
      for (const [kind, word] of storedWordsOf(summary)) {
        writes.push(["INSERT INTO brine_word (jid, kind, word) VALUES ($1, $2, $3)", jid, kind, toText(word)]);
      }
      recent.remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      writes.push(jobRow(jid));
      writes.push(targetRow(jid, syndic, minions));
    },
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      const isKnown = async () =>
        (await store.run("SELECT 1 FROM brine_ret WHERE jid = $1 AND minion = $2", jid, minion)).length > 0;
      return writes.once(`${jid} ${minion}`, isKnown, () => {
        writes.push(jobRow(jid));
        const [code, verdict] = [toColumn(retcode), toColumn(success)];
        const text = out === undefined ? null : toText(out);
        const failed = !succeeded(retcode, success);
        writes.push([INSERT_RETURN, jid, minion, storedMs, value.bytes, code, verdict, text, failed]);
      });
    },
    saveOutcomes(jid, outcomes) {
      writes.push(jobRow(jid));
      for (const outcome of outcomes) {
        writes.push([UPSERT_OUTCOME, jid, outcome.minion, outcome.state, encode(outcome, "bin")]);
      }
    },
    settle: (jid) => writes.push(["UPDATE brine_job SET open = false WHERE jid = $1 AND open", jid]),
  };
}
