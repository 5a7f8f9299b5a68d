import { type BeaconEvent, type BeaconModule, settingsOf, VALID } from "../../model/loader/beacons.ts";
import { messageOf } from "../../base/errors.ts";
import { isMap } from "../../language/python/values.ts";

/** Days before the end of a certificate from which on it is told. */
const USUAL_DAYS = 45;
const DAY_MS = 24 * 3600 * 1000;

/** A file of the configuration: its path, or its path with an own number of days. */
function readFile(file: unknown, days: number): [path: string, days: number] {
  if (!isMap(file)) return [String(file), days];
  const [path = "", own] = Object.entries(file as object)[0] ?? [];
  return [path, Number((own as { notify_days?: unknown } | null)?.notify_days ?? days)];
}

/** Certificates that are about to end, or all of them with `notify_days: -1`. */
export const beacon: BeaconModule = {
  validate: (config) =>
    Object.hasOwn(settingsOf(config), "files")
      ? VALID
      : [false, "Configuration for cert_info beacon must contain files option."],
  async beacon(_config, { settings, context }) {
    const certificates: BeaconEvent[] = [];
    const usual = Number(settings.notify_days ?? USUAL_DAYS);
    for (const file of [settings.files ?? []].flat()) {
      const [path, days] = readFile(file, usual);
      try {
        const found = await certificateInfo(context, path);
        if (days < 0 || found.days <= days) certificates.push(found.info);
      } catch (error) {
        context.log.error("Unable to load certificate", { path, error: messageOf(error) });
      }
    }
    return certificates.length > 0 ? [{ certificates }] : [];
  },
};

type BeaconContext = Parameters<BeaconModule["beacon"]>[1]["context"];

/** `20261121101500Z`. */
const raw = (text: string) => `${text.replaceAll(/[-: ]/g, "")}Z`;

/** The parts of a name in the order of the certificate: `C="DE",CN="one.example"`. @param text as RFC 4514 has it, the last part first */
function line(text: unknown, map: Record<string, unknown>): string {
  const parts = typeof text === "string"
    ? (text.match(/(?:\\.|[^,\\])+/g) ?? []).reverse().map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), part.slice(at + 1).replace(/\\(.)/g, "$1")];
    })
    : Object.entries(map);
  return parts.map(([key, value]) => `${key}="${value}"`).join(",");
}

/** A serial number as events have it: one that is too long for a number of the wire is text. */
function decimal(serial: unknown): unknown {
  const digits = String(serial ?? "").replaceAll(":", "");
  if (!/^[0-9A-F]+$/i.test(digits)) return serial;
  const value = BigInt(`0x${digits}`);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value < 2n ** 64n ? value : String(value);
}

async function certificateInfo(context: BeaconContext, path: string): Promise<{ days: number; info: BeaconEvent }> {
  const read = await context.call("x509.read_certificate", [path]) as Record<string, unknown>;
  const text = (name: string) => String(read[name] ?? read[name.replaceAll(" ", "_").toLowerCase()] ?? "");
  const [notBefore, notAfter] = [text("not_before"), text("not_after")];
  const end = Date.parse(`${notAfter.replace(" ", "T")}Z`);
  const now = context.runtime.clock.now();
  const days = Math.floor((end - now) / DAY_MS);
  const names = (map: unknown) => isMap(map) ? map as Record<string, unknown> : {};
  const [issuer, subject] = [names(read.issuer), names(read.subject)];
  const extensions = isMap(read.extensions) ? Object.entries(read.extensions as object) : [];
  return {
    days,
    info: {
      cert_path: path,
      issuer: line(read.issuer_str, issuer),
      issuer_dict: issuer,
      notAfter_raw: raw(notAfter),
      notAfter: `${notAfter}Z`,
      notBefore_raw: raw(notBefore),
      notBefore: `${notBefore}Z`,
      serial_number: decimal(read.serial_number),
      signature_algorithm: read.signature_algorithm ?? null,
      subject: line(read.subject_str, subject),
      subject_dict: subject,
      version: read.version,
      extensions: extensions.map(([ext_name, ext_data]) => ({ ext_name, ext_data })),
      has_expired: end < now,
    },
  };
}
