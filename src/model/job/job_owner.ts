import { isRecord } from "../../base/record.ts";
import type { JobLoad } from "./job_cache.ts";

/**
 * The publisher of a job that is kept for offline minions, if that user lacks the right to everything. The job's record stores
 * it, so that the user's permissions can be checked again at delivery.
 */
export interface JobOwner {
  user: string;
  /** How the user was authenticated. */
  proof: "user" | "token" | "eauth";
  eauth?: string;
  groups?: readonly string[];
  /** Permissions that the backend granted or the token holds: the configuration does not list them. */
  granted?: readonly unknown[];
  /** SHA-256 of the token, and its expiry in seconds since the epoch. */
  token?: { sha256: string; expire: number };
}

/** The owner of a stored job; undefined if it has none. */
export function storedOwner({ owner }: JobLoad): JobOwner | undefined {
  if (!isRecord(owner) || typeof owner.user !== "string" || typeof owner.proof !== "string") return undefined;
  return owner as unknown as JobOwner;
}
