import type { MasterIdentity } from "../../../protocol/channel/auth_server.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { EventBus } from "../../../model/event/bus.ts";
import { ConfigError, messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { Audit } from "./audit.ts";
import { AuditLog } from "./audit_log.ts";
import { FloodGate } from "./flood_gate.ts";
import { KeyFollower } from "./key_follower.ts";
import { ArgumentRedaction, type AuditArguments } from "./redact_arguments.ts";

/**
 * Opens the audit log that the configuration asks for; undefined if it asks for none.
 *
 * @throws {ConfigError} if its directory cannot be used
 */
export function openAudit(
  runtime: Runtime,
  opts: MasterOpts,
  log: Logger,
  identity: MasterIdentity,
  bus: EventBus,
): Audit | undefined {
  if (!opts.audit_log) return undefined;
  const { fs, crypto, clock } = runtime;
  const own = log.child("audit");
  let file: AuditLog;
  try {
    file = new AuditLog({
      fs,
      crypto,
      clock,
      log: own,
      directory: opts.audit_dir,
      key: identity.key,
      fileBytes: opts.audit_file_bytes,
      fileMs: opts.audit_file_seconds * 1000,
      keep: opts.audit_keep_files,
      onCheckpoint({ n, hash, file }) {
        own.info("audit log signed", { n, hash, file });
        bus.fire("salt/audit/checkpoint", { n, hash, file });
      },
    });
  } catch (error) {
    throw new ConfigError(`Cannot use audit_dir ${opts.audit_dir}: ${messageOf(error)}`, { cause: error });
  }
  const audit = new Audit({
    file,
    log: own,
    clock,
    redaction: new ArgumentRedaction({
      args: opts.audit_args as AuditArguments,
      names: opts.audit_redact.map(String),
      functions: opts.audit_redact_functions.map(String),
    }),
    gate: new FloodGate(() => clock.elapsed()),
    failure: opts.audit_failure === "refuse" ? "refuse" : "continue",
    keys: new KeyFollower(fs, opts.pki_dir, opts.audit_dir, file.head.n === 0),
  });
  bus.on((event) => audit.onEvent(event));
  return audit;
}
