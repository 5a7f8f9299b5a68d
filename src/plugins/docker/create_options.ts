/** A new container as the daemon is asked for it. */
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import {
  addressOption,
  binds,
  byteCount,
  commaItems,
  commandOf,
  deviceRates,
  devices,
  integerOption,
  labelsOf,
  optionPairs,
  portBindings,
  portsOf,
  restartPolicy,
  splitAt,
  ulimits,
} from "./option_values.ts";

const ALIASES: Readonly<Record<string, string>> = {
  cmd: "command",
  cpuset: "cpuset_cpus",
  dns_option: "dns_opt",
  env: "environment",
  expose: "ports",
  interactive: "stdin_open",
  ipc: "ipc_mode",
  label: "labels",
  memory: "mem_limit",
  memory_swap: "memswap_limit",
  publish: "port_bindings",
  publish_all: "publish_all_ports",
  restart: "restart_policy",
  rm: "auto_remove",
  sysctl: "sysctls",
  security_opts: "security_opt",
  ulimit: "ulimits",
  user_ns_mode: "userns_mode",
  volume: "volumes",
  workdir: "working_dir",
};

type Translate = (value: unknown, checked: boolean) => unknown;

const set = (names: string[]): Record<string, Record<string, never>> =>
  Object.fromEntries(names.map((name) => [name, {}]));

const environment: Translate = (value) => Object.entries(optionPairs(value, "=")).map(([name, of]) => `${name}=${of}`);

const addresses: Translate = (value, checked) => checked ? commaItems(value).map(addressOption) : commaItems(value);

const hosts: Translate = (value, checked) =>
  Object.entries(optionPairs(value, ":")).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, ip]) => `${name}:${checked ? addressOption(ip) : ip}`);

const links: Translate = (value) =>
  Object.entries(optionPairs(value, ":")).sort(([a], [b]) => a < b ? -1 : 1).map(([name, of]) => `${name}:${of}`);

const tmpfs: Translate = (value) =>
  isMap(value) ? Object.fromEntries(entriesOf(value).map(([path, how]) => [str(path), str(how)])) : Object.fromEntries(
    commaItems(value).map((one) => splitAt(one, ":", 2)).map(([path = "", how = ""]) => [path, how]),
  );

/** Seconds, in billionths as the daemon counts. */
const healthcheck: Translate = (value) => {
  if (!isMap(value)) throw new SaltInvocationError(`'${str(value)}' is not a dictionary`);
  const names: Record<string, string> = {
    test: "Test",
    interval: "Interval",
    timeout: "Timeout",
    retries: "Retries",
    start_period: "StartPeriod",
  };
  return Object.fromEntries(entriesOf(value).map(([key, of]) => [names[str(key)] ?? str(key), of]));
};

/** Options of the container itself. */
const CONFIG: Readonly<Record<string, [key: string, translate: Translate]>> = {
  hostname: ["Hostname", str],
  domainname: ["Domainname", str],
  user: ["User", str],
  tty: ["Tty", truthy],
  stdin_open: ["OpenStdin", truthy],
  environment: ["Env", environment],
  command: ["Cmd", commandOf],
  entrypoint: ["Entrypoint", commandOf],
  ports: ["ExposedPorts", (value) => set(portsOf(value))],
  volumes: ["Volumes", (value) => set(commaItems(value))],
  network_disabled: ["NetworkDisabled", truthy],
  working_dir: ["WorkingDir", str],
  labels: ["Labels", labelsOf],
  mac_address: ["MacAddress", str],
  stop_signal: ["StopSignal", str],
  stop_timeout: ["StopTimeout", integerOption],
  healthcheck: ["Healthcheck", healthcheck],
};

