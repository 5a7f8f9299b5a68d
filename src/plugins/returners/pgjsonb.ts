import type { ReturnerModule } from "../../model/loader/family.ts";
import { loadDriver } from "../driver.ts";
import { PGJSONB, postgresReturner } from "./postgres.ts";

/**
 * As `postgres`, with JSON in columns of PostgreSQL's own type. Options: `returner.pgjsonb.host`, `.port`, `.user`, `.pass`, `.db`;
 * `.create_tables`.
 *
 * @see salt/returners/pgjsonb.py
 */
export const returner: ReturnerModule = postgresReturner(
  () => loadDriver("postgres", "the returner pgjsonb"),
  PGJSONB,
);
