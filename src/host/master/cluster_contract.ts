import type { AuditStore } from "../../feature/cluster/storage.ts";
import type { JobLoad } from "../../model/job/job_cache.ts";
import type { Order } from "./presence.ts";

/** What a minion says of jobs that this master does not have. */
export interface Statement {
  minion: string;
  order: Order | undefined;
  /** Jid, state and note. */
  states: readonly (readonly [string, string, string])[];
  /** Jids that it has not begun. */
  waiting: readonly string[] | undefined;
  /** Jids that it has, where it asks for those that it should have. */
  known: readonly string[] | undefined;
}

/** What the other masters answer to a {@link Statement}. */
export interface Answers {
  /** Jids of what the minion says only once that no owner has written down in time. */
  unwritten: string[];
  /** Jobs that the minion should have, if it asks for them, as minions get them. Those of a master that does not answer in time follow by publications. */
  jobs: JobLoad[];
}

/** The other masters, as the commands of a master see them. */
export interface Cluster {
  /** Tells this cluster from others; no secret. */
  readonly id: string;
  /** True while this master may take sign-ins and decide on jobs: its lease is good. */
  readonly valid: boolean;
  /** True if what one master does for all is this one's. */
  readonly onDuty: boolean;
  /** Number of the latest publication. */
  readonly serial: number;
  /** The audit logs of all masters. */
  readonly audit: AuditStore;
  /** How the cluster stands, for the status report. */
  status(): Record<string, unknown>;
  /** @throws {SystemError} if nothing can be published now: before anything of a job is recorded */
  assertCanPublish(): void;
  /** What is stored beside a job, so that other masters know it for one of a master. */
  sealOf(jid: string, load: Record<string, unknown>, minions: readonly string[]): Uint8Array;
  /** True if a master has published the stored job as it was read, to these targets. @throws {SystemError} if it cannot be looked up */
  isGenuine(jid: string, load: Record<string, unknown>, minions: readonly string[]): Promise<boolean>;
  /** Publishes to the minions of all masters. */
  publish(load: Record<string, unknown>, minions: readonly string[]): void;
  /** True if another master has published the job to the minion, and no return of it was heard of. */
  expects(jid: string, id: string): boolean;
  /** A return was stored here. */
  stored(jid: string, id: string): void;
  /**
   * True once for each return that is stored: this master's subscribers have not been told of it, by whichever master. Its event is to be
   * fired at once then, and no other event of its tag counts as a return for the other masters.
   */
  isNews(jid: string, id: string): boolean;
  /** Since when returns may have been stored without this master's knowledge, in milliseconds since the epoch. */
  readonly untoldSinceMs: number;
  /** True for a return of which this master's subscribers have been told, as far as is remembered. */
  hasTold(jid: string, id: string): boolean;
  /** Passes on what a minion says. */
  tell(statement: Statement): Promise<Answers>;
  /** Forgets the names of keys, tokens and data that were removed before a time, in milliseconds since the epoch. @returns how many */
  forgetRemoved(beforeMs: number): Promise<number>;
  /** Makes a new publication key for all masters. */
  rotateKey(): Promise<void>;
}

/** The other masters as the start and the end of a master see them. */
export interface ClusterLink extends Cluster {
  /** Called once this master can take what they send. */
  start(): Promise<void>;
  close(): Promise<void>;
}
