import { CommandExecutionError } from "../../model/loader/family.ts";
import { outcome, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { str } from "../../language/python/values.ts";
import { networkNamed, removeNetwork } from "./docker/network.ts";
import { NetworkPresent } from "./docker/network_present.ts";
import { fails, messageFor } from "./outcome.ts";

export const states: StateModule = {
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, skip_translate=None, ignore_collisions=False, validate_ip_addrs=True, containers=None,
        reconnect=True, **kwargs`,
      doc: "There is such a network, with these containers; one with another configuration is replaced.",
      async run(context, args) {
        return await new NetworkPresent(context, args).run();
      },
    }),
    "absent(name)": {
      doc: "There is no network of that name.",
      async run(context, { name }) {
        const network = await networkNamed(context, name).catch(fails("", messageFor(CommandExecutionError)));
        if (network === undefined) return outcome(name, true, `Network '${str(name)}' already absent`);
        if (context.test) return outcome(name, null, `Network '${str(name)}' will be removed`);
        return await removeNetwork(context, network);
      },
    },
  }),
};
