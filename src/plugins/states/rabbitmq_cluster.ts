import { type Args, str } from "../../language/python/values.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction } from "../../model/loader/states.ts";
import { rabbitmqHere, said } from "./rabbitmq.ts";

async function joined(
  context: StateContext,
  { name, host, user, ram_node: ramNode, runas }: Args,
): Promise<StateReturn> {
  const node = `${str(user)}@${str(host)}`;
  if (str(await context.call("rabbitmq.cluster_status")).includes(node)) {
    return outcome(name, true, "Already in cluster");
  }
  const changes = { old: "", new: node };
  if (context.test) return outcome(name, null, `Node is set to join cluster ${node}`, changes);
  const result = await context.call("rabbitmq.join_cluster", [host, user, ramNode], { runas });
  return outcome(name, true, said(result, "Join"), changes);
}

const join = stateFunction({
  signature: "name, host, user='rabbit', ram_node=None, runas='root'",
  doc: "The node is in the cluster of another one.",
  run: joined,
});

export const states: StateModule = { virtual: rabbitmqHere, functions: { joined: join, join } };
