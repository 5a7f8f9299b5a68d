/** What each document takes for granted: the hosts that its commands are typed on. */
import type { Setting } from "./place.ts";

const FLEET = ["web1", "web2", "db1"];
export const LOGIN = `external_auth:
  file:
    ^filename: /root/users
    ann: ['.*', '@runner', '@wheel', '@jobs']
netapi_enable_clients: [local, local_async, runner, wheel]
`;

export const NODE_GROUPS = `nodegroups:
  frontend: 'G@roles:web and not web2'
  shop: [web1, db1]
  all: 'N@frontend or N@shop'
`;
const USERS = "(umask 077; echo 'ann:secret' > /root/users)";
/** A signing key, and the public key of a master on another host. */
const OTHER_MASTER = "salt-key --gen-signature --auto-create && salt-key --gen-keys=other-master --gen-keys-dir=.";

/** By document; any other has a master and three minions. */
export const SETTINGS: Record<string, Setting> = {
  "docs/getting-started.md": { config: "first-fleet/conf" },
  "docs/api.md": { minions: FLEET, master: LOGIN, before: USERS, api: true },
  "docs/several-masters.md": { minions: FLEET, before: OTHER_MASTER },
  "docs/targeting.md": { minions: FLEET, master: NODE_GROUPS },
  "docs/reactor.md": { minions: FLEET, master: "reactor: [{'salt/minion/*/start': [/srv/reactor/start.sls]}]\n" },
  "docs/permissions.md": { minions: FLEET, master: LOGIN, before: USERS, api: true },
};

export const settingOf = (file: string): Setting => SETTINGS[file] ?? { minions: FLEET };
