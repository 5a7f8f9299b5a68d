/** The minion: signs in to masters, runs the jobs that they publish, and sends the returns. */
export { MasterConnection } from "./connection.ts";
export * from "./master_address.ts";
export { masterPlan } from "./master_plan.ts";
export * from "./minion.ts";
export type { OpenEngines } from "./minion_engines.ts";
export * from "./pillar.ts";
export { RejectedError } from "./sign_in.ts";
