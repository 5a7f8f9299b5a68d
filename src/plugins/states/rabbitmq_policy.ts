import { equal, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import { outcome, stateFunction, type StateModule } from "../../model/loader/states.ts";
import { rabbitmqHere, said } from "./rabbitmq.ts";

const json = (value: unknown): unknown => truthy(value ?? null) ? parseOrderedJson(str(value)) : "";

export const states: StateModule = {
  virtual: rabbitmqHere,
  functions: {
    present: stateFunction({
      signature: "name, pattern, definition, priority=0, vhost='/', runas=None, apply_to=None",
      doc: "There is the policy, as it is described. `definition` is JSON.",
      async run(context, { name, pattern, definition, priority, vhost, runas, apply_to: applyTo }) {
        const policies = await context.call("rabbitmq.list_policies", [], { vhost, runas });
        const ofHost = isMap(policies) ? lookup(policies, str(vhost)) : undefined;
        const policy = isMap(ofHost) ? lookup(ofHost, str(name)) : undefined;
        const shown = `Policy ${str(vhost)} ${str(name)}`;
        const updates: string[] = [];
        const isThere = isMap(policy) && truthy(policy);
        if (isThere) {
          const now = (key: string) => lookup(policy, key) ?? null;
          if (!equal(now("pattern"), pattern)) updates.push("Pattern");
          if (!equal(json(now("definition")), json(definition))) updates.push("Definition");
          // As Salt's state does: the module says apply_to.
          if (truthy(applyTo) && !equal(now("apply-to"), applyTo)) updates.push("Applyto");
          if (!equal(Number(now("priority")), priority)) updates.push("Priority");
          if (updates.length === 0) return outcome(name, true, `${shown} is already present`);
        }
        const changes = isThere ? { old: policy, new: updates } : { old: {}, new: name };
        if (context.test) {
          return outcome(name, null, `${shown} is set to be ${isThere ? "updated" : "created"}`, changes);
        }
        const result = await context.call("rabbitmq.set_policy", [vhost, name, pattern, definition], {
          priority,
          runas,
          apply_to: applyTo,
        });
        return outcome(name, true, said(result, "Set"), changes);
      },
    }),
    absent: stateFunction({
      signature: "name, vhost='/', runas=None",
      doc: "There is no such policy.",
      async run(context, { name, vhost, runas }) {
        const shown = `Policy '${str(vhost)} ${str(name)}'`;
        if (!truthy(await context.call("rabbitmq.policy_exists", [vhost, name], { runas }))) {
          return outcome(name, true, `${shown} is not present.`);
        }
        const changes = { new: "", old: name };
        if (context.test) return outcome(name, null, `${shown} will be removed.`, changes);
        const result = await context.call("rabbitmq.delete_policy", [vhost, name], { runas });
        return outcome(name, true, isMap(result) && lookup(result, "Deleted") !== undefined ? "Deleted" : "", changes);
      },
    }),
  },
};
