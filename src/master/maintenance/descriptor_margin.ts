import type { Logger } from "../../log.ts";
import { descriptorLimit } from "../../runtime/descriptors.ts";
import type { MasterServices } from "../services.ts";

/** Connections and files that a minion may need at once: of its requests, of publications, and of what it asks for. */
const FOR_EACH = 4;

/**
 * Tells the operator that there are more accepted minions than the limit of open files allows for. It is logged again when the
 * level changes, not each time.
 *
 * @see salt/utils/verify.py check_max_open_files
 */
export class DescriptorMargin {
  readonly #services: Pick<MasterServices, "keys" | "runtime">;
  readonly #log: Logger;
  #told = "";

  constructor(services: Pick<MasterServices, "keys" | "runtime">, log: Logger) {
    this.#services = services;
    this.#log = log;
  }

  look(): void {
    const { keys, runtime: { fs } } = this.#services;
    const limit = descriptorLimit(fs) ?? Infinity;
    const accepted = keys.list("accepted").length;
    const level = accepted * FOR_EACH <= limit ? "" : accepted * 2 <= limit ? "warning" : "critical";
    if (level === this.#told) return;
    this.#told = level;
    if (level === "") return;
    this.#log[level](
      "too few open files for the accepted minions: connections beyond the limit are refused; raise it where the service is " +
        "started (LimitNOFILE=)",
      { accepted_minions: accepted, open_files: limit, wanted: accepted * FOR_EACH },
    );
  }
}
