import { refuseNewerForm } from "../server_failure.ts";
import type { Queries } from "./queries.ts";

/** Written into the table `brine_meta`; a newer form is refused rather than misread. */
const SCHEMA_VERSION = 1;

/** The tables that hold something of a job, by their names after `brine_`. */
export const JOB_TABLES = ["ret", "outcome", "word", "target", "job"];

/** Jids and minions are compared by bytes, as everywhere else here. */
const SCHEMA = `
CREATE TABLE brine_job (
  jid text COLLATE "C" PRIMARY KEY,
  created double precision NOT NULL,
  open boolean NOT NULL DEFAULT false,
  entry text,
  load bytea
);
CREATE INDEX brine_job_created ON brine_job (created, jid);
CREATE INDEX brine_job_open ON brine_job (jid) WHERE open;
CREATE TABLE brine_target (
  jid text COLLATE "C" NOT NULL,
  source text COLLATE "C" NOT NULL,
  minions bytea NOT NULL,
  PRIMARY KEY (jid, source)
);
CREATE TABLE brine_word (
  jid text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  word text COLLATE "C" NOT NULL
);
CREATE INDEX brine_word_of ON brine_word (jid);
CREATE INDEX brine_word_jid ON brine_word (kind, left(word, 500), jid);
CREATE TABLE brine_ret (
  jid text COLLATE "C" NOT NULL,
  minion text COLLATE "C" NOT NULL,
  stored double precision NOT NULL,
  value bytea NOT NULL,
  retcode bytea,
  success bytea,
  out text,
  failed boolean NOT NULL,
  PRIMARY KEY (jid, minion)
);
CREATE INDEX brine_ret_failed ON brine_ret (jid) WHERE failed;
CREATE TABLE brine_outcome (
  jid text COLLATE "C" NOT NULL,
  minion text COLLATE "C" NOT NULL,
  state text NOT NULL,
  outcome bytea NOT NULL,
  PRIMARY KEY (jid, minion)
);
CREATE INDEX brine_outcome_state ON brine_outcome (state, jid);
`;

/** Makes the tables if they are missing. @throws {ConfigError} if a newer release has made them */
export async function prepareSchema(queries: Queries, place: string): Promise<void> {
  // Of several masters that start at once, one makes the tables.
  await queries.unsafe("SELECT pg_advisory_xact_lock(1114794606)");
  await queries.unsafe("CREATE TABLE IF NOT EXISTS brine_meta (name text PRIMARY KEY, value text NOT NULL)");
  const [row] = await queries.unsafe("SELECT value FROM brine_meta WHERE name = 'version'");
  if (row === undefined) {
    await queries.unsafe(SCHEMA);
    await queries.unsafe(`INSERT INTO brine_meta (name, value) VALUES ('version', '${SCHEMA_VERSION}')`);
  } else refuseNewerForm(place, String(row.value), SCHEMA_VERSION, "returner.postgres.db");
}
