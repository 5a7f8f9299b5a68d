/** What `salt-master --check` looks at beyond what all daemons have. */
import { interfacesOf } from "../../../src/config/addresses.ts";
import { clusterSettings } from "../../../src/config/cluster.ts";
import type { MasterOpts } from "../../../src/config/master_opts.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Runtime } from "../../../src/runtime/mod.ts";
import { checkKeyPair } from "./check_keys.ts";
import { checkRoots } from "./check_roots.ts";
import { checkPermissions } from "./check_permissions.ts";
import type { Port } from "./check_ports.ts";
import { doubtful, type Finding, wrong } from "./finding.ts";

const passphrase = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;

/** The keys, permissions, job cache and ports of a master. */
export async function checkMaster(
  runtime: Runtime,
  opts: MasterOpts,
): Promise<{ findings: Finding[]; ports: Port[] }> {
  const [{ EAUTH }, { jobCacheName }, { RETURNERS }] = await Promise.all([
    import("../../../src/plugins/eauth/mod.ts"),
    import("../../job_caches.ts"),
    import("../../../src/plugins/returners/mod.ts"),
  ]);
  const findings = [
    ...checkKeyPair(runtime, opts.pki_dir, "master", passphrase(opts.key_pass)),
    ...opts.master_sign_pubkey
      ? checkKeyPair(runtime, opts.pki_dir, opts.master_sign_key_name, passphrase(opts.signing_key_pass))
      : [],
    ...checkPermissions(opts, EAUTH),
  ];
  for (const check of [() => jobCacheName(opts), () => clusterSettings(opts)]) {
    try {
      check();
    } catch (error) {
      findings.push(wrong(messageOf(error)));
    }
  }
  if (opts.ext_job_cache !== "" && !Object.hasOwn(RETURNERS, opts.ext_job_cache)) {
    const known = Object.keys(RETURNERS).join(", ");
    findings.push(
      doubtful(`ext_job_cache: "${opts.ext_job_cache}" is no returner of ours (${known})`, "is it a custom one?"),
    );
  }
  findings.push(...checkRoots(runtime, opts as unknown as Record<string, unknown>));
  const { publish_port, ret_port } = opts;
  const ports = interfacesOf(opts.interface).flatMap((host) => [
    { option: "publish_port", host, port: publish_port },
    { option: "ret_port", host, port: ret_port },
  ]);
  if (publish_port === ret_port) {
    findings.push(wrong(`publish_port and ret_port are both ${ret_port}`, "set one of them to another port"));
  }
  return { findings, ports: publish_port === ret_port ? [] : ports };
}
