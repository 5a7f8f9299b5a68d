/** The minion: signs in to masters, runs what they publish, and returns what came of it. */
export { MasterConnection, RejectedError } from "./connection.ts";
export * from "./minion.ts";
export * from "./pillar.ts";
