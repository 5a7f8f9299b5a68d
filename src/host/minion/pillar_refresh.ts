import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf, SaltError } from "../../base/errors.ts";
import { hasOwnPillar, type PillarCall } from "../../model/loader/pillar_link.ts";
import type { Logger } from "../../base/log.ts";
import type { AnyMap } from "../../language/python/values.ts";
import type { MasterConnection } from "./connection.ts";
import type { MinionGrains } from "./grains.ts";
import type { Masters } from "./masters.ts";
import { extraMinionData, type OwnPillar, pillarOf, pillarRecord, pillarRequest } from "./pillar.ts";

export interface PillarRefreshOptions {
  opts: MinionOpts;
  log: Logger;
  grains: MinionGrains;
  masters: Masters;
  /** Compiles the pillar of a minion that takes it from its own files. @default it is empty */
  ownPillar: OwnPillar | undefined;
}

/** The minion's pillar, and how it is refreshed: compiled by a master, or from the minion's own files. */
export class PillarRefresh {
  readonly #options: PillarRefreshOptions;
  #current: Record<string, unknown> = {};
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: PillarRefreshOptions) {
    this.#options = options;
  }

  get current(): Record<string, unknown> {
    return this.#current;
  }

  /** Compiles a pillar; the one in use does not change. @param connection undefined for the minion's own files */
  async compile(call: PillarCall, connection: MasterConnection | undefined): Promise<AnyMap> {
    const { ownPillar } = this.#options;
    const opts = call.opts as MinionOpts | undefined ?? this.#options.opts;
    const grains = call.grains ?? this.#options.grains.current;
    if (connection !== undefined && !hasOwnPillar(opts)) {
      const asked = pillarRequest(call.grains ?? this.#grainsFor(connection), opts, call);
      return pillarOf(await connection.requests.sendPrivate(asked));
    }
    const saltenv = opts.saltenv as string | null;
    const pillarenv = opts.pillarenv as string | null;
    const request = { id: opts.id, saltenv, pillarenv, ...call, grains };
    return await ownPillar?.({ ...request, extraMinionData: extraMinionData(opts) }) ?? {};
  }

  /** The grains as a master sees them: of several masters, the grain `master` is that one. */
  #grainsFor({ host }: MasterConnection): Record<string, unknown> {
    const { opts, grains: { current }, masters } = this.#options;
    const isOwn = !Object.hasOwn(current, "master") || Object.hasOwn(opts.grains, "master");
    return isOwn || masters.all.length < 2 ? current : { ...current, master: host };
  }

  /** Takes a compiled pillar into use. A reply that is not a pillar is logged, and the one in use stays. */
  async refresh(connection: MasterConnection, call: PillarCall = {}): Promise<void> {
    try {
      this.#current = pillarRecord(await this.compile(call, connection));
    } catch (error) {
      if (!(error instanceof SaltError) || error.code !== "BAD_PILLAR") throw error;
      this.#options.log.error(error.message, { master: connection.address });
    }
  }

  /** Takes the pillar of the minion's own files into use: empty unless `file_client` is `local`. */
  async refreshOwn(call: PillarCall = {}): Promise<void> {
    const { opts, log } = this.#options;
    if (!hasOwnPillar(opts)) return;
    try {
      this.#current = pillarRecord(await this.compile(call, undefined));
    } catch (error) {
      log.error("the pillar could not be compiled from the minion's files", { error: messageOf(error) });
    }
  }

  /**
   * Refreshes from every master that serves the minion; failures are logged. Refreshes run one after the other, so that the
   * last one that was asked for counts.
   */
  refreshAll(call: PillarCall = {}): Promise<void> {
    const { log, masters } = this.#options;
    const refresh = async () => {
      if (masters.all.length === 0) return await this.refreshOwn(call);
      for (const connection of masters.all) {
        if (!masters.isServing(connection)) continue;
        await this.refresh(connection, call).catch((error) =>
          log.error("Pillar data could not be refreshed. One or more masters may be down!", {
            master: connection.address,
            error: messageOf(error),
          })
        );
      }
    };
    return this.#refreshing = this.#refreshing.then(refresh);
  }
}
