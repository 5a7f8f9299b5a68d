/** A master, a minion with states and an HTTP interface, of ours or of real Salt's, as people have them behind SaltGUI. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "../../bench/bed/ports.ts";
import { commandOf, Daemon } from "../interop/daemon.ts";
import { Fleet, idOf } from "../interop/fleet.ts";
import type { Kind } from "../interop/release.ts";

const SECRET = "open-sesame";

/** Name and password of the one user, for `eauth: sharedsecret`. */
export const USER = { eauth: "sharedsecret", username: "alice", password: SECRET } as const;

/** A state that changes something, one that does nothing, one that fails, and one that is not run because of it. */
const STATES: Readonly<Record<string, string>> = {
  "top.sls": "base: {'*': [common, app]}\n",
  "common.sls": [
    "motd:",
    "  file.managed:",
    "    - name: {{ opts['root_dir'] }}/run/motd",
    "    - contents: welcome to {{ grains['role'] }}",
    "quiet:",
    "  test.nop: []",
    "",
  ].join("\n"),
  "app.sls": [
    "broken:",
    "  test.fail_without_changes:",
    "    - comment: the disk is full",
    "after:",
    "  test.succeed_with_changes:",
    "    - require: [{test: broken}]",
    "",
  ].join("\n"),
  "orch.sls": [
    "deploy:",
    "  salt.state:",
    "    - tgt: '*'",
    "    - sls: [common]",
    "ask:",
    "  salt.function:",
    "    - tgt: '*'",
    "    - name: test.ping",
    "    - require: [{salt: deploy}]",
    "",
  ].join("\n"),
};

/** What a fleet is like behind SaltGUI. */
export interface SaltGuiSite {
  url: string;
  minion: string;
  directory: string;
  stop(): Promise<void>;
}

/** Options beside those of every site. */
export interface MoreOptions {
  master?: Record<string, unknown>;
  minion?: Record<string, unknown>;
}

/**
 * Starts it; all parts are of one kind.
 *
 * @param saltgui a checkout's directory `saltgui`, to be served at `/app`
 */
export async function startSaltGuiSite(kind: Kind, saltgui?: string, more: MoreOptions = {}): Promise<SaltGuiSite> {
  const port = await freePort();
  const fleet = new Fleet({
    master: kind,
    minions: [kind],
    minionOptions: () => more.minion ?? {},
    masterOptions: (directory) => ({
      netapi_enable_clients: ["local", "local_async", "runner", "wheel"],
      sharedsecret: SECRET,
      external_auth: { sharedsecret: { alice: [".*", "@runner", "@wheel", "@jobs"] } },
      file_roots: { base: [path.join(directory, "states")] },
      api_pidfile: path.join(directory, "master", "run", "api.pid"),
      api_logfile: path.join(directory, "master", "api.log"),
      ...more.master,
      rest_cherrypy: {
        port,
        host: "127.0.0.1",
        disable_ssl: true,
        ...(saltgui === undefined ? {} : {
          app: path.join(saltgui, "index.html"),
          static: path.join(saltgui, "static"),
          static_path: "/static",
        }),
      },
    }),
  });
  mkdirSync(fleet.path("states"));
  for (const [name, text] of Object.entries(STATES)) writeFileSync(fleet.path("states", name), text);
  await fleet.start();
  const argv = [...commandOf(kind, "salt-api"), "-c", fleet.path("master", "etc")];
  const api = new Daemon(`${kind} salt-api`, argv, [fleet.path("master", "api.out"), fleet.path("master", "api.log")]);
  const url = `http://127.0.0.1:${port}`;
  await fleet.until("salt-api answers", () => fetch(url).then(({ ok }) => ok, () => false));
  return {
    url,
    minion: idOf(kind),
    directory: fleet.directory,
    async stop() {
      await api.stop(5000);
      await fleet.stop();
    },
  };
}
