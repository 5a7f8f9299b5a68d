/** Checks of a minion's configuration. */
import type { MinionOpts } from "../../../src/model/config/minion_opts.ts";
import { telemetrySettings } from "../telemetry/settings.ts";
import { type Check, doubtful, fatal, type Finding, unlessItThrows } from "./finding.ts";
import { commonChecks, moduleChecks, transportCheck } from "./shared_checks.ts";

/** Checks for the start, for `--check` and for `salt-doctor`. */
export const MINION_CHECKS: readonly Check[] = [
  ...commonChecks("minion"),
  unlessItThrows(async ({ opts }, { host }) => {
    const [{ masterPlan }, { localEnd }] = await Promise.all([
      import("../../../src/host/minion/master_plan.ts"),
      import("../../../src/host/minion/local_end.ts"),
    ]);
    const { masters } = masterPlan(opts as MinionOpts, () => 0);
    for (const master of masters) localEnd(opts as MinionOpts, host, master);
  }),
  ({ opts }) => [...checkFinger(opts), ...checkMasterPort(opts)],
  unlessItThrows(({ opts }, { fs }) => telemetrySettings(fs, opts)),
  transportCheck(false),
  ...moduleChecks("minion"),
];

/** Hash → number of hex digits in a fingerprint of the master's key. */
const DIGITS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 };

/** Reports a fingerprint that no key can have: the minion would refuse every master. */
function checkFinger({ master_finger: finger, hash_type }: Record<string, unknown>): Finding[] {
  if (finger === undefined || finger === null || finger === "") return [];
  const text = String(finger);
  const hash = String(hash_type);
  const digits = Object.hasOwn(DIGITS, hash) ? DIGITS[hash]! : DIGITS.sha256!;
  if (/^[0-9a-f]{2}(?::[0-9a-f]{2})*$/.test(text) && text.replaceAll(":", "").length === digits) return [];
  return [
    fatal(
      `master_finger: "${text}" is not a fingerprint: expected ${
        digits / 2
      } pairs of lower-case hex digits with colons between them (hash_type: ${hash})`,
      "on the master, run salt-key -F master and copy the fingerprint of master.pub",
    ),
  ];
}

/** Usual port of publications: it does not answer requests. */
const USUAL_PUBLISH_PORT = 4505;

function checkMasterPort({ master_port: port, transport }: Record<string, unknown>): Finding[] {
  if (Number(port) !== USUAL_PUBLISH_PORT || transport === "ws") return [];
  return [
    doubtful(
      `master_port: ${port} is the usual publish_port of a master, but a minion signs in at the ret_port`,
      "set master_port to the master's ret_port, usually 4506",
    ),
  ];
}
