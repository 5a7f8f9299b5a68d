import type { Clock } from "../../../base/async/clock.ts";
import { joinPath } from "../../../base/paths.ts";
import type { MasterServices } from "../services.ts";

/** True if a new master key is requested by the file `<cachedir>/.dfn`, which is removed. @param id the master's own */
function rotationAsked({ opts, runtime: { fs }, log }: KeyRotationParts, id: string): boolean {
  const path = joinPath(opts.cachedir, ".dfn");
  const stat = fs.stat(path, { follow: false });
  if (stat?.kind !== "file") return false;
  const owner = fs.readText(path).trim();
  // Salt 3006 writes an empty file, Salt 3007 writes the id of the master that must rotate.
  if (owner !== "" && owner !== id) return false;
  fs.remove(path);
  if (stat.mode === 0o400) return true;
  log.error("request for a new master key ignored: the file must have mode 0400", {
    path,
    mode: `0${stat.mode.toString(8)}`,
  });
  return false;
}

type KeyRotationParts = Pick<MasterServices, "opts" | "runtime" | "log" | "cluster" | "rotateMasterKey">;

/** Rotates the master key when it is asked for, and each time that `publish_session` has passed. */
export class KeyRotation {
  readonly #parts: KeyRotationParts;
  readonly #id: string;
  readonly #clock: Clock;
  #rotatedAt: number;

  /** @param id the master's own */
  constructor(parts: KeyRotationParts, id: string) {
    this.#parts = parts;
    this.#id = id;
    this.#clock = parts.runtime.clock;
    this.#rotatedAt = this.#clock.elapsed();
  }

  look(): void {
    const { opts, cluster, rotateMasterKey } = this.#parts;
    const aged = opts.publish_session > 0 && this.#clock.elapsed() - this.#rotatedAt >= opts.publish_session * 1000;
    const asked = rotationAsked(this.#parts, this.#id);
    if (!asked && !aged) return;
    // In a cluster, only the master on duty rotates the key.
    if (asked || cluster?.onDuty !== false) rotateMasterKey();
    this.#rotatedAt = this.#clock.elapsed();
  }
}
