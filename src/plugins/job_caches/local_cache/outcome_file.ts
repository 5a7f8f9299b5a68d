import type { TargetOutcome } from "../../../model/job/outcome.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { decode, encode } from "../../../protocol/wire/msgpack.ts";
import { byMinion } from "../parts.ts";

/** Bytes before each record: its length, big-endian. */
const HEAD = 4;

/**
 * The outcomes of one job: records one after the other, each a list of outcomes. They are appended and never written again: a file
 * that is replaced while it is on no disk yet takes with it what was safe before, when the power is lost.
 */
interface OutcomeRecords {
  /** The last outcome of each minion. */
  outcomes: TargetOutcome[];
  /** Bytes up to which the file is whole: what follows was cut off. */
  whole: number;
}

/** @param earlier outcomes of the same job from elsewhere */
export function readOutcomes(bytes: Uint8Array, earlier: readonly TargetOutcome[] = []): OutcomeRecords {
  const last = new Map(earlier.map((one) => [one.minion, one]));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let whole = 0;
  while (whole + HEAD <= bytes.length) {
    const end = whole + HEAD + view.getUint32(whole);
    if (end === whole + HEAD || end > bytes.length) break;
    try {
      const record = decode(bytes.subarray(whole + HEAD, end), { mode: "bin" }) as TargetOutcome[];
      for (const one of record) last.set(one.minion, one);
    } catch {
      break;
    }
    whole = end;
  }
  return { outcomes: [...last.values()].sort(byMinion), whole };
}

export function outcomeRecord(outcomes: readonly TargetOutcome[]): Uint8Array {
  const body = encode(outcomes, "bin");
  const record = new Uint8Array(HEAD + body.length);
  new DataView(record.buffer).setUint32(0, body.length);
  record.set(body, HEAD);
  return record;
}

/** The content of a file; empty if there is none. */
export function outcomeContent(fs: FileSystem, path: string): Uint8Array {
  return fs.stat(path, { follow: false })?.kind === "file" ? fs.read(path) : new Uint8Array(0);
}
