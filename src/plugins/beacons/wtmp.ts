import type { BeaconModule } from "../../model/loader/beacons.ts";
import { loginsBeacon } from "./logins.ts";

const LOGIN = 7;
const LOGOUT = 8;

export const beacon: BeaconModule = loginsBeacon("wtmp", "/var/log/wtmp", (record, { memory, settings }) => {
  const { login = LOGIN, logout = LOGOUT } = (settings.ut_type ?? {}) as { login?: number; logout?: number };
  // A logout names no user: the terminal tells whose login has ended.
  const key = `tty ${record.line}`;
  if (record.type === login) {
    record.action = "login";
    memory.set(key, record.user);
  } else if (record.type === logout) {
    record.action = "logout";
    if (memory.has(key)) record.user = memory.get(key);
    memory.delete(key);
  }
});