/** Options of how the host runs it. */
const HOST: Readonly<Record<string, [key: string, translate: Translate]>> = {
  auto_remove: ["AutoRemove", truthy],
  binds: ["Binds", binds],
  blkio_weight: ["BlkioWeight", integerOption],
  blkio_weight_device: ["BlkioWeightDevice", (value) => deviceRates(value, "Weight")],
  cap_add: ["CapAdd", commaItems],
  cap_drop: ["CapDrop", commaItems],
  cgroup_parent: ["CgroupParent", str],
  cpu_period: ["CpuPeriod", integerOption],
  cpu_quota: ["CpuQuota", integerOption],
  cpu_shares: ["CpuShares", integerOption],
  cpuset_cpus: ["CpusetCpus", str],
  cpuset_mems: ["CpusetMems", str],
  device_read_bps: ["BlkioDeviceReadBps", (value) => deviceRates(value, "Rate", true)],
  device_read_iops: ["BlkioDeviceReadIOps", (value) => deviceRates(value, "Rate")],
  device_write_bps: ["BlkioDeviceWriteBps", (value) => deviceRates(value, "Rate", true)],
  device_write_iops: ["BlkioDeviceWriteIOps", (value) => deviceRates(value, "Rate")],
  devices: ["Devices", devices],
  dns: ["Dns", addresses],
  dns_opt: ["DnsOptions", commaItems],
  dns_search: ["DnsSearch", commaItems],
  extra_hosts: ["ExtraHosts", hosts],
  group_add: ["GroupAdd", commaItems],
  init: ["Init", truthy],
  ipc_mode: ["IpcMode", str],
  isolation: ["Isolation", str],
  links: ["Links", links],
  log_config: ["LogConfig", (value) => value],
  mem_limit: ["Memory", byteCount],
  mem_reservation: ["MemoryReservation", byteCount],
  mem_swappiness: ["MemorySwappiness", integerOption],
  memswap_limit: ["MemorySwap", byteCount],
  network_mode: ["NetworkMode", str],
  oom_kill_disable: ["OomKillDisable", truthy],
  oom_score_adj: ["OomScoreAdj", integerOption],
  pid_mode: ["PidMode", str],
  pids_limit: ["PidsLimit", integerOption],
  port_bindings: ["PortBindings", portBindings],
  privileged: ["Privileged", truthy],
  publish_all_ports: ["PublishAllPorts", truthy],
  read_only: ["ReadonlyRootfs", truthy],
  restart_policy: ["RestartPolicy", restartPolicy],
  runtime: ["Runtime", str],
  security_opt: ["SecurityOpt", commaItems],
  shm_size: ["ShmSize", byteCount],
  storage_opt: ["StorageOpt", (value) => optionPairs(value, "=")],
  sysctls: ["Sysctls", (value) => optionPairs(value, "=")],
  tmpfs: ["Tmpfs", tmpfs],
  ulimits: ["Ulimits", ulimits],
  userns_mode: ["UsernsMode", str],
  volume_driver: ["VolumeDriver", str],
  volumes_from: ["VolumesFrom", commaItems],
};

/** Every option of a new container, by its own name. */
export const CREATE_OPTIONS: readonly string[] = [
  ...Object.keys(CONFIG),
  ...Object.keys(HOST),
  "detach",
  "host_config",
  "log_driver",
  "log_opt",
];

interface NewContainer {
  /** What the daemon is sent. */
  body: Args;
  /** Options that nobody knows. */
  unknown: string[];
}

function withoutAliases(given: Args, ignoreCollisions: boolean): Args {
  const found: Args = {};
  for (const [name, value] of Object.entries(given)) {
    const own = ALIASES[name] ?? name;
    if (own in found && !ignoreCollisions) {
      throw new SaltInvocationError(`'${name}' and '${own}' are the same option: give one of them`);
    }
    if (!(own in found) || own === name) found[own] = value;
  }
  return found;
}

const invalidOption = (name: string, message: string): CommandExecutionError =>
  new CommandExecutionError("Failed to translate input", { info: { invalid: { [name]: message } } });

/** Options that decide together. */
function joined({ log_driver: driver, log_opt: log, ...options }: Args): Args {
  if (driver !== undefined || log !== undefined) {
    options.log_config ??= { Type: driver ?? "none", Config: log === undefined ? {} : optionPairs(log, "=") };
  }
  if (truthy(options.port_bindings ?? null) && truthy(options.publish_all_ports ?? null)) {
    throw invalidOption("port_bindings", "Cannot be used when publish_all_ports=True");
  }
  if (options.hostname !== undefined && options.network_mode === "host") {
    throw invalidOption("hostname", "Cannot be used when network_mode=True");
  }
  return options;
}

