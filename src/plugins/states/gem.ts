import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { compareVersions, looseCompare } from "../packages/versions.ts";

/** The installed versions of a gem; undefined for none. */
async function versions(context: StateContext, { name, ruby, gem_bin, user }: Args) {
  const found = await context.call("gem.list", [name, ruby], { gem_bin, runas: user });
  return isMap(found) ? lookup(found, name) as string[] | undefined : undefined;
}

/** Why nothing is to be done; undefined if something is. */
async function fits(there: string[] | undefined, wanted: unknown): Promise<string | undefined> {
  if (there === undefined) return undefined;
  const already = "Gem is already installed.";
  if (wanted === null) return already;
  const [, operator, version] = /^(>=|<=|>|<)(.*)$/.exec(str(wanted)) ?? [];
  if (operator === undefined) return there.includes(str(wanted)) ? already : undefined;
  const own = (there[0] ?? "").replaceAll("default: ", "").trim();
  return await compareVersions(looseCompare, own, operator, version!.trim())
    ? "Installed Gem meets version requirements."
    : undefined;
}

const hasSource = async (context: StateContext, { name, ruby, user }: Args): Promise<boolean> =>
  (await context.call("gem.sources_list", [ruby], { runas: user }) as unknown[]).includes(name);

async function setSource(context: StateContext, args: Args, wanted: boolean): Promise<StateReturn> {
  const { name, ruby, user } = args;
  const [verb, past] = wanted ? ["add", "added"] : ["remove", "removed"];
  if (await hasSource(context, args) === wanted) return outcome(name, true, `Gem source is already ${past}.`);
  const which = wanted ? ` ${str(name)}` : "";
  if (context.test) return outcome(name, null, `The gem source${which} would have been ${past}.`);
  return truthy(await context.call(`gem.sources_${verb}`, [], { source_uri: name, ruby, runas: user }))
    ? outcome(name, true, `Gem source was successfully ${past}.`, { [str(name)]: wanted ? "Installed" : "Removed" })
    : outcome(name, false, `Could not ${verb} gem source.`);
}

/** Ruby's packages, by gem. */
export const states: StateModule = {
  functions: stateFunctions({
    installed: stateFunction({
      signature: `name, ruby=None, gem_bin=None, user=None, version=None, rdoc=False, ri=False, pre_releases=False,
        proxy=None, source=None`,
      doc: "The gem is installed.",
      async run(context, args) {
        const { name, user, ruby, gem_bin, version, rdoc, ri, pre_releases, proxy, source } = args;
        const reason = await fits(await versions(context, args), version);
        if (reason !== undefined) return outcome(name, true, reason);
        if (context.test) return outcome(name, null, `The gem ${str(name)} would have been installed`);
        const options = { ruby, gem_bin, runas: user, version, rdoc, ri, pre_releases, proxy, source };
        return truthy(await context.call("gem.install", [name], options))
          ? outcome(name, true, "Gem was successfully installed", { [str(name)]: "Installed" })
          : outcome(name, false, "Could not install gem.");
      },
    }),
    "removed(name, ruby=None, user=None, gem_bin=None)": {
      doc: "The gem is not installed.",
      async run(context, args) {
        const { name, ruby, user, gem_bin } = args;
        if (await versions(context, args) === undefined) return outcome(name, true, "Gem is not installed.");
        if (context.test) return outcome(name, null, `The gem ${str(name)} would have been removed`);
        return truthy(await context.call("gem.uninstall", [name, ruby], { gem_bin, runas: user }))
          ? outcome(name, true, "Gem was successfully removed.", { [str(name)]: "Removed" })
          : outcome(name, false, "Could not remove gem.");
      },
    },
    "sources_add(name, ruby=None, user=None)": {
      doc: "Gems are also taken from this address.",
      run: (context, args) => setSource(context, args, true),
    },
    "sources_remove(name, ruby=None, user=None)": {
      doc: "Gems are not taken from this address.",
      run: (context, args) => setSource(context, args, false),
    },
  }),
};
