import { SaltError } from "../../base/errors.ts";

/** The ways to name minions that a publication may carry in `tgt_type`. */
export type TargetType =
  | "glob"
  | "pcre"
  | "list"
  | "grain"
  | "grain_pcre"
  | "pillar"
  | "pillar_pcre"
  | "pillar_exact"
  | "ipcidr"
  | "data"
  | "range"
  | "compound"
  | "compound_pillar_exact"
  | "nodegroup";

/** Which minions a job is for, as it stands in a publication. */
export interface Target {
  /** The expression: text for most types; an array for lists and for compound targets already split into words. */
  tgt: unknown;
  /** One of {@linkcode TargetType}; any other word matches nothing. @default "glob" */
  tgt_type?: string;
  /** Separator of the levels of grain and pillar expressions. @default ":" */
  delimiter?: string;
}

/** What a minion knows of itself when it decides whether a target means it. */
export interface Subject {
  id: string;
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
  /** The minion's data store, for targets of type `data`. */
  datastore?: Record<string, unknown>;
  /** Node groups, if the minion was given them; without them `nodegroup` targets and `N@` match nothing. */
  nodegroups?: Record<string, unknown>;
}

/** A target that cannot be evaluated: bad syntax, a bad pattern. Matching turns it into "no match". */
export class TargetError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TARGET", message, options);
  }
}

/** Types whose separator minions of each kind obey; with any other they take {@link DEFAULT_DELIMITER}. */
const DELIMITED: ReadonlySet<string> = new Set(["grain", "grain_pcre", "pillar"]);

/** The separator that a publication names, where its minions obey it: a master that took another would find other minions. */
export function delimiterOf(tgt_type: string, { delimiter }: Record<string, unknown>): { delimiter?: string } {
  return DELIMITED.has(tgt_type) && typeof delimiter === "string" ? { delimiter } : {};
}
