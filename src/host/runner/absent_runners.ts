/** Salt's runner modules that Brine does not have: module → what it is for, and what to do instead. */
const PROVIDER = "there is no runner for it: call the provider's own program with salt.cmd cmd.run";
const CLUSTER = "masters cannot form a cluster: name several masters in the minions' configuration";

const ABSENT: Readonly<Record<string, string>> = {
  asam: PROVIDER,
  batch: "the program that starts a batch controls it: salt -b, and jobs.list_job for its results",
  bgp: "there are no proxy minions of network devices",
  cloud: "there is no salt-cloud: create machines with the provider's own tools, and install the minion there",
  cluster: CLUSTER,
  ddns: "there is no runner for it: call nsupdate with salt.cmd cmd.run",
  digicertapi: PROVIDER,
  drac: "there is no runner for it: call racadm with salt.cmd cmd.run",
  f5: PROVIDER,
  launchd: "there is no runner for it: the service manager's own files start the daemons",
  lxc: "there is no runner for it: call the execution functions of the hosts with salt",
  mattermost: "there is no runner for it: http.query posts to a web hook",
  nacl: "there is no runner for it: keep secrets in external pillars (cmd_yaml, http_json, env)",
  net: "there are no proxy minions of network devices",
  pagerduty: "there is no runner for it: http.query posts to its API",
  pkg: "there is no runner for it: salt '*' pkg.list_upgrades",
  pki: "keys are kept in files alone, so nothing has to be moved: salt-key",
  queue: "there are no queues: salt --queue keeps a job for minions that are away",
  resource: "minions manage no resources but their own hosts",
  smartos_vmadm: "there is no runner for it: call vmadm with cmd.run on the hosts",
  spacewalk: PROVIDER,
  ssh: "there is no salt-ssh: install the minion on the host",
  thin: "there is no salt-ssh, which would need a thin Salt: install the minion on the host",
  venafiapi: PROVIDER,
  virt: "there is no runner for it: call virsh with cmd.run on the hosts",
  vistara: PROVIDER,
  winrepo: "Windows is not supported",
};

/** The functions that are missing in modules that Brine has. */
const ABSENT_FUNCTIONS: Readonly<Record<string, string>> = {
  "http.update_ca_bundle": "certificates are verified with those of the runtime: update the system's",
};

/** Returns why Brine has no such runner, and what to do instead; empty if Salt has none either. */
export function absentRunner(name: string): string {
  const module = name.split(".")[0]!;
  const why = Object.hasOwn(ABSENT_FUNCTIONS, name)
    ? ABSENT_FUNCTIONS[name]
    : Object.hasOwn(ABSENT, module)
    ? ABSENT[module]
    : undefined;
  return why === undefined ? "" : ` Brine does not have it: ${why}.`;
}
