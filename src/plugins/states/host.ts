import { type Args, listOf, str, truthy } from "../../language/python/values.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { parseIpv4, parseIpv6 } from "../../language/python/ipaddress.ts";

type Hosts = Record<string, { aliases?: string[]; comment?: string } | string[]>;

/** What is to be done for one host: addresses that get it, lose it, and get a comment. */
interface Plan {
  add: Set<string>;
  remove: Set<string>;
  comment: Set<string>;
  comments: string[];
  warnings: string[];
  valid: boolean;
}

function planOf(hosts: Hosts, name: string, wanted: readonly string[], comment: unknown, clean: boolean): Plan {
  const absent = wanted.filter((ip) => !Object.hasOwn(hosts, ip));
  const plan: Plan = {
    add: new Set(absent),
    remove: new Set(),
    comment: new Set(truthy(comment) ? absent : []),
    comments: [],
    warnings: [],
    valid: true,
  };
  for (const [ip, entry] of Object.entries(hosts)) {
    const has = !Array.isArray(entry) && entry.aliases?.includes(name) === true;
    if (!wanted.includes(ip)) {
      if (!has) continue;
      if (clean) plan.remove.add(ip);
      else {
        plan.warnings.push(
          `Host ${name} present for IP address ${ip}. To get rid of this warning, either run this state with 'clean' ` +
            `set to True to remove ${name} from ${ip}, or add ${ip} to the 'ip' argument.`,
        );
      }
    } else if (has) {
      if (truthy(comment) && entry.comment !== comment) plan.comment.add(ip);
      else plan.comments.push(`Host ${name} (${ip}) already present`);
    } else if ((parseIpv4(ip) ?? parseIpv6(ip)) !== undefined) {
      plan.add.add(ip);
      if (truthy(comment)) plan.comment.add(ip);
    } else {
      plan.valid = false;
      plan.comments.push(`Invalid IP Address for ${name} (${ip})`);
    }
  }
  return plan;
}

/** One kind of step: its words, its function, and under which key its changes stand. */
interface Step {
  ips: Set<string>;
  fun: string;
  value: string;
  would(ip: string): string;
  did(ip: string): string;
  failed(ip: string): string;
  key: string;
  /** A dry run of it makes the result None. */
  counts: boolean;
}

function stepsOf(plan: Plan, name: string, comment: unknown): Step[] {
  return [
    {
      ips: plan.add,
      fun: "hosts.add_host",
      value: name,
      would: (ip) => `Host ${name} (${ip}) would be added`,
      did: (ip) => `Added host ${name} (${ip})`,
      failed: (ip) => `Failed to add host ${name} (${ip})`,
      key: "added",
      counts: true,
    },
    {
      ips: plan.comment,
      fun: "hosts.set_comment",
      value: str(comment),
      would: (ip) => `Comment for ${ip} (${str(comment)}) would be added`,
      did: (ip) => `Set comment for host ${ip} (${str(comment)})`,
      failed: (ip) => `Failed to add comment for host ${ip} (${str(comment)})`,
      key: "comment_added",
      counts: false,
    },
    {
      ips: plan.remove,
      fun: "hosts.rm_host",
      value: name,
      would: (ip) => `Host ${name} (${ip}) would be removed`,
      did: (ip) => `Removed host ${name} (${ip})`,
      failed: (ip) => `Failed to remove host ${name} (${ip})`,
      key: "removed",
      counts: true,
    },
  ];
}

async function absent(context: StateContext, { name, ip }: Args): Promise<StateReturn> {
  const ret = outcome(name, null, "");
  const comments: string[] = [];
  for (const address of listOf(ip).map(str)) {
    if (!truthy(await context.call("hosts.has_pair", [address, name]))) {
      ret.result = true;
      comments.push(`Host ${str(name)} (${address}) already absent`);
    } else if (context.test) comments.push(`Host ${str(name)} (${address}) needs to be removed`);
    else if (truthy(await context.call("hosts.rm_host", [address, name]))) {
      ret.changes = { host: name };
      ret.result = true;
      comments.push(`Removed host ${str(name)} (${address})`);
    } else {
      ret.result = false;
      comments.push("Failed to remove host");
    }
  }
  ret.comment = comments.join("\n");
  return ret;
}

/** Names of addresses in the hosts file, which is the option `hosts.file`. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, ip, comment='', clean: bool=False)": {
      doc: "The host has that address, or each of a list; with `clean` no other.",
      async run(context, args) {
        const name = str(args.name);
        const hosts = await context.call("hosts.list_hosts") as Hosts;
        const plan = planOf(hosts, name, listOf(args.ip).map(str), args.comment, args.clean);
        const ret = outcome(args.name, plan.valid, "");
        if (plan.warnings.length > 0) ret.warnings = plan.warnings;
        for (const { ips, fun, value, would, did, failed, key, counts } of stepsOf(plan, name, args.comment)) {
          for (const ip of ips) {
            if (context.test) {
              if (counts && plan.valid) ret.result = null;
              plan.comments.push(would(ip));
            } else if (truthy(await context.call(fun, [ip, value]))) plan.comments.push(did(ip));
            else {
              ret.result = false;
              plan.comments.push(failed(ip));
              continue;
            }
            ret.changes[key] = { ...ret.changes[key] as Record<string, unknown> | undefined, [ip]: [value] };
          }
        }
        ret.comment = plan.comments.join("\n");
        return ret;
      },
    },
    "absent(name, ip)": {
      doc: "The host does not have that address, or any of a list.",
      run: absent,
    },
    "only(name, hostnames)": {
      doc: "The address has these names and no other.",
      async run(context, { name, hostnames }) {
        const wanted = (Array.isArray(hostnames) ? hostnames : [hostnames]).map((host) => str(host).trim()).join(" ");
        const before = (await context.call("hosts.get_alias", [name]) as string[]).join(" ");
        if (before === wanted) return outcome(name, true, `IP address ${str(name)} already set to "${wanted}"`);
        if (context.test) return outcome(name, null, `Would change ${str(name)} from "${before}" to "${wanted}"`);
        const result = await context.call("hosts.set_host", [name, wanted]) as boolean;
        if (!truthy(result)) {
          return outcome(name, result, `hosts.set_host failed to change ${str(name)} from "${before}" to "${wanted}"`);
        }
        return outcome(name, result, `successfully changed ${str(name)} from "${before}" to "${wanted}"`, {
          [str(name)]: { old: before, new: wanted },
        });
      },
    },
  }),
};
