import type { MinionIdentity } from "../../protocol/channel/auth_client.ts";
import { loadPair } from "../../protocol/channel/key_pair.ts";
import { signRotation } from "../../protocol/channel/rotation_proof.ts";
import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { joinPath } from "../../base/paths.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { isRecord } from "../../base/record.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { MasterConnection } from "./connection.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a rotation that a master could not take part in waits, in milliseconds. */
const AGAIN_MS = 60_000;

/** The key files of a minion while its key changes, beside `minion.pem`. */
const NEXT = "minion.next";
const OLD = "minion.old";

/** A rotation cannot be done at all: another attempt would be useless. */
class RotationRefused extends SaltError {
  constructor(message: string) {
    super("ROTATION_REFUSED", message);
  }
}

export interface KeyRotatorOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  /** Gets the new key: all connections share it. */
  identity: MinionIdentity;
  masters(): readonly MasterConnection[];
  /** The minion serves one of several masters: the others cannot be asked. */
  servesOne: boolean;
  signal: AbortSignal;
}

/**
 * Changes the minion's key. Each master first takes the new key beside the old one; only then does the minion use it, and it
 * keeps the old one until each master has confirmed that. Every step is on the disk before the next: a minion that is killed
 * goes on where it was.
 */
export class KeyRotator {
  readonly #options: KeyRotatorOptions;
  #running: Promise<void> | undefined;

  constructor(options: KeyRotatorOptions) {
    this.#options = options;
  }

  /** Changes the key, unless that is under way. Resolves when it is done or given up; never rejects. */
  rotate(): Promise<void> {
    return this.#running ??= this.#untilDone().finally(() => this.#running = undefined);
  }

  /** Goes on with a change that an earlier process has begun, and begins one when the key is too old; returns at the end. */
  async watch(): Promise<void> {
    const { runtime: { clock, fs, random }, opts, signal } = this.#options;
    if (this.#has(NEXT) || this.#has(OLD)) void this.rotate();
    const mostMs = opts.minion_key_rotation_days * DAY_MS;
    if (mostMs <= 0) return;
    while (!signal.aborted) {
      const made = fs.stat(this.#path("minion"))?.mtimeMs ?? Infinity;
      // The first rotation is delayed: a fleet that was installed together must not change all its keys together.
      await clock.sleep(HOUR_MS * (0.5 + random()), signal).catch(() => {});
      if (!signal.aborted && clock.now() - made >= mostMs) await this.rotate();
    }
  }

  #path(name: string): string {
    return joinPath(this.#options.opts.pki_dir, `${name}.pem`);
  }

  #has(name: string): boolean {
    return this.#options.runtime.fs.stat(this.#path(name))?.kind === "file";
  }

  async #untilDone(): Promise<void> {
    const { runtime: { clock }, log, signal } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#once();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof RotationRefused) {
          log.error("the minion's key is not changed", { reason: error.message });
          return;
        }
        log.warning("the minion's key is not changed yet, trying again", { reason: messageOf(error) });
      }
      await clock.sleep(AGAIN_MS, signal).catch(() => {});
    }
  }

  async #once(): Promise<void> {
    if (!this.#switched()) {
      this.#checkMasters();
      await this.#makeNext();
      for (const master of this.#options.masters()) await this.#offer(master);
      this.#switch();
    }
    for (const master of this.#options.masters()) await this.#confirm(master);
    this.#forgetOld();
  }

  /** True if the new key is in use, and the old one is still kept. */
  #switched(): boolean {
    const { runtime: { fs } } = this.#options;
    if (!this.#has(OLD)) return false;
    return !this.#has(NEXT) || fs.readText(this.#path(NEXT)) === fs.readText(this.#path("minion"));
  }

  /** @throws {RotationRefused} if one of the masters cannot take part; {Error} if one is away */
  #checkMasters(): void {
    const { masters, servesOne } = this.#options;
    const all = masters();
    if (servesOne && all.length > 1) {
      throw new RotationRefused(
        "with several masters, the minion can change its key only with master_type: str, because each master must accept the new key",
      );
    }
    for (const master of all) {
      if (master.masterPem === undefined) throw new Error(`the master ${master.address} has not accepted the minion`);
      if (!master.isBrine) {
        throw new RotationRefused(
          `the master ${master.address} is Salt's master, which knows one key for each minion: delete the ` +
            "key there, and make a new one on the minion (saltutil.regen_keys)",
        );
      }
    }
  }

  async #makeNext(): Promise<void> {
    const { runtime, log, opts } = this.#options;
    await loadPair(runtime, log, { pkiDir: opts.pki_dir, name: NEXT, keySize: opts.keysize });
  }

  async #offer(master: MasterConnection): Promise<void> {
    const { runtime: { crypto, clock, fs }, identity, log } = this.#options;
    const begun = await ask(master, { step: "begin" });
    const nextKey = crypto.loadPrivateKey(fs.readText(this.#path(NEXT)));
    const statement = {
      id: identity.id,
      master: master.masterPem!,
      nonce: String(begun.nonce),
      time: Math.floor(clock.now() / 1000),
      old: identity.publicPem,
      next: crypto.publicPem(nextKey),
    };
    const { next, nonce, time } = statement;
    const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
    const sig = base64(signRotation(crypto, identity.key, statement));
    const proof = base64(signRotation(crypto, nextKey, statement));
    await ask(master, { step: "offer", next, challenge: nonce, time, sig, proof });
    log.info("the master accepts the minion's new key alongside the old one", { master: master.address });
  }

  /** From here on the minion uses the new key. */
  #switch(): void {
    const { runtime: { fs, crypto }, identity, log } = this.#options;
    const [own, next] = [this.#path("minion"), this.#path(NEXT)];
    const pem = fs.readText(next);
    fs.write(this.#path(OLD), fs.readText(own), { mode: 0o400, sync: true });
    fs.write(own, pem, { mode: 0o400, sync: true });
    const key = crypto.loadPrivateKey(pem);
    const publicPem = crypto.publicPem(key).trim();
    fs.write(joinPath(this.#options.opts.pki_dir, "minion.pub"), `${publicPem}\n`, { mode: 0o644, sync: true });
    Object.assign(identity, { key, publicPem });
    log.info("the minion uses its new key");
  }

  async #confirm(master: MasterConnection): Promise<void> {
    await master.signIn();
    await ask(master, { step: "done", next: this.#options.identity.publicPem });
  }

  #forgetOld(): void {
    const { runtime: { fs }, opts, log } = this.#options;
    fs.remove(this.#path(NEXT), { sync: true });
    fs.remove(joinPath(opts.pki_dir, `${NEXT}.pub`));
    fs.remove(this.#path(OLD), { sync: true });
    log.info("the minion's key is changed on all masters");
  }
}

/** A step of the rotation. @throws {Error} with the master's reason if it refuses */
async function ask(master: MasterConnection, load: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await master.requests.send({ cmd: "_key_rotation", ...load });
  if (isRecord(answer) && answer.error === undefined && Object.keys(answer).length > 0) return answer;
  const reason = isRecord(answer) && answer.error !== undefined ? String(answer.error) : "it does not know the command";
  throw new Error(`the master ${master.address} refuses: ${reason}`);
}
