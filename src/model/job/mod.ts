/** What a job is: its id, its arguments, its load and where it is kept. */
export * from "./args.ts";
export * from "./jid.ts";
export * from "./job_cache.ts";
export * from "../../protocol/channel/minion_id.ts";
export * from "./outcome.ts";
export * from "./master_job.ts";
