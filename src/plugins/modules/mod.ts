import type { ModuleRegistry } from "../../loader/loader.ts";
import { documented } from "../documented.ts";

const FILES: ModuleRegistry = {
  apkpkg: () => import("./apkpkg.ts"),
  aptpkg: () => import("./aptpkg.ts"),
  alternatives: () => import("./alternatives.ts"),
  archive: () => import("./archive.ts"),
  at: () => import("./at.ts"),
  cmd: () => import("./cmd.ts"),
  config: () => import("./config.ts"),
  cp: () => import("./cp.ts"),
  cron: () => import("./cron.ts"),
  data: () => import("./data.ts"),
  debconf: () => import("./debconfmod.ts"),
  defaults: () => import("./defaults.ts"),
  disk: () => import("./disk.ts"),
  dnsutil: () => import("./dnsutil.ts"),
  dpkg_lowpkg: () => import("./dpkg_lowpkg.ts"),
  environ: () => import("./environ.ts"),
  event: () => import("./event.ts"),
  extfs: () => import("./extfs.ts"),
  file: () => import("./file.ts"),
  git: () => import("./git.ts"),
  grains: () => import("./grains.ts"),
  group: () => import("./group.ts"),
  hashutil: () => import("./hashutil.ts"),
  hosts: () => import("./hosts.ts"),
  http: () => import("./http.ts"),
  ini: () => import("./ini_manage.ts"),
  jinja: () => import("./jinja.ts"),
  iptables: () => import("./iptables.ts"),
  key: () => import("./key.ts"),
  keyboard: () => import("./keyboard.ts"),
  kmod: () => import("./kmod.ts"),
  locale: () => import("./locale.ts"),
  log: () => import("./logmod.ts"),
  lvm: () => import("./linux_lvm.ts"),
  match: () => import("./match.ts"),
  mine: () => import("./mine.ts"),
  mount: () => import("./mount.ts"),
  network: () => import("./network.ts"),
  nftables: () => import("./nftables.ts"),
  pacmanpkg: () => import("./pacmanpkg.ts"),
  partition: () => import("./parted_partition.ts"),
  pip: () => import("./pip.ts"),
  pkg_resource: () => import("./pkg_resource.ts"),
  ps: () => import("./ps.ts"),
  publish: () => import("./publish.ts"),
  raid: () => import("./mdadm_raid.ts"),
  random: () => import("./mod_random.ts"),
  pillar: () => import("./pillar.ts"),
  rpm_lowpkg: () => import("./rpm_lowpkg.ts"),
  saltutil: () => import("./saltutil.ts"),
  selinux: () => import("./selinux.ts"),
  service: () => import("./service.ts"),
  shadow: () => import("./shadow.ts"),
  slsutil: () => import("./slsutil.ts"),
  ssh: () => import("./ssh.ts"),
  state: () => import("./state.ts"),
  status: () => import("./status.ts"),
  sys: () => import("./sys.ts"),
  sysctl: () => import("./sysctl.ts"),
  sysfs: () => import("./sysfs.ts"),
  system: () => import("./system.ts"),
  temp: () => import("./temp.ts"),
  test: () => import("./test.ts"),
  timezone: () => import("./timezone.ts"),
  tls: () => import("./tls.ts"),
  user: () => import("./user.ts"),
  x509: () => import("./x509.ts"),
  yumpkg: () => import("./yumpkg.ts"),
  zypperpkg: () => import("./zypperpkg.ts"),
};

/** Files of modules that go by another name, and that name: their functions are documented under it. */
const KNOWN_AS: Readonly<Record<string, string>> = {
  apkpkg: "pkg",
  aptpkg: "pkg",
  dpkg_lowpkg: "lowpkg",
  pacmanpkg: "pkg",
  rpm_lowpkg: "lowpkg",
  yumpkg: "pkg",
  zypperpkg: "pkg",
};

/** The name under which the functions of a file are known. */
export const moduleName = (file: string): string => KNOWN_AS[file] ?? file;

/** The execution modules: name → how to load it. Nothing is loaded before one of its functions is asked for. */
export const MODULES: ModuleRegistry = Object.fromEntries(
  Object.entries(FILES).map(([name, load]) => [name, async () => {
    const { module } = await load();
    return { module: { ...module, functions: documented(moduleName(name), module.functions) } };
  }]),
);
