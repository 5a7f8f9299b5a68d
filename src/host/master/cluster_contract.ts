import type { AuditStore } from "../../feature/cluster/storage.ts";
import type { JobLoad } from "../../model/job/job_cache.ts";
import type { Order } from "./presence.ts";

/** What a minion states about jobs that this master does not have. */
export interface MasterStatement {
  minion: string;
  order: Order | undefined;
  /** The jid, state and note of each job. */
  states: readonly (readonly [string, string, string])[];
  /** The jids of jobs that the minion has not begun. */
  waiting: readonly string[] | undefined;
  /** The jids of jobs that the minion has, if it asks for the jobs that it should have. */
  known: readonly string[] | undefined;
}

/** What the other masters answer to a {@link MasterStatement}. */
export interface Answers {
  /** The jids of jobs whose owner has not recorded in time what the minion states only once. */
  unwritten: string[];
  /** The jobs that the minion should have, if it asks, in the form that minions get. Jobs of a master that answers late follow as publications. */
  jobs: JobLoad[];
}

/** The other masters, as the commands of a master see them. */
export interface Cluster {
  /** An id that differs for each cluster; it is no secret. */
  readonly id: string;
  /** True while this master may take sign-ins and decide on jobs: its lease is good. */
  readonly valid: boolean;
  readonly onDuty: boolean;
  /** The number of the latest publication. */
  readonly serial: number;
  readonly audit: AuditStore;
  /** Returns the state of the cluster, for the status report. */
  status(): Record<string, unknown>;
  /** To be called before a job is recorded. @throws {SystemError} if nothing can be published now */
  assertCanPublish(): void;
  /** Returns the seal that is stored beside a job: by it other masters see that a master has published the job. */
  sealOf(jid: string, load: Record<string, unknown>, minions: readonly string[]): Uint8Array;
  /** True if a master has published this stored job, unchanged, to these targets. @throws {SystemError} if it cannot be looked up */
  isGenuine(jid: string, load: Record<string, unknown>, minions: readonly string[]): Promise<boolean>;
  publish(load: Record<string, unknown>, minions: readonly string[]): void;
  /** True if another master has published the job to the minion, and no event of its return was received. */
  expects(jid: string, id: string): boolean;
  stored(jid: string, id: string): void;
  /**
   * True once for each stored return: its event has not been fired on this master's bus, whichever master stored it. The caller must then
   * fire the event at once; no other event of its tag counts as a return for the other masters.
   */
  isNews(jid: string, id: string): boolean;
  /** Since when returns may have been stored without this master's knowledge, in milliseconds since the epoch. */
  readonly untoldSinceMs: number;
  /** True if this master has fired the event of a return, as far as it remembers. */
  hasTold(jid: string, id: string): boolean;
  /** Passes a minion's statement on to the other masters. */
  tell(statement: MasterStatement): Promise<Answers>;
  /** Forgets the names of keys, tokens and data that were removed before a time, in milliseconds since the epoch. @returns how many */
  forgetRemoved(beforeMs: number): Promise<number>;
  /** Makes a new publication key for all masters. */
  rotateKey(): Promise<void>;
}

/** The cluster as the start and the end of a master use it. */
export interface ClusterLink extends Cluster {
  /** Begins to read what the other masters send; called once this master can handle it. */
  start(): Promise<void>;
  close(): Promise<void>;
}
