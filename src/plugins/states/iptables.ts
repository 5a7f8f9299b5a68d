import { needs, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { chainAbsent, chainPresent, flush, setPolicy } from "./iptables/chains.ts";
import { type Action, aggregate, rule } from "./iptables/rules.ts";

const ofRule = (action: Action, doc: string) =>
  stateFunction({
    signature: "name, table='filter', family='ipv4', **kwargs",
    doc,
    run: (context, args) => rule(context, action, args),
  });

const CHAIN = "name, table='filter', family='ipv4'";

/** The rules of the firewall. */
export const states: StateModule = {
  virtual: needs("iptables.version", "iptables module could not be loaded"),
  functions: stateFunctions({
    append: ofRule("append", "The rule is in the chain; it comes behind the others if it is new."),
    insert: ofRule("insert", "The rule is in the chain; it comes to the place `position` if it is new."),
    delete: ofRule("delete", "The rule is not in the chain."),
    [`chain_present(${CHAIN})` as const]: { doc: "The chain exists.", run: chainPresent },
    [`chain_absent(${CHAIN})` as const]: { doc: "The chain does not exist.", run: chainAbsent },
    [`set_policy(${CHAIN}, **kwargs)` as const]: { doc: "The chain has this policy.", run: setPolicy },
    [`flush(${CHAIN}, **kwargs)` as const]: {
      doc: "Deletes all rules of a chain, or of a table.",
      run: flush,
    },
  }),
  modAggregate: aggregate,
};
