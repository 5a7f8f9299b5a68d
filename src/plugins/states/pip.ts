import { messageOf } from "../../base/errors.ts";
import { CommandExecutionError, CommandNotFoundError } from "../../model/loader/family.ts";
import { outcome, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { fails, messageFor } from "./outcome.ts";
import { pipInstalled } from "./pip/installed.ts";

/** Python's packages, by pip. */
export const states: StateModule = {
  functions: stateFunctions({
    installed: stateFunction({
      signature: `name, pkgs=None, pip_bin=None, requirements=None, bin_env=None, use_wheel=False,
        no_use_wheel=False, log=None, proxy=None, timeout=None, repo=None, editable=None, find_links=None,
        index_url=None, extra_index_url=None, no_index=False, mirrors=None, build=None, target=None, download=None,
        download_cache=None, source=None, upgrade=False, force_reinstall=False, ignore_installed=False,
        exists_action=None, no_deps=False, no_install=False, no_download=False, install_options=None,
        global_options=None, user=None, cwd=None, pre_releases=False, cert=None, allow_all_external=False,
        allow_external=None, allow_unverified=None, process_dependency_links=False, env_vars=None, use_vt=False,
        trusted_host=None, no_cache_dir=False, cache_dir=None, no_binary=None, extra_args=None, **kwargs`,
      doc: "The packages are installed, in the versions that are named, or what files of requirements name.",
      run: pipInstalled,
    }),
    removed: stateFunction({
      signature: `name, requirements=None, bin_env=None, log=None, proxy=None, timeout=None, user=None, cwd=None,
        use_vt=False`,
      doc: "The package is not installed.",
      async run(context, args) {
        const { name, requirements, bin_env, log, proxy, timeout, user, cwd, use_vt } = args;
        const found = await context.call("pip.list", [], { bin_env, user, cwd }).catch(
          fails(`Error uninstalling '${str(name)}': `, messageFor(CommandNotFoundError, CommandExecutionError)),
        );
        if (!isMap(found) || lookup(found, name) === undefined) return outcome(name, true, "Package is not installed.");
        if (context.test) return outcome(name, null, `Package ${str(name)} is set to be removed`);
        const options = { pkgs: name, requirements, bin_env, log, proxy, timeout, user, cwd, use_vt };
        return truthy(await context.call("pip.uninstall", [], options))
          ? outcome(name, true, "Package was successfully removed.", { [str(name)]: "Removed" })
          : outcome(name, false, "Could not remove package.");
      },
    }),
    "uptodate(name, bin_env=None, user=None, cwd=None, use_vt=False)": {
      doc: "All packages have their newest version.",
      async run(context, args) {
        const { name, bin_env, user, cwd, use_vt } = args;
        const found = await context.call("pip.list_upgrades", [], { bin_env, user, cwd }).catch(fails("", messageOf));
        if (!truthy(found)) return outcome(name, true, "System is already up-to-date.");
        if (context.test) return outcome(name, null, "System update will be performed");
        const updated = await context.call("pip.upgrade", [], { bin_env, user, cwd, use_vt }) as Record<
          string,
          unknown
        >;
        if (updated.result === false) return { ...outcome(name, false, "Failed to update."), ...updated };
        return truthy(updated)
          ? outcome(name, true, "Upgrade successful.", updated)
          : outcome(name, false, "Upgrade failed.");
      },
    },
  }),
};
