import { hex } from "../../../protocol/crypto/hex.ts";
import { concat } from "../../../runtime/bytes.ts";
import { type PostgresQuery, type PostgresRow, type ReturnRow, toText } from "./queries.ts";

/** Returns, and bytes of their values, that go in one statement. */
const MOST_ROWS = 500;
const MOST_BYTES = 4 * 2 ** 20;
/** Returns that the server is asked about at once. */
const MOST_ASKED = 1000;

/**
 * All values go as one: the driver writes bytes as digits, a call for each value. Jobs are in order, so that masters that save
 * returns of the same jobs at once do not wait for each other in a circle. Answers with those that another master had stored before.
 */
const INSERT = "WITH row AS MATERIALIZED (SELECT * FROM json_to_recordset($2::text::json) AS " +
  "r(jid text, minion text, stored float8, at int, len int, code text, verdict text, out text, failed boolean)), " +
  "job AS (INSERT INTO brine_job (jid, created) SELECT DISTINCT jid, $3::float8 FROM row ORDER BY jid ON CONFLICT DO NOTHING), " +
  "stored AS (INSERT INTO brine_ret (jid, minion, stored, value, retcode, success, out, failed) " +
  "SELECT jid, minion, stored, substring($1::bytea FROM at FOR len), decode(code, 'hex'), decode(verdict, 'hex'), out, failed " +
  "FROM row ORDER BY jid, minion ON CONFLICT DO NOTHING RETURNING jid, minion) " +
  "SELECT jid, minion FROM row EXCEPT SELECT jid, minion FROM stored";

/** The statements that save returns: each complete by itself. @param now milliseconds since the epoch, for jobs that are new */
export function returnStatements(rows: readonly ReturnRow[], now: number): PostgresQuery[] {
  const statements: PostgresQuery[] = [];
  for (let from = 0; from < rows.length;) {
    let [to, bytes] = [from, 0];
    while (to < rows.length && to - from < MOST_ROWS && (to === from || bytes + rows[to]!.value.length <= MOST_BYTES)) {
      bytes += rows[to++]!.value.length;
    }
    statements.push(statementOf(rows.slice(from, to), now));
    from = to;
  }
  return statements;
}

function statementOf(rows: readonly ReturnRow[], now: number): PostgresQuery {
  let at = 1;
  const fields = rows.map(({ jid, minion, stored, value, retcode, success, out, failed }) => {
    const from = at;
    at += value.length;
    return {
      jid: toText(jid),
      minion: toText(minion),
      stored,
      at: from,
      len: value.length,
      ...(retcode === null ? {} : { code: hex(retcode) }),
      ...(success === null ? {} : { verdict: hex(success) }),
      ...(out === null ? {} : { out }),
      failed,
    };
  });
  return [INSERT, concat(rows.map(({ value }) => value)), JSON.stringify(fields), now];
}

const ASK = "SELECT n FROM json_to_recordset($1::text::json) AS a(n int, jid text, minion text) " +
  "WHERE EXISTS (SELECT 1 FROM brine_ret r WHERE r.jid = a.jid AND r.minion = a.minion)";

/** Asks whether returns are stored: one question at a time for all that were asked for meanwhile. */
export class KnownReturns {
  readonly #run: (sql: string, ...values: string[]) => Promise<PostgresRow[]>;
  #waiting: { jid: string; minion: string; answer: (known: boolean) => void; fail: (error: unknown) => void }[] = [];
  #asking = false;

  constructor(run: (sql: string, ...values: string[]) => Promise<PostgresRow[]>) {
    this.#run = run;
  }

  has(jid: string, minion: string): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.push({ jid: toText(jid), minion: toText(minion), answer: resolve, fail: reject });
    if (!this.#asking) void this.#ask();
    return promise;
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    // What comes in the same turn is asked together.
    await undefined;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0, MOST_ASKED);
      try {
        const rows = await this.#run(ASK, JSON.stringify(asked.map(({ jid, minion }, n) => ({ n, jid, minion }))));
        const known = new Set(rows.map(({ n }) => Number(n)));
        asked.forEach(({ answer }, n) => answer(known.has(n)));
      } catch (error) {
        for (const { fail } of asked) fail(error);
      }
    }
    this.#asking = false;
  }
}
