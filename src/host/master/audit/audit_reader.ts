import { joinPath } from "../../../base/paths.ts";
import type { AuditReader } from "../../../model/loader/audit.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { searchAudit } from "./search_audit.ts";
import { verifyAudit } from "./verify_audit.ts";

/** Reads the audit log of the master on this host, whether it runs or not. */
export function auditReader({ fs, crypto }: Runtime, directory: string, pkiDir: string): AuditReader {
  const publicKey = () => {
    const path = joinPath(pkiDir, "master.pub");
    return fs.stat(path)?.kind === "file" ? crypto.loadPublicKey(fs.readText(path)) : undefined;
  };
  return {
    verify: (expected) =>
      verifyAudit({ fs, crypto, directory, key: publicKey(), ...expected === undefined ? {} : { expected } }),
    search: (filter) => searchAudit(fs, directory, filter),
  };
}
