import type { JobLoad } from "../../../model/job/job_cache.ts";
import { SaltError } from "../../../base/errors.ts";
import { sameBytes } from "../../../runtime/bytes.ts";
import { encode } from "../../../protocol/wire/msgpack.ts";

/** A caller asked for a jid that belongs to another job. */
export class JidTakenError extends SaltError {
  constructor(jid: string) {
    super(
      "JID_TAKEN",
      `The jid ${jid} belongs to another job: a jid can be repeated only with the same function, ` +
        "arguments and user. Leave out the jid, and the master chooses one",
      { jid },
    );
  }
}

/** The fields that must be equal: all that a minion acts on, and the user; only the targets may differ. */
const FIELDS = [
  "fun",
  "arg",
  "ret",
  "user",
  // The minion that asked for the job.
  "id",
  "master_id",
  "ret_config",
  "metadata",
  "module_executors",
  "executor_opts",
  "ret_kwargs",
  "delivery",
] as const;

/**
 * True if two publications are the same job, perhaps for other targets: a retry, or the next part of a batch. They are compared as bytes
 * of the wire: values that a minion would read differently must not count as equal.
 */
export function sameJob(known: JobLoad, wanted: JobLoad): boolean {
  const bytesOf = (load: JobLoad) => encode(FIELDS.map((field) => load[field] ?? null), "bin");
  const [one, other] = [bytesOf(known), bytesOf(wanted)];
  return sameBytes(one!, other!);
}
