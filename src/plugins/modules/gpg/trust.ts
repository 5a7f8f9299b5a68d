/** How far the owner of a key is trusted to sign those of others. */
import { executionFunctions, SaltInvocationError } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { findKey } from "./listing.ts";
import { onRing, ringOf } from "./ring.ts";

/** The levels, in the order of gpg's numbers from 1, and what Salt calls them in answers. */
const LEVELS: Record<string, string> = {
  expired: "Expired",
  unknown: "Unknown",
  not_trusted: "Not Trusted",
  marginally: "Marginally",
  fully: "Fully Trusted",
  ultimately: "Ultimately Trusted",
};

const named = (number: string): string => Object.values(LEVELS)[Number(number) - 1] ?? number;

export const TRUST_FUNCTIONS = executionFunctions({
  "trust_key(keyid=None, fingerprint=None, trust_level: str=None, user=None, gnupghome=None)": {
    doc:
      "Sets how far the owner of a key is trusted: expired, unknown, not_trusted, marginally, fully or ultimately.\n\n" +
      "    salt '*' gpg.trust_key keyid=3FAD9F1E trust_level=marginally",
    async run(context, args): Promise<unknown> {
      const failed = (message: string) => ({ res: false, message });
      const { keyid, trust_level: level } = args;
      let { fingerprint } = args;
      if (truthy(fingerprint) && truthy(keyid)) return failed("Only specify one argument, fingerprint or keyid");
      if (!truthy(fingerprint) && !truthy(keyid)) return failed("Required argument, fingerprint or keyid");
      const ring = ringOf(context, args);
      if (!truthy(fingerprint)) {
        const key = await findKey(context, ring, { keyid });
        if (key === undefined) return failed(`KeyID ${str(keyid)} not in GPG keychain`);
        fingerprint = key.fingerprint;
      }
      const number = Object.keys(LEVELS).indexOf(level) + 1;
      if (number === 0) return `ERROR: Valid trust levels - ${Object.keys(LEVELS).join(",")}`;
      const fpr = str(fingerprint);
      if (!/^[0-9A-Fa-f]+$/.test(fpr)) {
        throw new SaltInvocationError(`A fingerprint has digits and letters from A to F, not ${JSON.stringify(fpr)}`);
      }
      const stdin = new TextEncoder().encode(`${fpr}:${number}\n`);
      const { code, messages } = await onRing(context, ring, ["--import-ownertrust"], { stdin });
      if (code !== 0) return failed(messages);
      const [, before, after] = /ownertrust (?:from|to|of) (\d+)(?: to (\d+))?/.exec(messages) ?? [];
      if (before === undefined) return { res: true, message: messages };
      const message = after === undefined
        ? `Setting ownership trust to ${named(before)}.`
        : `Changing ownership trust from ${named(before)} to ${named(after)}.`;
      return { res: true, message, fingerprint: fpr };
    },
  },
});
