import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunctions } from "../../model/loader/states.ts";
import { equal, str, truthy } from "../../language/python/values.ts";
import { callError } from "./outcome.ts";
import { interfaceDifference, networkManaged } from "./network/interfaces.ts";

type Keyword = Record<string, unknown>;

/** What is compared, written and applied by two functions of `ip`. */
interface Subject {
  name: unknown;
  read(): Promise<unknown>;
  write(): Promise<unknown>;
  /** `Interface eth0 routes`, and what is changed under which name. */
  title: string;
  key: string;
  added: string;
  /** Whether the comment of a change tells of it. */
  told: boolean;
}

async function settle(context: StateContext, subject: Subject, dry: boolean, kwargs: Keyword): Promise<StateReturn> {
  const { name, title, key, told } = subject;
  const changes: Keyword = {};
  let comment = `${title} are up to date.`;
  try {
    const old = await subject.read();
    const now = await subject.write();
    if (equal(old, now)) return outcome(name, true, comment);
    const adds = !truthy(old) && truthy(now);
    if (dry) {
      const what = adds ? "added." : `updated:\n${interfaceDifference(old, now)}`;
      return outcome(name, null, `${title} are set to be ${what}`);
    }
    changes[key] = adds ? subject.added : interfaceDifference(old, now);
    if (told) comment = `${title} ${adds ? "added" : "updated"}.`;
    await context.call("ip.apply_network_settings", [], kwargs);
  } catch (error) {
    return outcome(name, false, callError(error), changes);
  }
  return outcome(name, true, comment, changes);
}

/** Network interfaces, and what the host has of a network. */
export const states: StateModule = {
  virtual: needs("ip.get_interface", "ip module could not be loaded"),
  functions: stateFunctions({
    managed: networkManaged,
    "routes(name, **kwargs)": {
      doc: "The interface has these `routes`.",
      async run(context, args) {
        const { name } = args;
        const given = args.kwargs;
        const kwargs = { ...given, test: given.test ?? context.test };
        return await settle(
          context,
          {
            name,
            read: () => context.call("ip.get_routes", [name]),
            write: () => context.call("ip.build_routes", [name], kwargs),
            title: `Interface ${str(name)} routes`,
            key: "network_routes",
            added: `Added interface ${str(name)} routes.`,
            told: true,
          },
          truthy(kwargs.test),
          kwargs,
        );
      },
    },
    "system(name, **kwargs)": {
      doc:
        "The host has these settings: enabled, hostname, search; `apply_hostname` and `require_reboot` say how they come to hold.",
      async run(context, args) {
        const kwargs = { ...args.kwargs, test: context.test };
        return await settle(
          context,
          {
            name: args.name,
            read: () => context.call("ip.get_network_settings"),
            write: () => context.call("ip.build_network_settings", [], kwargs),
            title: "Global network settings",
            key: "network_settings",
            added: "Added global network settings.",
            told: false,
          },
          context.test,
          kwargs,
        );
      },
    },
  }),
};
