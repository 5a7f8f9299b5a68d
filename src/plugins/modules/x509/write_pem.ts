import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { withOsErrors } from "../../python_errors.ts";
import { pemEntry } from "./pem.ts";

/** The result of a reader for a source; undefined if the source is of another kind. */
export function attemptPem<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SaltInvocationError) return undefined;
    throw error;
  }
}

/** Writes an entry of a PEM to a file for its owner alone: the function `x509.write_pem`. */
export function writePem(context: JobContext, args: Record<string, unknown>): string {
  const { fs } = context.runtime;
  const path = str(args.path);
  const entry = pemEntry(context, args.text, args.pem_type);
  const parts = [entry];
  if (args.pem_type === "CERTIFICATE" && !truthy(args.overwrite) && isFile(fs, path)) {
    // The key and the parameters that stand beside the certificate stay.
    const before = fs.readText(path);
    const key = attemptPem(() => pemEntry(context, before, "(?:RSA )?PRIVATE KEY"));
    const parameters = attemptPem(() => pemEntry(context, before, "DH PARAMETERS"));
    if (key !== undefined) parts.unshift(key);
    if (parameters !== undefined) parts.push(parameters);
  }
  withOsErrors(
    path,
    () => fs.writeAt(path, 0, new TextEncoder().encode(parts.join("")), { truncate: true, mode: 0o600 }),
  );
  return `PEM written to ${path}`;
}
