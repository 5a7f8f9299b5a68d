/** The states of whole chains: `iptables.chain_present`, `chain_absent`, `set_policy` and `flush`. */
import { outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, type KeywordArgs, truthy } from "../../../language/python/values.ts";
import { saveIfAsked } from "./rules.ts";

export async function chainPresent(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, table, family } = args;
  if (await context.call("iptables.check_chain", [table, name, family]) === true) {
    return outcome(name, true, `iptables ${name} chain is already exist in ${table} table for ${family}`);
  }
  if (context.test) {
    return outcome(name, null, `iptables ${name} chain in ${table} table needs to be set for ${family}`);
  }
  const made = await context.call("iptables.new_chain", [table, name, family]);
  return made === true
    ? outcome(name, true, `iptables ${name} chain in ${table} table create success for ${family}`, { locale: name })
    : outcome(name, false, `Failed to create ${name} chain in ${table} table: ${String(made).trim()} for ${family}`);
}

export async function chainAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, table, family } = args;
  if (!truthy(await context.call("iptables.check_chain", [table, name, family]))) {
    return outcome(name, true, `iptables ${name} chain is already absent in ${table} table for ${family}`);
  }
  if (context.test) {
    return outcome(name, null, `iptables ${name} chain in ${table} table needs to be removed ${family}`);
  }
  const failed = (verb: string, said: unknown) =>
    outcome(name, false, `Failed to ${verb} ${name} chain in ${table} table: ${String(said).trim()} for ${family}`);
  const flushed = await context.call("iptables.flush", [table, name, family]);
  if (truthy(flushed)) return failed("flush", flushed);
  const gone = await context.call("iptables.delete_chain", [table, name, family]);
  if (gone !== true) return failed("delete", gone);
  return outcome(name, true, `iptables ${name} chain in ${table} table delete success for ${family}`, { locale: name });
}

export async function setPolicy(context: StateContext, args: KeywordArgs): Promise<StateReturn> {
  const { name, table, family, kwargs: { chain, policy, save } } = args;
  const what = `iptables default policy for chain ${chain} on table ${table} for ${family}`;
  if (await context.call("iptables.get_policy", [table, chain, family]) === policy) {
    return outcome(name, true, `${what} already set to ${policy}`);
  }
  const failed = outcome(name, false, "Failed to set iptables default policy");
  if (!truthy(chain ?? null) || !truthy(policy ?? null)) return failed;
  if (context.test) return outcome(name, null, `${what} needs to be set to ${policy}`);
  if (truthy(await context.call("iptables.set_policy", [table, chain, policy, family]))) return failed;
  const saved = await saveIfAsked(context, save, family);
  const done = saved === undefined ? "Set" : "Set and saved";
  return outcome(name, true, `${done} default policy for ${chain} to ${policy} family ${family}`, { locale: name });
}

export async function flush(context: StateContext, args: KeywordArgs): Promise<StateReturn> {
  const { name, table, family, kwargs: { chain = "" } } = args;
  if (context.test) {
    return outcome(name, null, `iptables rules in ${name} table ${table} chain ${family} family needs to be flushed`);
  }
  return truthy(await context.call("iptables.flush", [table, chain, family]))
    ? outcome(name, false, "Failed to flush iptables rules")
    : outcome(name, true, `Flush iptables rules in ${table} table ${chain} chain ${family} family`, { locale: name });
}
