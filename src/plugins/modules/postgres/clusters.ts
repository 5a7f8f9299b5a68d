import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { needProgram, runAll } from "../../commands.ts";
import { isFile } from "../../linux/paths.ts";
import { postgresProgram, systemUser, withSecret } from "./psql.ts";

const isDataDirectory = ({ runtime: { fs } }: JobContext, path: unknown): boolean =>
  ["PG_VERSION", "postgresql.conf"].every((name) => isFile(fs, `${str(path)}/${name}`));

type Cluster = { port: number; status: string; user: string; datadir: string; log: string };

async function clusters(context: JobContext): Promise<Record<string, Cluster>> {
  needProgram(context, "pg_lsclusters");
  const { stdout } = await runAll(context, ["pg_lsclusters", "--no-header"]);
  return Object.fromEntries(
    splitLines(stdout).flatMap((line) => {
      const [version, name, port, status, user, datadir, log] = line.trim().split(/\s+/);
      if (log === undefined) return [];
      return [[`${version}/${name}`, { port: Number(port), status: status!, user: user!, datadir: datadir!, log }]];
    }),
  );
}

/** Data directories, and the clusters that Debian makes of them. */
export const CLUSTERS = executionFunctions({
  "datadir_exists(name)": {
    doc: "True for a data directory of PostgreSQL.\n\n    salt '*' postgres.datadir_exists /srv/pgsql/data",
    run: (context, { name }) => isDataDirectory(context, name),
  },
  datadir_init: executionFunction({
    signature:
      `name: str, auth: str='password', user=None, password=None, encoding: str='UTF8', locale=None, waldir=None,
        checksums: bool=False, runas=None`,
    doc: "Makes a data directory with initdb.\n\n    salt '*' postgres.datadir_init /srv/pgsql/data",
    async run(context, args): Promise<boolean> {
      const { name, auth, password, encoding, locale, waldir, checksums } = args;
      if (isDataDirectory(context, name)) {
        context.log.info("the data directory exists", { path: name });
        return false;
      }
      const runas = truthy(args.runas) ? str(args.runas) : systemUser(context);
      const words = [
        await postgresProgram(context, "initdb"),
        `--pgdata=${name}`,
        `--username=${args.user === null ? runas : str(args.user)}`,
        `--auth=${auth}`,
        `--encoding=${encoding}`,
        ...(locale === null ? [] : [`--locale=${str(locale)}`]),
        ...(waldir === null ? [] : ["-X", str(waldir)]),
        ...(checksums ? ["--data-checksums"] : []),
      ];
      const run = (more: string[]) => runAll(context, [...words, ...more], { runas, clean_env: true });
      const { retcode } = password === null
        ? await run([])
        : await withSecret(context, str(password), runas, (path) => run([`--pwfile=${path}`]));
      if (retcode !== 0) context.log.error("the data directory could not be made", { path: name });
      return retcode === 0;
    },
  }),
  "cluster_list(verbose: bool=False)": {
    doc: "The clusters of Debian's PostgreSQL: their names, or what is known of each.\n\n" +
      "    salt '*' postgres.cluster_list verbose=True",
    run: async (context, { verbose }) => verbose ? await clusters(context) : Object.keys(await clusters(context)),
  },
  "cluster_exists(version: str, name: str='main')": {
    doc: "True if there is such a cluster.\n\n    salt '*' postgres.cluster_exists 15 main",
    run: async (context, { version, name }) => Object.hasOwn(await clusters(context), `${version}/${name}`),
  },
  cluster_create: executionFunction({
    signature: `version, name='main', port=None, locale=None, encoding=None, datadir=None,
        allow_group_access=None, data_checksums=None, wal_segsize=None`,
    doc: "Makes a cluster with Debian's pg_createcluster.\n\n    salt '*' postgres.cluster_create 15 main",
    async run(context, args): Promise<unknown> {
      needProgram(context, "pg_createcluster");
      const options = (["port", "locale", "encoding", "datadir"] as const).flatMap((name) =>
        truthy(args[name]) ? [`--${name}`, str(args[name])] : []
      );
      const more = [
        ...(args.allow_group_access === true ? ["--allow-group-access"] : []),
        ...(args.data_checksums === true ? ["--data-checksums"] : []),
        ...(truthy(args.wal_segsize) ? ["--wal-segsize", str(args.wal_segsize)] : []),
      ];
      const words = ["pg_createcluster", ...options, str(args.version), str(args.name)];
      const outcome = await runAll(context, [...words, ...(more.length === 0 ? [] : ["--", ...more])]);
      return outcome.retcode === 0 ? outcome : false;
    },
  }),
  "cluster_remove(version: str, name: str='main', stop: bool=False)": {
    doc: "Removes a cluster with its data.\n\n    salt '*' postgres.cluster_remove 15 main\n\nstop: stop it first",
    async run(context, { version, name, stop }): Promise<unknown> {
      needProgram(context, "pg_dropcluster");
      const words = ["pg_dropcluster", ...(stop ? ["--stop"] : []), version, name];
      const outcome = await runAll(context, words);
      return outcome.retcode === 0
        ? { ...outcome, changes: `Successfully removed cluster ${version}/${name}` }
        : outcome;
    },
  },
});
