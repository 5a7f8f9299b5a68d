/** Calls of execution modules whose outcome must be that of real Salt, by module. */
import { ACCOUNTS, PASSWORDS } from "./accounts.ts";
import { ALIASES } from "./aliases.ts";
import { ANSWERS } from "./answers.ts";
import { APACHE } from "./apache.ts";
import { ARCHIVE } from "./archive.ts";
import { CLOCK } from "./clock.ts";
import { CONFIG } from "./config.ts";
import { DATA } from "./data.ts";
import { DEBCONF } from "./debconf.ts";
import { DIG } from "./dig.ts";
import { DISK } from "./disk.ts";
import { ENVIRON } from "./environ.ts";
import { FILE } from "./file.ts";
import { FIREWALL } from "./firewall.ts";
import { GIT } from "./git.ts";
import { SMBIOS, UDEV } from "./hardware.ts";
import { HASHUTIL } from "./hashutil.ts";
import { HG } from "./hg.ts";
import { DNSUTIL, HTTP } from "./http.ts";
import { KERNEL } from "./kernel.ts";
import { KEY } from "./key.ts";
import { LINUX_ACL } from "./linux_acl.ts";
import { MATCH } from "./match.ts";
import { DEFAULTS, MOUNT, SYSCTL } from "./mount.ts";
import { NETWORK } from "./network.ts";
import { NFS3 } from "./nfs3.ts";
import { PARTITIONS } from "./partitions.ts";
import { PKG } from "./pkg.ts";
import { PS } from "./ps.ts";
import { RANDOM } from "./random.ts";
import { RABBITMQ } from "./rabbitmq.ts";
import { RSYNC } from "./rsync.ts";
import type { CallScenario } from "./scenario.ts";
import { SELINUX } from "./selinux.ts";
import { STATUS } from "./status.ts";
import { VOLUMES } from "./volumes.ts";
import { X509 } from "./x509.ts";

export const SALT_CALLS: Record<string, CallScenario[]> = {
  accounts: ACCOUNTS,
  aliases: ALIASES,
  answers: ANSWERS,
  apache: APACHE,
  archive: ARCHIVE,
  clock: CLOCK,
  config: CONFIG,
  data: DATA,
  debconf: DEBCONF,
  defaults: DEFAULTS,
  dig: DIG,
  disk: DISK,
  dnsutil: DNSUTIL,
  environ: ENVIRON,
  file: FILE,
  firewall: FIREWALL,
  git: GIT,
  hashutil: HASHUTIL,
  hg: HG,
  rabbitmq: RABBITMQ,
  http: HTTP,
  kernel: KERNEL,
  key: KEY,
  linux_acl: LINUX_ACL,
  match: MATCH,
  mount: MOUNT,
  network: NETWORK,
  nfs3: NFS3,
  partitions: PARTITIONS,
  pkg: PKG,
  ps: PS,
  random: RANDOM,
  rsync: RSYNC,
  selinux: SELINUX,
  shadow: PASSWORDS,
  smbios: SMBIOS,
  status: STATUS,
  sysctl: SYSCTL,
  udev: UDEV,
  volumes: VOLUMES,
  x509: X509,
};
