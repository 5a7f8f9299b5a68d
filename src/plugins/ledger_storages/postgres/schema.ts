import type { Queries } from "../../job_caches/postgres/queries.ts";
import { prepareSchema } from "../../job_caches/postgres/schema.ts";
import { refuseNewerForm } from "../../job_caches/server_failure.ts";

/** Written into the table `brine_meta` beside that of the job cache. */
const SCHEMA_VERSION = 2;

/** Form 2: the seals of jobs. */
const SEALS = "ALTER TABLE brine_job ADD COLUMN seal bytea;";

/** `brine_record.based_on`: the version that the change expected; -1: none. */
const SCHEMA = `
ALTER TABLE brine_job ADD COLUMN owner text COLLATE "C";
${SEALS}
CREATE INDEX brine_job_owner ON brine_job (owner, jid) WHERE open;
CREATE SEQUENCE brine_fence;
CREATE TABLE brine_lease (
  name text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  fence bigint NOT NULL,
  seconds double precision NOT NULL,
  until timestamptz NOT NULL,
  since timestamptz NOT NULL
);
CREATE TABLE brine_feed (
  kind text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  forgotten bigint NOT NULL DEFAULT 0
);
CREATE TABLE brine_record (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  based_on bigint NOT NULL,
  value bytea,
  by text NOT NULL,
  changed double precision NOT NULL,
  PRIMARY KEY (kind, name)
);
CREATE UNIQUE INDEX brine_record_version ON brine_record (kind, version);
CREATE TABLE brine_audit (
  by text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  at double precision NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (by, n)
);
CREATE INDEX brine_audit_at ON brine_audit (at, by, n);
`;

/** Makes the tables of the job cache and of the cluster if they are missing. @throws {ConfigError} for newer ones */
export async function prepareLedgerSchema(queries: Queries, place: string): Promise<void> {
  await prepareSchema(queries, place);
  const [row] = await queries.unsafe("SELECT value FROM brine_meta WHERE name = 'cluster'");
  if (row === undefined) {
    await queries.unsafe(SCHEMA);
    await queries.unsafe(`INSERT INTO brine_meta (name, value) VALUES ('cluster', '${SCHEMA_VERSION}')`);
    return;
  }
  refuseNewerForm(place, String(row.value), SCHEMA_VERSION, "cluster: postgres");
  if (Number(row.value) >= SCHEMA_VERSION) return;
  await queries.unsafe(SEALS);
  await queries.unsafe(`UPDATE brine_meta SET value = '${SCHEMA_VERSION}' WHERE name = 'cluster'`);
}
