import { summaryOf } from "../../../model/job/job_cache.ts";
import { succeeded } from "../../../model/job/outcome.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";
import { toColumn } from "../columns.ts";
import { entryText } from "../entry_text.ts";
import type { JobReads, JobSaves } from "../parts.ts";
import { storedWordsOf } from "../search.ts";
import { type PostgresQuery, toText } from "./queries.ts";
import type { PostgresStore } from "./store.ts";

const INSERT_JOB = "INSERT INTO brine_job (jid, created) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const UPSERT_LOAD = "INSERT INTO brine_job (jid, created, open, entry, load) VALUES ($1, $2, true, $3, $4) " +
  "ON CONFLICT (jid) DO UPDATE SET open = true, entry = coalesce(brine_job.entry, excluded.entry), " +
  "load = coalesce(brine_job.load, excluded.load)";
const UPSERT_TARGET = "INSERT INTO brine_target (jid, source, minions) VALUES ($1, $2, $3) " +
  "ON CONFLICT (jid, source) DO UPDATE SET minions = excluded.minions";
const UPSERT_OUTCOMES = "INSERT INTO brine_outcome (jid, minion, state, outcome) " +
  "SELECT $1, o.minion, o.state, decode(o.outcome, 'hex') " +
  "FROM json_to_recordset($2::text::json) AS o(minion text, state text, outcome text) WHERE ";
const REPLACED = " ON CONFLICT (jid, minion) DO UPDATE SET state = excluded.state, outcome = excluded.outcome";
/** The job is the lease's, or nobody's. */
const isOwn = (jid: string, lease: string) =>
  `EXISTS (SELECT 1 FROM brine_job own WHERE own.jid = ${jid} AND coalesce(own.owner, ${lease}) = ${lease})`;

/** Under which lease things are decided, where several masters share the server. */
interface DecidingLease {
  /** Buffers the check of the lease. @returns its name @throws if there is none */
  decide(): string;
}

/** What a master saves, each into the buffer that the next flush sends. */
export function jobSaves(store: PostgresStore, reads: Pick<JobReads, "hasLoad">, leases?: DecidingLease): JobSaves {
  const { writes, recent, now } = store;
  const jobRow = (jid: string): PostgresQuery => [INSERT_JOB, jid, now()];
  const targetRow = (
    jid: string,
    source: string,
    minions: readonly string[],
  ): PostgresQuery => [UPSERT_TARGET, jid, source, encode(minions, "bin")];

  const { give, keepSeal } = ownership(store, leases);

  return {
    async reserve(jid) {
      await writes.settle();
      // Not buffered: two masters may share the server.
      const rows = await store.run(`${INSERT_JOB} RETURNING jid`, jid, now());
      if (rows.length > 0) recent.remember(jid, false);
      return rows.length > 0;
    },
    async saveLoad(jid, load, minions, { seal } = {}) {
      // Reserved here and without a load: the server need not be asked.
      const isNew = recent.hasLoad(jid) === false || !await reads.hasLoad(jid);
      // After the look: what follows is buffered together, and the check of the lease with it.
      leases?.decide();
      if (!isNew) {
        writes.push(targetRow(jid, "", minions));
        writes.push(["UPDATE brine_job SET open = true WHERE jid = $1", jid]);
        give(jid);
        keepSeal(jid, seal);
        return;
      }
      const summary = summaryOf(load);
      writes.push([UPSERT_LOAD, jid, now(), entryText(jid, summary), encode(load, "bin")]);
      writes.push(targetRow(jid, "", minions));
      for (const [kind, word] of storedWordsOf(summary)) {
        writes.push(["INSERT INTO brine_word (jid, kind, word) VALUES ($1, $2, $3)", jid, kind, toText(word)]);
      }
      give(jid);
      keepSeal(jid, seal);
      recent.remember(jid, true);
    },
    saveMinions(jid, minions, syndic = "") {
      writes.push(jobRow(jid));
      writes.push(targetRow(jid, syndic, minions));
    },
    saveReturn(jid, { minion, return: value, retcode, success, out, storedMs }) {
      return writes.once(`${jid} ${minion}`, () => store.known.has(jid, minion), () => {
        writes.push({
          jid,
          minion,
          stored: storedMs,
          value: value.bytes,
          retcode: toColumn(retcode),
          success: toColumn(success),
          out: out === undefined ? null : toText(out),
          failed: !succeeded(retcode, success),
        });
      });
    },
    saveOutcomes(jid, outcomes) {
      writes.push(jobRow(jid));
      // Of two of one minion the later counts, and one statement cannot write a row twice.
      const latest = new Map(outcomes.map((outcome) => [outcome.minion, outcome]));
      const rows = JSON.stringify([...latest.values()].map((outcome) => ({
        minion: toText(outcome.minion),
        state: outcome.state,
        outcome: hex(encode(outcome, "bin")),
      })));
      if (leases === undefined) writes.push([`${UPSERT_OUTCOMES}true${REPLACED}`, jid, rows]);
      else writes.push([`${UPSERT_OUTCOMES}${isOwn("$1", "$3")}${REPLACED}`, jid, rows, leases.decide()]);
    },
    settle(jid) {
      const sql = "UPDATE brine_job SET open = false WHERE jid = $1 AND open";
      if (leases === undefined) writes.push([sql, jid]);
      else writes.push([`${sql} AND coalesce(owner, $2) = $2`, jid, leases.decide()]);
    },
  };
}

/** What is written of a job beside itself where several masters share the server. */
function ownership({ writes }: PostgresStore, leases: DecidingLease | undefined) {
  return {
    give(jid: string): void {
      if (leases === undefined) return;
      writes.push(["UPDATE brine_job SET owner = $2 WHERE jid = $1 AND owner IS NULL", jid, leases.decide()]);
    },
    keepSeal(jid: string, seal: Uint8Array | undefined): void {
      if (leases === undefined || seal === undefined) return;
      writes.push([
        `UPDATE brine_job SET seal = $2 WHERE jid = $1 AND ${isOwn("$1", "$3")}`,
        jid,
        seal,
        leases.decide(),
      ]);
    },
  };
}
