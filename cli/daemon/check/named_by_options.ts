/** Lists the options that name modules, one row for each. For a new registry of modules, add a row here. */
import { Slices } from "../../../src/base/async/slices.ts";
import type { Host } from "../../../src/model/config/review.ts";
import type { CustomPlace } from "../../../src/model/loader/custom_file.ts";
import type { CustomKind } from "../../../src/model/loader/custom_files.ts";
import { entriesOf, isMap, str } from "../../../src/language/python/values.ts";
import { isRecord } from "../../../src/base/record.ts";
import { insteadOfRenderer, parsePipeline } from "../../../src/language/render/pipeline.ts";
import { RENDERER_NAMES } from "../../../src/language/render/renderers.ts";

export interface NamePlace extends CustomPlace {
  readonly host: Host;
}

export interface NamingOption {
  option: string;
  /** Name for a module of this kind: `returner`. */
  what: string;
  hosts: readonly Host[];
  names(opts: Record<string, unknown>): readonly string[];
  known(place: NamePlace): Promise<readonly string[]>;
  /** The folder of custom modules that the option may name. */
  custom?: CustomKind;
  /** The consequence of an unknown name: `events are not stored`. */
  effect: string;
  /** How severe an unknown name is. */
  severity(place: NamePlace): "warning" | "error" | "stops";
  /** What to do instead, for a name of Salt that Brine does not have. */
  instead?(name: string): string | undefined;
  /** The reason why an existing module cannot be used. */
  obstacle?(name: string, place: NamePlace): Promise<string | undefined>;
}

const BOTH: readonly Host[] = ["master", "minion"];
const isLocal = ({ host, opts }: NamePlace) => host === "master" || opts.file_client === "local";
/** The severity for a module that the minion uses itself; with a master, the master uses it, and there is only a warning. */
const whereItIsUsed = (severity: "error" | "stops") => (place: NamePlace) => isLocal(place) ? severity : "warning";
const always = <const Value>(value: Value) => () => value;

/** Names in a list, or in a text with commas. */
const listed = (value: unknown): string[] =>
  [value ?? []].flat(2).flatMap((one) => String(one).split(",")).map((name) => name.trim()).filter((name) =>
    name !== ""
  );

const mapEntries = (value: unknown): [string, unknown][] =>
  isMap(value) ? entriesOf(value).map(([key, item]) => [str(key), item]) : [];

/** Names in a text or a list of texts; commas do not separate names. */
const each = (value: unknown): string[] =>
  [value].flat().filter((name): name is string => typeof name === "string" && name !== "");

/** The entries of a schedule, without its settings. */
export const scheduleEntries = (schedule: unknown): [string, Record<string, unknown>][] =>
  mapEntries(schedule).flatMap(([name, entry]) => isMap(entry) ? [[name, Object.fromEntries(mapEntries(entry))]] : []);

const returners = async () => Object.keys((await import("../../../src/plugins/returners/mod.ts")).RETURNERS);

/** The reason why a returner cannot do what an option requires. */
async function returnerObstacle(
  name: string,
  { runtime, log, opts }: NamePlace,
  lacks: (returner: { eventReturn?: unknown; saveLoad?: unknown }) => string | undefined,
): Promise<string | undefined> {
  const { disable_returners: disabled } = opts;
  if (Array.isArray(disabled) && disabled.includes(name)) return "disable_returners has it";
  const { RETURNERS } = await import("../../../src/plugins/returners/mod.ts");
  const { returner } = await RETURNERS[name]!();
  const usable = returner.virtual?.({ runtime, log, opts }) ?? true;
  return usable === true ? lacks(returner) : usable.unavailable;
}

const RETURNER = {
  what: "returner",
  known: returners,
  custom: "returners",
  severity: always("error"),
  obstacle: (name: string, place: NamePlace) => returnerObstacle(name, place, () => undefined),
} as const;

