import type { AuthServer, MasterIdentity } from "../../../protocol/channel/auth_server.ts";
import type { SessionKeyStore } from "../../../protocol/channel/key_store.ts";
import { RequestMetrics } from "../../../protocol/channel/request_metrics.ts";
import { RequestServer } from "../../../protocol/channel/req_server.ts";
import type { PillarCompiles } from "../commands/pillar.ts";
import { publishQueuedJobs } from "../jobs/master_jobs.ts";
import type { RotatingMasterKey } from "../keys/publication_key.ts";
import { COMMANDS, JOB_COMMANDS, requestHandler } from "../request_table.ts";
import type { MasterServices } from "../services.ts";
import { countedPillar } from "./observe.ts";
import type { Telemetry } from "../../../base/telemetry/mod.ts";

interface RequestServerParts {
  identity: MasterIdentity;
  sessionKeys: SessionKeyStore;
  auth: AuthServer;
  masterKey: RotatingMasterKey;
  /** Compiles pillars. @default every pillar is empty */
  compilePillar: PillarCompiles | undefined;
  telemetry: Telemetry;
}

/**
 * The server that opens requests and answers them by the command tables. A sealed request marks its minion as connected.
 *
 * @param current asked once for each request, which is answered by these services alone
 */
export function makeRequestServer(current: () => MasterServices, parts: RequestServerParts): RequestServer {
  const { opts, keys, rotations, presence, log, runtime: { crypto, clock } } = current();
  const { identity, sessionKeys, auth, masterKey, telemetry, compilePillar = () => Promise.resolve({}) } = parts;
  const commands = requestHandler(current, countedPillar(compilePillar, telemetry.meter));
  return new RequestServer({
    crypto,
    clock,
    log: log.child("req"),
    identity,
    keys: rotations.over(keys),
    sessionKeys,
    auth,
    masterKey: () => masterKey.current,
    handler: {
      clear: commands.clear,
      vouches: commands.vouches,
      aes(request) {
        const { minion, sender, load } = request;
        if (minion !== undefined) {
          if (sender.open) presence.heard(minion, sender.remote, request.bytes);
          publishQueuedJobs(current(), minion, load.cmd);
        }
        return commands.aes(request);
      },
    },
    signsIn: () => current().cluster?.valid ?? true,
    minimumVersion: opts.minimum_auth_version,
    ttlSeconds: opts.request_server_ttl,
    keep: ["return"],
    metrics: new RequestMetrics(telemetry, COMMANDS, JOB_COMMANDS),
  });
}
