/**
 * Which minions a job is for. A minion decides for itself (`matchMinion`), a master predicts who will answer
 * (`expandTarget`): the two differ on purpose and by accident, as they do in Salt.
 */
export * from "./compound.ts";
export * from "./data.ts";
export * from "./exact.ts";
export * from "./expand.ts";
export * from "./expression.ts";
export * from "../../language/python/glob.ts";
export * from "./ipcidr.ts";
export * from "./match.ts";
export * from "./mistake.ts";
export * from "./nodegroup.ts";
export * from "./patterns.ts";
export * from "./target.ts";
export * from "./top_target.ts";