const OF_RETURNS: readonly NamingOption[] = [
  {
    ...RETURNER,
    option: "return",
    hosts: ["minion"],
    names: ({ return: names }) => listed(names),
    effect: "no return is sent to it",
  },
  {
    ...RETURNER,
    option: "schedule_returner",
    hosts: BOTH,
    names: ({ schedule_returner: names }) => each(names),
    effect: "no return of a scheduled job is sent to it",
  },
  {
    ...RETURNER,
    option: "schedule",
    hosts: BOTH,
    names: ({ schedule }) => scheduleEntries(schedule).flatMap(([, { returner }]) => each(returner)),
    effect: "no return of the scheduled job is sent to it",
  },
  {
    ...RETURNER,
    option: "event_return",
    hosts: ["master"],
    names: ({ event_return: names }) => listed(names),
    effect: "no event is stored in it",
    instead: (name) => `docs/event-return.md lists replacements for "${name}"`,
    obstacle: (name, place) =>
      returnerObstacle(name, place, (one) => one.eventReturn === undefined ? "it does not store events" : undefined),
  },
  {
    ...RETURNER,
    option: "ext_job_cache",
    hosts: ["master"],
    names: ({ ext_job_cache: name }) => listed(name),
    effect: "no job is stored in it",
    obstacle: (name, place) =>
      returnerObstacle(
        name,
        place,
        (one) => one.saveLoad === undefined ? "it stores only returns, not jobs" : undefined,
      ),
  },
];

/** Names of renderers in pipelines such as `jinja|yaml`. */
function rendererNames({ host }: NamePlace): Promise<readonly string[]> {
  return Promise.resolve(host === "master" ? RENDERER_NAMES : [...RENDERER_NAMES, "js", "ts"]);
}

const RENDERER = {
  what: "renderer",
  known: rendererNames,
  custom: "renderers",
  hosts: BOTH,
  instead: (name: string) => insteadOfRenderer(name, RENDERER_NAMES),
} as const;

const partsOf = (pipeline: unknown): string[] =>
  typeof pipeline !== "string" || pipeline === "" ? [] : parsePipeline(pipeline).map(({ name }) => name);

const OF_RENDERERS: readonly NamingOption[] = [
  {
    ...RENDERER,
    option: "renderer",
    names: ({ renderer }) => partsOf(renderer),
    effect: "files without a renderer line cannot be rendered",
    severity: whereItIsUsed("error"),
  },
  {
    ...RENDERER,
    option: "decrypt_pillar_default",
    names: ({ decrypt_pillar, decrypt_pillar_default: name }) =>
      Array.isArray(decrypt_pillar) && decrypt_pillar.length > 0 ? listed(name) : [],
    effect: "pillar stays encrypted",
    severity: whereItIsUsed("error"),
  },
  {
    ...RENDERER,
    option: "decrypt_pillar_renderers",
    names: ({ decrypt_pillar_renderers: names }) => listed(names),
    effect: "it cannot decrypt",
    severity: always("warning"),
  },
];

const OF_FILES: readonly NamingOption[] = [
  {
    option: "fileserver_backend",
    what: "backend",
    hosts: BOTH,
    names: ({ fileserver_backend: names }) => listed(names),
    known: async () => (await import("../../../src/content/fileserver/server.ts")).BACKEND_NAMES,
    effect: "files cannot be served from it",
    severity: whereItIsUsed("stops"),
    instead: () => "use gitfs, or use roots and copy the files into a directory of file_roots",
  },
  {
    option: "ext_pillar",
    what: "external pillar",
    hosts: BOTH,
    names: ({ ext_pillar: entries, exclude_ext_pillar: without }) =>
      (Array.isArray(entries) ? entries : []).flatMap((entry) => mapEntries(entry).map(([name]) => name))
        .filter((name) => !listed(without).includes(name)),
    known: async () => Object.keys((await import("../../../src/plugins/pillar/mod.ts")).EXT_PILLARS),
    custom: "pillar",
    effect: "pillar is compiled without its data",
    severity: whereItIsUsed("error"),
    instead: (name) => `fetch the data of "${name}" by cmd_json, cmd_yaml, http_json, http_yaml, git or file_tree`,
  },
  {
    option: "master_tops",
    what: "module",
    hosts: ["master"],
    names: ({ master_tops: modules }) => mapEntries(modules).map(([name]) => name),
    known: async () => Object.keys((await import("../../../src/plugins/tops/mod.ts")).TOPS),
    custom: "tops",
    effect: "minions get no states by it",
    severity: always("error"),
  },
];

