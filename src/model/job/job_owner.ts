import { isRecord } from "../../base/record.ts";
import type { JobLoad } from "./job_cache.ts";

/**
 * Who has published a job that is kept for minions which are away, and may not do everything: its record has it, and whoever delivers the
 * job asks again whether that user may.
 */
export interface JobOwner {
  user: string;
  /** How it has proven who it is. */
  proof: "user" | "token" | "eauth";
  eauth?: string;
  groups?: readonly string[];
  /** What the backend itself granted, or the token keeps: the configuration says nothing of it. */
  granted?: readonly unknown[];
  /** SHA-256 of the token, and when it expires, in seconds since the epoch. */
  token?: { sha256: string; expire: number };
}

/** The owner of a stored job; undefined if it has none. */
export function storedOwner({ owner }: JobLoad): JobOwner | undefined {
  if (!isRecord(owner) || typeof owner.user !== "string" || typeof owner.proof !== "string") return undefined;
  return owner as unknown as JobOwner;
}
