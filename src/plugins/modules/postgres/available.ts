import type { Context } from "../../../model/loader/family.ts";
import { isProgram, which } from "../../linux/programs.ts";

/** True if PostgreSQL's program psql can be run here, or Debian's programs for its clusters. */
export function isAvailable({ runtime: { fs, process }, opts }: Pick<Context, "runtime" | "opts">): boolean {
  const directory = opts["postgres.bins_dir"];
  if (typeof directory === "string" && isProgram(fs, `${directory}/psql`)) return true;
  return ["psql", "pg_createcluster"].some((name) => which(fs, name, process.env("PATH")) !== undefined);
}
