import { outcome, stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { virtual } from "./postgres/shared.ts";

/** Clusters of Debian's PostgreSQL. */
export const states: StateModule = {
  virtual,
  functions: stateFunctions({
    present: stateFunction({
      signature: `version, name, port=None, encoding=None, locale=None, datadir=None, allow_group_access=None,
        data_checksums=None, wal_segsize=None`,
      doc: "The cluster exists; port and data directory of one that is there are not changed.",
      async run(context, args) {
        const { version, name, port, encoding, locale, datadir, allow_group_access, data_checksums, wal_segsize } =
          args;
        const own = `${str(version)}/${str(name)}`;
        if (truthy(await context.call("postgres.cluster_exists", [version, name]))) {
          const all = await context.call("postgres.cluster_list", [], { verbose: true });
          const info = isMap(all) ? lookup(all, own) : undefined;
          const differs = (field: string, wanted: unknown) =>
            truthy(wanted) && isMap(info) && str(lookup(info, field)) !== str(wanted);
          return differs("port", port) || differs("datadir", datadir)
            ? outcome(name, false, `Cluster ${own} has wrong parameters which couldn't be changed on fly.`)
            : outcome(name, true, `Cluster ${own} is already present`);
        }
        if (context.test) return outcome(name, null, `Cluster ${own} is set to be created`);
        const wanted = {
          version,
          name,
          port,
          locale,
          encoding,
          datadir,
          allow_group_access,
          data_checksums,
          wal_segsize,
        };
        return truthy(await context.call("postgres.cluster_create", [], wanted))
          ? outcome(name, true, `The cluster ${own} has been created`, { [own]: "Present" })
          : outcome(name, false, `Failed to create cluster ${own}`);
      },
    }),
    "absent(version, name)": {
      doc: "The cluster does not exist: its data is removed.",
      async run(context, { version, name }) {
        const own = `Cluster ${str(version)}/${str(name)}`;
        if (truthy(await context.call("postgres.cluster_exists", [version, name]))) {
          if (context.test) return outcome(name, null, `${own} is set to be removed`);
          const done = await context.call("postgres.cluster_remove", [version, name, true]);
          const code = isMap(done) ? lookup(done, "retcode") : 0;
          return truthy(done) && !truthy(code ?? 0)
            ? outcome(name, true, `${own} has been removed`, { [str(name)]: "Absent" })
            : outcome(name, false, `${own} failed to be removed`);
        }
        return outcome(name, true, `${own} is not present, so it cannot be removed`);
      },
    },
  }),
};
