/** Checks an HTTP gateway: whether it answers, and how long its certificates are valid. */
import { messageOf } from "../../../src/base/errors.ts";
import { certificateOf } from "../../../src/plugins/modules/x509/read.ts";
import { readDer } from "../../../src/plugins/modules/x509/der.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, type Finding, wrong } from "../../daemon/check/finding.ts";
import type { ProgramContext } from "../../program/context.ts";
import type { Examination } from "./examination.ts";
import { reach } from "./reach.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Days before its end at which a certificate causes a warning. */
const SOON_DAYS = 14;

export async function examineApi(
  { runtime, options }: ProgramContext,
  opts: Record<string, unknown>,
  running: boolean,
): Promise<Examination> {
  const { configured, FLAVOURS, gatewaySettings } = await import("../../../src/host/gateway/mod.ts");
  const well: string[] = [];
  const findings: Finding[] = [];
  for (const flavour of FLAVOURS.filter((one) => configured(opts, one))) {
    const { host, port, tls } = gatewaySettings(opts, flavour);
    if (tls !== undefined) findings.push(...examineCertificate(runtime, flavour, tls.cert, well));
    if (!running) continue;
    const near = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
    const timeoutMs = Number(options.timeout) * 1000;
    const problem = await reach(runtime, { host: near, port, transport: "http", timeoutMs });
    if (problem === undefined) well.push(`${flavour}: port ${port} accepts connections`);
    else findings.push(wrong(`${flavour}: ${problem}`, "read its log"));
  }
  return { well, findings };
}

function examineCertificate(runtime: Runtime, flavour: string, path: string, well: string[]): Finding[] {
  const name = `${flavour}: the certificate ${path}`;
  try {
    const block = /-----BEGIN CERTIFICATE-----([\s\S]+?)-----END/.exec(runtime.fs.readText(path))?.[1] ?? "";
    const bytes = Uint8Array.from(atob(block.replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
    const { notBefore, notAfter } = certificateOf(readDer(bytes));
    const now = runtime.clock.now();
    const days = Math.floor((notAfter.getTime() - now) / DAY_MS);
    const until = notAfter.toISOString().slice(0, 10);
    if (notBefore.getTime() > now) return [wrong(`${name} is not valid before ${notBefore.toISOString()}`)];
    if (days < 0) return [wrong(`${name} has expired on ${until}`, "renew it: salt-api loads it within 30 s")];
    if (days < SOON_DAYS) return [doubtful(`${name} expires on ${until}`, "renew it: salt-api loads it within 30 s")];
    well.push(`${name} is valid until ${until}`);
    return [];
  } catch (error) {
    return [wrong(`${name} cannot be read: ${messageOf(error)}`)];
  }
}
