import type { StateRegistry } from "../../loader/states.ts";

/** The state modules: name → how to load it. Nothing is loaded before a state of it is run. */
export const STATES: StateRegistry = {
  archive: () => import("./archive.ts"),
  cmd: () => import("./cmd.ts"),
  environ: () => import("./environ.ts"),
  event: () => import("./event.ts"),
  file: () => import("./file.ts"),
  git: () => import("./git.ts"),
  grains: () => import("./grains.ts"),
  group: () => import("./group.ts"),
  host: () => import("./host.ts"),
  ini: () => import("./ini_manage.ts"),
  module: () => import("./module.ts"),
  mount: () => import("./mount.ts"),
  iptables: () => import("./iptables.ts"),
  pip: () => import("./pip.ts"),
  pkg: () => import("./pkg.ts"),
  pkgrepo: () => import("./pkgrepo.ts"),
  salt: () => import("./salt.ts"),
  service: () => import("./service.ts"),
  ssh_auth: () => import("./ssh_auth.ts"),
  ssh_known_hosts: () => import("./ssh_known_hosts.ts"),
  test: () => import("./test.ts"),
  user: () => import("./user.ts"),
};
