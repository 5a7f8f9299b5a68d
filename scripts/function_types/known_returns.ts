import type { Family } from "./declared_functions.ts";

/**
 * Returns of which the code says less than is known, or more than is true of what a client reads: by type, the functions that
 * return it. `tests/sdk/function_values_nightly_test.ts` holds real values against them.
 */
const ROWS: Record<Family, Readonly<Record<string, string>>> = {
  execution: {
    // Maps with numbers as keys are a Map on the master's host, and an object over HTTP.
    unknown: "network.active_tcp status.procs pillar.raw file.open_files ps.proc_info",
    "string[]": `
      dig.a dig.aaaa dig.ns dig.ptr dig.spf
      pillar.ls pillar.keys saltutil.sync_beacons saltutil.sync_clouds saltutil.sync_engines saltutil.sync_executors
      saltutil.sync_grains saltutil.sync_log_handlers saltutil.sync_matchers saltutil.sync_modules saltutil.sync_output
      saltutil.sync_outputters saltutil.sync_pillar saltutil.sync_proxymodules saltutil.sync_renderers
      saltutil.sync_returners saltutil.sync_sdb saltutil.sync_serializers saltutil.sync_states saltutil.sync_thorium
      saltutil.sync_utils state.show_states sys.list_returner_functions sys.list_returners sys.list_runner_functions
      sys.list_runners sys.list_state_functions sys.list_state_modules
    `,
    "Record<string, string | null>": "sys.returner_doc sys.runner_doc sys.state_doc",
    "Record<string, FunctionSignature>": "sys.argspec sys.returner_argspec sys.runner_argspec sys.state_argspec",
    StateReturns: `
      state.apply state.high state.highstate state.request state.single state.sls state.sls_id state.template
      state.template_str state.test state.top
    `,
    "Record<string, unknown> | string[]":
      "state.show_highstate state.show_sls network.ip_networks network.ip_networks6",
    "Record<string, unknown>[] | string[]": "state.show_lowstate state.show_low_sls",
    "Record<string, string[]> | string[]": "state.show_top",
    "Record<string, { used: string[]; unused: string[]; count_all: number; count_used: number; count_unused: number }>":
      "state.show_state_usage",
    "Record<string, string> | string": "disk.percent",
    'Record<string, { filesystem: string; "1K-blocks": string; used: string; available: string; capacity: string }>':
      "disk.usage",
    "Record<string, { inodes: string; used: string; free: string; use: string; filesystem: string }>":
      "disk.inodeusage",
    "Record<string, string>": "sysctl.show",
    '"" | { hash_type?: string; hsum?: string }': "cp.hash_file",
    "{ pid: number; retcode: number; stdout: string; stderr: string }":
      "file.grep rsync.rsync webutil.useradd apache.useradd",
    "number | string": "file.uid_to_user file.gid_to_group",
    boolean: "file.is_hardlink apache.check_mod_enabled apache.check_site_enabled apache.check_conf_enabled",
    "string | null": "udev.name udev.path",
    "string | string[] | null": "udev.links",
    "string | unknown[]": "dig.cname",
    "unknown[][]": "dig.mx",
    string: "network.hw_addr network.hwaddr network.interface_ip",
    "Record<string, unknown>":
      "mine.get publish.publish publish.full_data pillar.items pillar.data pillar.item test.kwarg test.opts_pkg",
    "{ args: unknown[]; kwargs: Record<string, unknown> }": "test.arg test.arg_clean",
    "[bigint | number, Float | number]": "test.fib",
    "[(Float | bigint | number)[], Float | number]": "test.collatz",
    "{ Name: string; Status: string | number; [name: string]: unknown }":
      "apache.a2enmod apache.a2dismod apache.a2ensite apache.a2dissite apache.a2enconf apache.a2disconf",
    "Record<string, unknown> | string": "apache.server_status schedule.list beacons.list",
    "Record<string, Float | number>": "ps.swap_memory ps.virtual_memory status.loadavg",
    "Record<string, number>": "status.vmstats",
    "Record<string, Record<string, number>>": "status.netstats",
    "Record<string, Record<string, number | string>>": "status.netdev status.diskstats",
    "Record<string, { available: number; total: number }>": "status.diskusage",
    "Record<string, { value: string; unit?: string }>": "status.meminfo",
    "Record<string, string | string[]>": "status.cpuinfo",
    "{ seconds: number; since_iso: string; since_t: number; days: number; time: string; users: number }":
      "status.uptime",
    "UserRecord | Record<string, never>": "user.info",
    "UserRecord[]": "user.getent",
    "Record<string, string | string[]> | string | string[]": "pkg.version pkg.latest_version pkg.available_version",
  },
  runner: {
    "string[]": `
      manage.alived manage.allowed manage.joined manage.list_not_state manage.list_state manage.not_alived
      manage.not_allowed manage.not_joined manage.not_present manage.not_reaped manage.present manage.reaped
      saltutil.sync_cache saltutil.sync_clouds saltutil.sync_eauth_tokens saltutil.sync_engines saltutil.sync_executors
      saltutil.sync_fileserver saltutil.sync_grains saltutil.sync_modules saltutil.sync_output saltutil.sync_pillar
      saltutil.sync_proxymodules saltutil.sync_queues saltutil.sync_renderers saltutil.sync_returners
      saltutil.sync_roster saltutil.sync_runners saltutil.sync_sdb saltutil.sync_serializers saltutil.sync_states
      saltutil.sync_thorium saltutil.sync_tops saltutil.sync_utils saltutil.sync_wheel saltutil.sync_wrapper
    `,
    "{ Master: string; [name: string]: string | Record<string, string> }": "manage.versions",
    "Record<string, unknown>": "jobs.list_job pillar.show_pillar pillar.show_top test.get_opts mine.get",
    "Record<string, number>": "jobs.refused",
    "{ open: number; refused: Record<string, number> }": "jobs.counters",
    "{ args: unknown[]; kwargs: Record<string, unknown> }": "test.arg test.raw_arg",
    "{ data: Record<string, StateReturns>; outputter: string; retcode: number }":
      "state.orchestrate state.orch state.sls",
    "Record<string, StateReturns>": "state.orchestrate_single",
  },
  wheel: {
    "Record<string, unknown>": "config.values",
    "Record<string, Record<string, unknown>>": "file_roots.list_env pillar_roots.list_env",
    "Record<string, Record<string, unknown>[]>": "file_roots.list_roots pillar_roots.list_roots",
    "Record<string, string>[]": "file_roots.find file_roots.read pillar_roots.find pillar_roots.read",
    "Record<string, Record<string, string>>": "key.finger key.key_str key.print",
    "{ priv?: string; pub?: string }": "key.gen_accept",
  },
};

const byName = (rows: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(rows).flatMap(([type, names]) =>
      names.trim().split(/\s+/).map((name): [string, string] => [name, type])
    ),
  );

/** Function → the type of its return. */
export const RETURN_TYPES: Readonly<Record<Family, ReadonlyMap<string, string>>> = {
  execution: byName(ROWS.execution),
  runner: byName(ROWS.runner),
  wheel: byName(ROWS.wheel),
};
