import { outcome, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { SaltInvocationError } from "../../model/loader/family.ts";
import { equal, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { exportClient } from "../modules/nfs3.ts";

type Reloaded = { stderr: string; result: boolean };

/** The calls that add the clients. @throws {SaltInvocationError} if one is no map of hosts and options */
function additions(file: unknown, path: unknown, clients: unknown): unknown[][] {
  return (Array.isArray(clients) ? clients : [clients]).map((client) => {
    if (!isMap(client)) throw new SaltInvocationError(`Cannot export to ${str(client)}: expected hosts and options`);
    const [hosts, options] = [lookup(client, "hosts"), lookup(client, "options") ?? null];
    exportClient(path, hosts, options);
    return [file, path, hosts, options];
  });
}

/** Directories that are exported over NFS. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "exportfs") !== undefined ||
    { unavailable: "The nfs_exports state module failed to load: the exportfs binary is not in the path" },
  functions: stateFunctions({
    "present(name, clients=None, hosts=None, options=None, exports='/etc/exports')": {
      doc: "The directory is exported to these clients: a list of maps of `hosts` and `options`, or one of them.",
      async run(context, args) {
        const { name, hosts, options, exports: file } = args;
        if (!truthy(args.clients) && !truthy(hosts)) {
          return outcome(name, false, "Either 'clients' or 'hosts' must be defined");
        }
        const clients = truthy(args.clients) ? args.clients : [{ hosts, options }];
        const before = (await context.call("nfs3.list_exports", [file]) as Record<string, unknown>)[str(name)];
        if (before !== undefined && equal(before, clients)) {
          return outcome(name, true, `Export ${str(name)} already configured`);
        }
        const calls = additions(file, name, clients);
        const changes = { new: clients, old: before ?? null };
        if (context.test) {
          return outcome(
            name,
            null,
            `Export ${str(name)} would be ${before === undefined ? "added" : "changed"}`,
            changes,
          );
        }
        if (before !== undefined) await context.call("nfs3.del_export", [file, name]);
        for (const call of calls) await context.call("nfs3.add_export", call);
        const { stderr, result } = await context.call("nfs3.reload_exports") as Reloaded;
        return outcome(name, result, stderr, changes);
      },
    },
    "absent(name, exports='/etc/exports')": {
      doc: "The directory is not exported.",
      async run(context, { name, exports: file }) {
        const path = str(name);
        const before = (await context.call("nfs3.list_exports", [file]) as Record<string, unknown>)[path];
        if (before === undefined) return outcome(name, true, `Export ${path} already absent`);
        const changes = { [path]: before };
        if (context.test) return outcome(name, null, `Export ${path} would be removed`, changes);
        await context.call("nfs3.del_export", [file, name]);
        const { stderr, result } = await context.call("nfs3.reload_exports") as Reloaded;
        return outcome(name, result, result ? `Export ${path} removed` : stderr, changes);
      },
    },
  }),
};
