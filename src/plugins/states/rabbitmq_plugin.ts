import { str, truthy } from "../../language/python/values.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction } from "../../model/loader/states.ts";
import { rabbitmqHere, refused } from "./rabbitmq.ts";

async function make(context: StateContext, name: unknown, runas: unknown, isOn: boolean): Promise<StateReturn> {
  const shown = `Plugin '${str(name)}'`;
  const state = isOn ? "enabled" : "disabled";
  if (truthy(await context.call("rabbitmq.plugin_is_enabled", [name], { runas }).catch(refused)) === isOn) {
    return outcome(name, true, `${shown} is already ${state}.`);
  }
  const changes = isOn ? { old: "", new: name } : { old: name, new: "" };
  if (context.test) return outcome(name, null, `${shown} is set to be ${state}.`, changes);
  await context.call(`rabbitmq.${isOn ? "enable" : "disable"}_plugin`, [name], { runas }).catch(refused);
  return outcome(name, true, `${shown} was ${state}.`, changes);
}

export const states: StateModule = {
  virtual: rabbitmqHere,
  functions: {
    enabled: stateFunction({
      signature: "name, runas=None",
      doc: "The plugin is enabled.",
      run: (context, { name, runas }) => make(context, name, runas, true),
    }),
    disabled: stateFunction({
      signature: "name, runas=None",
      doc: "The plugin is disabled.",
      run: (context, { name, runas }) => make(context, name, runas, false),
    }),
  },
};
