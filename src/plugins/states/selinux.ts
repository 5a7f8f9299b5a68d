import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunctions } from "../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { filesAbsent, filesApplied, filesPresent, portAbsent, portPresent } from "./selinux/policies.ts";

/** The mode that a text means; undefined for none. */
function modeOf(given: unknown): string | undefined {
  const text = str(given).toLowerCase();
  if (text.startsWith("e") || text === "1" || text === "on") return "Enforcing";
  if (text.startsWith("p") || text === "0" || text === "off") return "Permissive";
  return text.startsWith("d") ? "Disabled" : undefined;
}

const YES = ["1", "on", "yes", "true"];
const NO = ["0", "off", "no", "false"];

function switchOf(given: unknown, yes: string, no: string): string | undefined {
  const text = str(given).toLowerCase();
  if (YES.includes(text) || text === yes) return yes;
  return NO.includes(text) || text === no ? no : undefined;
}

const modules = async (context: StateContext, name: unknown): Promise<unknown> =>
  lookup(await context.call("selinux.list_semod") as Record<string, unknown>, name);

async function install(context: StateContext, name: unknown): Promise<StateReturn> {
  if (context.test) return outcome(name, null, `Module ${str(name)} is set to be installed`);
  return truthy(await context.call("selinux.install_semod", [name]))
    ? outcome(name, true, `Module ${str(name)} has been installed`)
    : outcome(name, false, `Failed to install module ${str(name)}`);
}

async function remove(context: StateContext, name: unknown): Promise<StateReturn> {
  if (await modules(context, name) === undefined) {
    return outcome(name, false, `Module ${str(name)} is not available`);
  }
  if (context.test) return outcome(name, null, `Module ${str(name)} is set to be removed`);
  return truthy(await context.call("selinux.remove_semod", [name]))
    ? outcome(name, true, `Module ${str(name)} has been removed`)
    : outcome(name, false, `Failed to remove module ${str(name)}`);
}

const FILE = "sel_user=None, sel_level=None";

/** What SELinux allows. */
export const states: StateModule = {
  virtual: needs("selinux.getenforce", "selinux module could not be loaded"),
  functions: stateFunctions({
    "mode(name)": {
      doc: "SELinux is in this mode: enforcing, permissive or disabled.",
      async run(context, { name }) {
        const wanted = modeOf(name);
        if (wanted === undefined) return outcome(name, false, `${str(name)} is not an accepted mode`);
        let now = await context.call("selinux.getenforce");
        const config = await context.call("selinux.getconfig");
        if (now === wanted && now !== config) now = config;
        if (now === wanted) return outcome(name, true, `SELinux is already in ${wanted} mode`);
        if (context.test) {
          return outcome(name, null, `SELinux mode is set to be changed to ${wanted}`, { old: now, new: wanted });
        }
        const after = await context.call("selinux.setenforce", [wanted]);
        // It is switched off by the next boot.
        const later = after !== wanted && wanted === "Disabled" && await context.call("selinux.getconfig") === wanted;
        return after === wanted || later
          ? outcome(name, true, `SELinux has been set to ${wanted} mode`, { old: now, new: after })
          : outcome(name, false, `Failed to set SELinux to ${wanted} mode`);
      },
    },
    "boolean(name, value: str, persist=False)": {
      doc: "The boolean has that value; with `persist` also after the next boot.",
      async run(context, { name, value, persist }) {
        const all = await context.call("selinux.list_sebool") as Record<string, { State: string; Default: string }>;
        const known = Object.hasOwn(all, str(name)) ? all[str(name)]! : undefined;
        if (known === undefined) return outcome(name, false, `Boolean ${str(name)} is not available`);
        const wanted = switchOf(value, "on", "off");
        if (wanted === undefined) return outcome(name, false, `${value} is not a valid value for the boolean`);
        if (known.State === wanted && (!truthy(persist) || known.Default === wanted)) {
          return outcome(name, true, "Boolean is in the correct state");
        }
        if (context.test) return outcome(name, null, `Boolean ${str(name)} is set to be changed to ${wanted}`);
        if (!truthy(await context.call("selinux.setsebool", [name, wanted, persist]))) {
          return outcome(name, false, `Failed to set the boolean ${str(name)} to ${wanted}`);
        }
        const changes: Record<string, unknown> = { State: { old: known.State, new: wanted } };
        if (truthy(persist) && known.Default !== wanted) changes.Default = { old: known.Default, new: wanted };
        return outcome(name, true, `Boolean ${str(name)} has been set to ${wanted}`, changes);
      },
    },
    "module(name, module_state: str='Enabled', version='any', **opts)": {
      doc:
        "The module of the policy is enabled or disabled; with `install` or `remove` it comes from `source`, or goes.",
      async run(context, args) {
        const { name, module_state: asked, version } = args;
        const { install: installs, remove: removes, source } = args.opts;
        if (truthy(installs) && truthy(removes)) {
          return outcome(name, false, "Cannot install and remove at the same time");
        }
        let named = name;
        const wanted = switchOf(asked, "enabled", "disabled");
        const invalid = outcome(name, false, `${asked} is not a valid state for the ${str(name)} module.`);
        if (truthy(installs)) {
          if (wanted === undefined) return invalid;
          const ret = await install(context, source ?? name);
          if (ret.result !== true) return ret;
          named = ret.name;
        } else if (truthy(removes)) return await remove(context, name);
        const found = await modules(context, name);
        const no = (comment: string) => outcome(named, false, comment);
        if (!isMap(found)) return no(`Module ${str(name)} is not available`);
        if (wanted === undefined) return invalid;
        if (version !== "any" && lookup(found, "Version") !== version) {
          return no(
            `Module version is ${str(lookup(found, "Version"))} and does not match the desired version of ${
              str(version)
            } ` +
              "or you are using semodule >= 2.4",
          );
        }
        if (wanted === (truthy(lookup(found, "Enabled")) ? "enabled" : "disabled")) {
          return outcome(named, true, `Module ${str(name)} is in the desired state`);
        }
        if (context.test) return outcome(named, null, `Module ${str(name)} is set to be toggled to ${asked}`);
        return truthy(await context.call("selinux.setsemod", [name, wanted]))
          ? outcome(named, true, `Module ${str(name)} has been set to ${asked}`)
          : no(`Failed to set the Module ${str(name)} to ${asked}`);
      },
    },
    "module_install(name)": {
      doc: "Installs a module of the policy from a file.",
      run: (context, { name }) => install(context, name),
    },
    "module_remove(name)": {
      doc: "Removes a module of the policy.",
      run: (context, { name }) => remove(context, name),
    },
    [`fcontext_policy_present(name, sel_type, filetype='a', ${FILE})` as const]: {
      doc: "There is a policy that gives files of these paths that type.",
      run: filesPresent,
    },
    [`fcontext_policy_absent(name, filetype='a', sel_type=None, ${FILE})` as const]: {
      doc: "There is no policy for files of these paths.",
      run: filesAbsent,
    },
    fcontext_policy_applied: filesApplied,
    port_policy_present: portPresent,
    port_policy_absent: portAbsent,
  }),
};