/** The module of a beacon: its `beacon_module`, or else its name. */
const beaconModule = ([name, config]: [string, unknown]): string => {
  const items = Array.isArray(config) ? config : [];
  const wanted = items.flatMap(mapEntries).find(([key]) => key === "beacon_module")?.[1];
  return typeof wanted === "string" && wanted !== "" ? wanted : name;
};

const OF_DAEMONS: readonly NamingOption[] = [
  {
    option: "beacons",
    what: "beacon",
    hosts: ["minion"],
    names: ({ beacons }) => mapEntries(beacons).filter(([name]) => name !== "enabled").map(beaconModule),
    known: async () => Object.keys((await import("../../../src/plugins/beacons/mod.ts")).BEACONS),
    custom: "beacons",
    effect: "this beacon does not run",
    severity: always("warning"),
    async obstacle(name, { runtime, log, opts }) {
      const { BEACONS } = await import("../../../src/plugins/beacons/mod.ts");
      // Beacons that check their host only read its files, so these fields of the context are enough.
      return (await BEACONS[name]!()).unavailable?.({ runtime, log, opts } as never);
    },
  },
  {
    option: "providers",
    what: "module",
    hosts: ["minion"],
    names: ({ providers }) => mapEntries(providers).map(([, module]) => str(module)),
    known: async () => Object.keys((await import("../../../src/plugins/modules/mod.ts")).MODULES),
    custom: "modules",
    effect: "the usual module is used",
    severity: always("warning"),
  },
  {
    option: "module_executors",
    what: "executor",
    hosts: ["minion"],
    names: ({ module_executors: names }) => each(names),
    known: async () => (await import("../../../src/host/minion/processes/executors.ts")).EXECUTOR_NAMES,
    custom: "executors",
    effect: "each job fails",
    severity: always("error"),
  },
  {
    option: "external_auth",
    what: "backend",
    hosts: ["master"],
    names: ({ external_auth: sections }) => mapEntries(sections).map(([name]) => name),
    known: async () => Object.keys((await import("../../../src/plugins/eauth/mod.ts")).EAUTH),
    custom: "auth",
    effect: "nobody can log in with this backend",
    severity: always("error"),
    async obstacle(name, { runtime, log, opts }) {
      const { EAUTH } = await import("../../../src/plugins/eauth/mod.ts");
      const { external_auth: sections } = opts as { external_auth: Record<string, unknown> };
      const section = isRecord(sections[name]) ? sections[name] : {};
      const { eauth } = await EAUTH[name]!();
      const slices = new Slices((callback) => runtime.later(callback));
      const usable = eauth.virtual?.({ runtime, log, opts, section, slices }) ?? true;
      return usable === true ? undefined : usable.unavailable;
    },
  },
  {
    option: "output",
    what: "outputter",
    hosts: BOTH,
    names: ({ output }) => listed(output),
    known: async () => Object.keys((await import("../../../src/plugins/outputters/mod.ts")).OUTPUTTERS),
    custom: "output" satisfies CustomKind,
    effect: "programs use nested instead",
    severity: always("warning"),
  },
];

export const NAMED_BY_OPTIONS: readonly NamingOption[] = [...OF_RETURNS, ...OF_RENDERERS, ...OF_FILES, ...OF_DAEMONS];
