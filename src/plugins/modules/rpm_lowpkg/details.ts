/** `lowpkg.info` of systems with RPM. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { runAll } from "../../commands.ts";
import { fieldFormat, fieldRows, formatVersion, utcDate } from "../../packages/lists.ts";
import { compareEvr } from "../../packages/rpm/evr.ts";
import { rootWords } from "../../packages/rpm/installed.ts";

type Details = Record<string, unknown>;

/** Names of details → tags of rpm. */
const TAGS: Readonly<Record<string, string>> = {
  name: "%{NAME}",
  relocations: "%|PREFIXES?{[%{PREFIXES} ]}:{(not relocatable)}|",
  version: "%{VERSION}",
  vendor: "%{VENDOR}",
  release: "%{RELEASE}",
  epoch: "%|EPOCH?{%{EPOCH}}|",
  build_date_time_t: "%{BUILDTIME}",
  build_date: "%{BUILDTIME}",
  install_date_time_t: "%|INSTALLTIME?{%{INSTALLTIME}}|",
  install_date: "%|INSTALLTIME?{%{INSTALLTIME}}|",
  build_host: "%{BUILDHOST}",
  group: "%{GROUP}",
  source_rpm: "%{SOURCERPM}",
  size: "%{LONGSIZE}",
  arch: "%{ARCH}",
  license: "%|LICENSE?{%{LICENSE}}|",
  signature: "%|DSAHEADER?{%{DSAHEADER:pgpsig}}:{%|RSAHEADER?{%{RSAHEADER:pgpsig}}:" +
    "{%|SIGGPG?{%{SIGGPG:pgpsig}}:{%|SIGPGP?{%{SIGPGP:pgpsig}}:{(none)}|}|}|}|",
  packager: "%|PACKAGER?{%{PACKAGER}}|",
  url: "%|URL?{%{URL}}|",
  summary: "%{SUMMARY}",
  description: "%{DESCRIPTION}",
};

/** The value as it is shown; undefined for none. */
function shown(name: string, text: string): unknown {
  if (text === "") return undefined;
  if (!/_date(?:_time_t)?$/.test(name)) return text;
  if (!/^\d+$/.test(text)) return undefined;
  return name.endsWith("_time_t") ? Number(text) : utcDate(Number(text) * 1000);
}

/** Details of packages by name: of the newest version, or with `all_versions` a list. */
export async function details(
  context: JobContext,
  names: unknown[],
  kwargs: Details,
): Promise<Record<string, unknown>> {
  const asked = truthy(kwargs.attr)
    ? (Array.isArray(kwargs.attr) ? kwargs.attr : str(kwargs.attr).split(",")).map((one) => str(one).trim())
    : Object.keys(TAGS);
  const wanted = asked.filter((one) => Object.hasOwn(TAGS, one));
  if (wanted.length === 0) throw new CommandExecutionError("No valid attributes found.");
  const fields = [...new Set(["name", ...wanted, "epoch", "version", "release"])];
  const format = fieldFormat(fields.map((one) => TAGS[one]!));
  const which = names.length > 0 ? ["-q", ...names.map(str)] : ["-qa"];
  const { stdout } = await runAll(context, ["rpm", ...rootWords(kwargs.root), ...which, "--queryformat", format], {
    ignore_retcode: true,
    env: { TZ: "UTC", LC_ALL: "C" },
  });
  const found: { name: string; edition: string; entry: Details }[] = [];
  for (const values of fieldRows(stdout, fields.length)) {
    // What rpm says of packages that are not installed stands before the first field, on lines of its own.
    values[0] = values[0]!.slice(values[0]!.lastIndexOf("\n") + 1);
    const all = Object.fromEntries(fields.map((one, at) => [one, values[at]!.trim()]));
    const entry = Object.fromEntries(
      wanted.filter((one) => one !== "name").map((one) => [one, shown(one, all[one]!)]).filter(([, value]) =>
        value !== undefined
      ),
    );
    found.push({ name: all.name!, edition: formatVersion(all.epoch, all.version, all.release), entry });
  }
  found.sort((a, b) => compareEvr(b.edition, a.edition));
  const byName: Record<string, unknown> = {};
  for (const { name, edition, entry } of found) {
    if (name.startsWith("gpg-pubkey")) continue;
    if (truthy(kwargs.all_versions)) byName[name] = [...(byName[name] ?? []) as Details[], { ...entry, edition }];
    else byName[name] ??= entry;
  }
  return byName;
}
