/** The beacons that come with a minion. */
import type { BeaconModule, BeaconRegistry } from "../../model/loader/beacons.ts";

const file = (load: () => Promise<{ beacon: BeaconModule }>) => async () => (await load()).beacon;

/** A beacon of Salt's that is not here. */
const absent = (why: string) => () => Promise.resolve<BeaconModule>({ unavailable: () => why, beacon: () => [] });

const OTHER_SYSTEMS = "it is for another system";
const DEVICES = "it needs a device that Brine cannot talk to: write a custom beacon";

/** The beacons: name → how to load it. */
export const BEACONS: BeaconRegistry = {
  adb: absent(DEVICES),
  aix_account: absent(OTHER_SYSTEMS),
  avahi_announce: absent("there is no library for Avahi"),
  bonjour_announce: absent("there is no library for Bonjour"),
  btmp: async () => (await import("./logins.ts")).btmp,
  cert_info: file(() => import("./cert_info.ts")),
  diskusage: file(() => import("./diskusage.ts")),
  glxinfo: absent("use salt_monitor with cmd.run glxinfo"),
  haproxy: absent("there is no module haproxyconn"),
  imgadm: absent(OTHER_SYSTEMS),
  inotify: file(() => import("./inotify.ts")),
  journald: file(() => import("./journald.ts")),
  junos_rre_keys: absent(DEVICES),
  load: file(() => import("./load.ts")),
  log: file(() => import("./log.ts")),
  memusage: async () => (await import("./usage.ts")).memusage,
  napalm: absent(DEVICES),
  network_info: file(() => import("./network_info.ts")),
  network_settings: file(() => import("./network_settings.ts")),
  pkg: file(() => import("./pkg.ts")),
  proxy_example: absent("there are no proxy minions"),
  ps: file(() => import("./ps.ts")),
  salt_monitor: file(() => import("./salt_monitor.ts")),
  salt_proxy: absent("there are no proxy minions"),
  sensehat: absent(DEVICES),
  service: file(() => import("./service.ts")),
  sh: absent("it needs strace on every shell: use the kernel's audit system and the beacon journald"),
  smartos_imgadm: absent(OTHER_SYSTEMS),
  smartos_vmadm: absent(OTHER_SYSTEMS),
  status: file(() => import("./status.ts")),
  swapusage: async () => (await import("./usage.ts")).swapusage,
  telegram_bot_msg: absent("there is no library for Telegram"),
  twilio_txt_msg: absent("there is no library for Twilio"),
  vmadm: absent(OTHER_SYSTEMS),
  watchdog: file(() => import("./watchdog.ts")),
  wtmp: async () => (await import("./logins.ts")).wtmp,
};
