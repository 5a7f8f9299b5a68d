import { joinPath } from "../../../base/paths.ts";
import { codeOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { descriptorLimit } from "../../../runtime/descriptors.ts";
import { KEY_DIRECTORIES } from "../keys/key_directories.ts";
import type { MasterServices } from "../services.ts";

/** How many connections and files one minion may need at a time: for requests, publications, and the files that it reads. */
const FOR_EACH = 4;

const REMEDY = "raise the limit of the service (LimitNOFILE=)";

/** Warns the operator that file descriptors are short, or will be: once when that begins, not at each check. */
export class DescriptorWatch {
  readonly #services: Pick<MasterServices, "keys" | "opts" | "runtime">;
  readonly #log: Logger;
  /** The limit of open files, read early: it cannot be read when no file can be opened. */
  #limit: number | undefined;
  #told = "";
  #used = false;

  constructor(services: Pick<MasterServices, "keys" | "opts" | "runtime">, log: Logger) {
    this.#services = services;
    this.#log = log;
  }

  /** Opens a file as a test: a system without free descriptors refuses connections silently. */
  probe(): void {
    const { opts, runtime: { fs } } = this.#services;
    let used = false;
    try {
      fs.list(joinPath(opts.pki_dir, KEY_DIRECTORIES.denied));
    } catch (error) {
      used = ["EMFILE", "ENFILE"].includes(codeOf(error));
    }
    if (used === this.#used) return;
    this.#used = used;
    if (!used) this.#log.info("file descriptors are available again");
    else {
      this.#log.error(`no file descriptors left: new connections and files are refused; ${REMEDY}`, {
        open_files: this.#limit ?? "unknown",
      });
    }
  }

  /** Compares the accepted minions with the limit. @see salt/utils/verify.py check_max_open_files */
  compare(): void {
    const { keys, runtime: { fs } } = this.#services;
    const limit = this.#limit = descriptorLimit(fs) ?? Infinity;
    const accepted = keys.list("accepted").length;
    const level = accepted * FOR_EACH <= limit ? "" : accepted * 2 <= limit ? "warning" : "critical";
    if (level === this.#told) return;
    this.#told = level;
    if (level === "") return;
    this.#log[level](
      `the open-file limit is too low for the accepted minions: connections beyond it are refused; ${REMEDY}`,
      { accepted_minions: accepted, open_files: limit, wanted: accepted * FOR_EACH },
    );
  }
}