/** Ports that are bound are exposed, and directories that are bound are volumes. */
function implied(config: Args, host: Args): void {
  const ports = Object.keys(host.PortBindings as Args ?? {});
  if (ports.length > 0) config.ExposedPorts = { ...config.ExposedPorts as Args, ...set(ports) };
  const inside = (host.Binds as string[] | undefined ?? []).map((one) => one.split(":")[1]).filter((one) =>
    one !== undefined
  );
  if (inside.length > 0) config.Volumes = { ...config.Volumes as Args, ...set(inside) };
}

/** Translates options one after the other. @throws {CommandExecutionError} with what is wrong with each */
function translateAll(
  options: Args,
  translate: (name: string, value: unknown) => void,
  given: Args = options,
): void {
  const invalid: Record<string, string> = {};
  for (const [name, value] of Object.entries(options)) {
    try {
      translate(name, value);
    } catch (error) {
      if (!(error instanceof SaltInvocationError || error instanceof SyntaxError)) throw error;
      const written = Object.keys(given).find((one) => one === name || ALIASES[one] === name) ?? name;
      invalid[written] = error.message;
    }
  }
  if (Object.keys(invalid).length > 0) {
    throw new CommandExecutionError("Failed to translate input", { info: { invalid } });
  }
}

/** What the daemon is asked for; values of null count as not given. */
export function newContainer(
  image: unknown,
  given: Args,
  { checked = true, ignoreCollisions = false }: { checked?: boolean; ignoreCollisions?: boolean } = {},
): NewContainer {
  const named = Object.entries(given).filter(([name, value]) => value !== null && !name.startsWith("__"));
  const options = joined(withoutAliases(Object.fromEntries(named), ignoreCollisions));
  const { detach = false, host_config: more = {}, networking_config: networking, ...others } = options;
  const attached = !truthy(detach);
  const open = truthy(others.stdin_open ?? false);
  const config: Args = {
    Image: image,
    AttachStdin: attached && open,
    AttachStdout: attached,
    AttachStderr: attached,
    StdinOnce: attached && open,
  };
  const host: Args = { NetworkMode: "default" };
  const unknown: string[] = [];
  translateAll(others, (name, value) => {
    const own = CONFIG[name];
    const ofHost = HOST[name];
    if (own !== undefined) config[own[0]] = own[1](value, checked);
    else if (ofHost !== undefined) host[ofHost[0]] = ofHost[1](value, checked);
    else unknown.push(name);
  }, given);
  implied(config, host);
  const extra = isMap(more) ? Object.fromEntries(entriesOf(more)) : {};
  const network = networking === undefined ? {} : { NetworkingConfig: networking };
  return { body: { ...config, HostConfig: { ...host, ...extra }, ...network }, unknown };
}

/** A container's place in a network, as `connect_container_to_network` takes it. */
export function endpointConfig(given: Args): Args {
  const { aliases, links: linked, ipv4_address: v4, ipv6_address: v6, link_local_ips: local, driver_opt: driver } =
    given;
  const addresses = {
    ...(truthy(v4 ?? null) ? { IPv4Address: str(v4) } : {}),
    ...(truthy(v6 ?? null) ? { IPv6Address: str(v6) } : {}),
    ...(truthy(local ?? null) ? { LinkLocalIPs: commaItems(local) } : {}),
  };
  return {
    ...(truthy(aliases ?? null) ? { Aliases: commaItems(aliases) } : {}),
    ...(truthy(linked ?? null) ? { Links: links(linked, false) } : {}),
    ...(Object.keys(addresses).length > 0 ? { IPAMConfig: addresses } : {}),
    ...(truthy(driver ?? null) ? { DriverOpts: optionPairs(driver, "=") } : {}),
  };
}
