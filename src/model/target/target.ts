import { SaltError } from "../../base/errors.ts";

/** The types of targets that a publication may have in `tgt_type`. */
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

/** The minions that a job is for, in the form of a publication. */
export interface Target {
  /** The expression: a text for most types; an array for lists, and for compound targets already split into words. */
  tgt: unknown;
  /** One of {@linkcode TargetType}; any other type matches nothing. @default "glob" */
  tgt_type?: string;
  /** Separator of the levels of grain and pillar expressions. @default ":" */
  delimiter?: string;
}

/** What a minion knows about itself to match targets. */
export interface Subject {
  id: string;
  grains: Record<string, unknown>;
  pillar: Record<string, unknown>;
  /** The minion's data store, for targets of type `data`. */
  datastore?: Record<string, unknown>;
  /** Node groups; without them, `nodegroup` targets and `N@` match nothing. */
  nodegroups?: Record<string, unknown>;
}

/** A target that cannot be evaluated, because of bad syntax or a bad pattern. For matching this means "no match". */
export class TargetError extends SaltError {
  constructor(message: string, options: { cause?: unknown } & Record<string, unknown> = {}) {
    super("TARGET", message, options);
  }
}

/** Types for which all kinds of minions obey another separator; for other types they use {@link DEFAULT_DELIMITER}. */
const DELIMITED: ReadonlySet<string> = new Set(["grain", "grain_pcre", "pillar"]);

/**
 * The separator of a publication, if its minions obey it: with another separator, the master would expect other minions to
 * answer.
 */
export function delimiterOf(tgt_type: string, { delimiter }: Record<string, unknown>): { delimiter?: string } {
  return DELIMITED.has(tgt_type) && typeof delimiter === "string" ? { delimiter } : {};
}
