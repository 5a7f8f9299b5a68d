import { joinPath } from "../../../base/paths.ts";
import { hex } from "../../../protocol/crypto/hex.ts";
import { rsaVerify } from "../../../protocol/crypto/rsa.ts";
import type { Crypto, RsaPublicKey } from "../../../runtime/crypto.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import type { AuditReport } from "../../../model/loader/audit.ts";
import { type AuditLine, CHECKPOINT_ALGORITHM, checkpointText } from "./audit_entry.ts";
import { auditFileNumbers, auditLines, HEAD_FILE, MAX_LINE_BYTES, type RawLine } from "./audit_files.ts";

/** The most problems that a report names; further problems are only counted. */
const MAX_PROBLEMS = 20;

interface VerifyOptions {
  fs: FileSystem;
  crypto: Crypto;
  directory: string;
  /** The master's public key; without it signatures are not checked. */
  key: RsaPublicKey | undefined;
  /** The number and hash of a line, as an event or a log elsewhere has kept them. */
  expected?: { n: number; hash: string };
}

/**
 * Checks every line of an audit log: its number, the hash of the line before, the signatures of checkpoints, and that the log
 * reaches to the last of them.
 */
export function verifyAudit(options: VerifyOptions): AuditReport {
  return new Verification(options).run();
}

class Verification {
  readonly #options: VerifyOptions;
  readonly #report: AuditReport = {
    ok: true,
    files: 0,
    lines: 0,
    checkpoints: 0,
    signed_to: 0,
    unsigned: 0,
    problems: [],
    more_problems: 0,
  };
  #before: { n: number; hash: string } | undefined;
  #head: { n: number; bytes: Uint8Array } | undefined;
  #headSeen = false;
  #expectedSeen = false;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  run(): AuditReport {
    const { fs, directory, key } = this.#options;
    this.#readHead();
    const numbers = auditFileNumbers(fs, directory);
    this.#report.files = numbers.length;
    if (numbers.length === 0) this.#problem({ file: directory, number: 0 }, "no audit log exists");
    if (key === undefined) this.#problem({ file: directory, number: 0 }, "signatures not checked: no master.pub");
    for (const number of numbers) {
      for (const line of auditLines(fs, directory, number)) this.#line(line, number);
    }
    this.#judgeEnd();
    this.#report.unsigned = (this.#before?.n ?? 0) - this.#report.signed_to;
    this.#report.ok = this.#report.problems.length === 0;
    return this.#report;
  }

  #line(raw: RawLine, fileNumber: number): void {
    const { crypto, expected } = this.#options;
    const report = this.#report;
    report.lines++;
    const line = raw.whole ? parsedLine(raw.bytes) : undefined;
    const hash = hex(crypto.hash("sha256", raw.bytes));
    if (line === undefined) {
      this.#problem(raw, raw.whole ? "not an audit line" : "torn or too long");
      this.#before = this.#before && { n: this.#before.n + 1, hash };
      return;
    }
    if (this.#before === undefined) this.#judgeFirst(raw, line, fileNumber);
    else if (line.n !== this.#before.n + 1) {
      this.#problem(
        raw,
        `line ${line.n} follows line ${this.#before.n}: lines were removed, added or put in another order`,
      );
    } else if (line.prev !== this.#before.hash) {
      this.#problem(raw, `the line before (${this.#before.n}) was changed`);
    }
    if (line.kind === "checkpoint") this.#judgeSignature(raw, line);
    if (line.n === this.#head?.n) {
      this.#headSeen = true;
      if (!crypto.equal(raw.bytes, this.#head.bytes)) this.#problem(raw, `differs from the checkpoint in ${HEAD_FILE}`);
    }
    if (line.n === expected?.n) {
      this.#expectedSeen = true;
      if (hash !== expected.hash) this.#problem(raw, `its hash is ${hash}, expected ${expected.hash}`);
    }
    const place = { n: line.n, time: line.time };
    report.first ??= place;
    report.last = place;
    this.#before = { n: line.n, hash };
  }

  #judgeFirst(raw: RawLine, line: AuditLine, fileNumber: number): void {
    if (line.n === 1 && line.kind === "begin") this.#report.begins = "with its first line";
    else if (fileNumber > 1) this.#report.begins = `at line ${line.n}: earlier files were removed`;
    else this.#problem(raw, `the log begins at line ${line.n}: the lines before were removed`);
  }

  #judgeSignature(raw: RawLine, line: AuditLine): void {
    const { crypto, key } = this.#options;
    if (key === undefined) return;
    try {
      const signature = Uint8Array.from(atob(String(line.sig)), (character) => character.charCodeAt(0));
      if (rsaVerify(crypto, CHECKPOINT_ALGORITHM, key, checkpointText(line), signature)) {
        this.#report.checkpoints++;
        this.#report.signed_to = line.n;
        return;
      }
    } catch {
      // The checkpoint's `sig` is not base64: it counts as a wrong signature.
    }
    this.#problem(raw, "the signature is not by the master's present key");
  }

  #judgeEnd(): void {
    const { expected, fs, directory } = this.#options;
    const last = this.#before?.n ?? 0;
    const end = { file: directory, number: 0 };
    if (this.#head !== undefined && !this.#headSeen) {
      this.#problem(end, `the log ends at line ${last}, but line ${this.#head.n} was signed: its end was cut off`);
    }
    const hasHead = fs.stat(joinPath(directory, HEAD_FILE)) !== undefined;
    if (this.#head === undefined && (hasHead || this.#report.checkpoints > 0)) {
      this.#problem(end, `${HEAD_FILE} is missing or damaged: a cut-off end cannot be detected`);
    }
    if (expected !== undefined && !this.#expectedSeen) {
      this.#problem(end, `line ${expected.n} is not in the log, which ends at line ${last}`);
    }
  }

  #readHead(): void {
    const { fs, directory } = this.#options;
    const path = joinPath(directory, HEAD_FILE);
    const stat = fs.stat(path);
    if (stat?.kind !== "file" || stat.size > MAX_LINE_BYTES) return;
    const bytes = fs.read(path);
    const line = parsedLine(bytes);
    if (line !== undefined) this.#head = { n: line.n, bytes };
  }

  #problem({ file, number }: Pick<RawLine, "file" | "number">, problem: string): void {
    const { problems } = this.#report;
    if (problems.length < MAX_PROBLEMS) problems.push({ file, line: number, problem });
    else this.#report.more_problems++;
  }
}

/** Parses a line as the log writes it; undefined for any other bytes. */
export function parsedLine(bytes: Uint8Array): AuditLine | undefined {
  try {
    const line = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const fits = Number.isSafeInteger(line.n) && typeof line.prev === "string" && typeof line.kind === "string" &&
      typeof line.time === "string";
    return fits ? line : undefined;
  } catch {
    return undefined;
  }
}
