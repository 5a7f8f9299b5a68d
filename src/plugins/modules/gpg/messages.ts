/** Texts and files: signed, verified, encrypted, decrypted. */
import { executionFunction, executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { textOrBytes } from "../../bytes.ts";
import { operand } from "../../commands.ts";
import { pythonError } from "../../python_errors.ts";
import { fileContent, inputOf, writeOutput } from "./files.ts";
import { onRing, passphraseFor, ringOf, type RingRun } from "./ring.ts";
import { cryptOutcome, verifyOutcome } from "./words.ts";

const TRUST_MODELS = ["pgp", "classic", "tofu", "tofu+pgp", "direct", "always", "auto"];

/** The answer of `encrypt` and `decrypt`. @param done what was written to a file */
function answer(context: JobContext, args: Args, run: RingRun, done: "Encrypted" | "Decrypted"): unknown {
  const { ok, status } = cryptOutcome(run.status);
  const bare = truthy(args.bare);
  if (!ok) {
    context.log.error(run.messages.slice(0, 2000));
    return bare ? false : { res: false, comment: `${status}.\nPlease check the salt-minion log.` };
  }
  if (!truthy(args.output)) {
    const data = textOrBytes(run.output);
    return bare ? data : { res: true, comment: data };
  }
  writeOutput(context, str(args.output), run.output, done === "Decrypted");
  return bare ? "" : { res: true, comment: `${done} data has been written to ${str(args.output)}` };
}

export const MESSAGES = executionFunctions({
  "sign(user=None, keyid=None, text=None, filename=None, output=None, use_passphrase=False, gnupghome=None)": {
    doc: "Signs a text or file, in clear.\n\n    salt '*' gpg.sign text='Hello there.  How are you?'",
    async run(context, args): Promise<unknown> {
      const ring = ringOf(context, args);
      const passphrase = await passphraseFor(context, args.use_passphrase);
      const stdin = inputOf(context, args);
      // With another key than the one that is wanted nothing is signed.
      const key = truthy(args.keyid) ? ["--local-user", operand(args.keyid, "a key")] : [];
      const { output } = await onRing(context, ring, ["--armor", "--clearsign", ...key], {
        stdin,
        passphrase,
        output: args.output,
      });
      if (truthy(args.output) && output.length > 0) writeOutput(context, str(args.output), output, false);
      return textOrBytes(output);
    },
  },
  "verify(text=None, user=None, filename=None, gnupghome=None, signature=None, trustmodel=None)": {
    doc:
      "Verifies a signed text or file, or a file beside its signature.\n\n    salt '*' gpg.verify filename=/path/to/file",
    async run(context, args): Promise<unknown> {
      const ring = ringOf(context, args);
      const { trustmodel } = args;
      if (truthy(trustmodel) && !TRUST_MODELS.includes(str(trustmodel))) {
        const message = `Invalid trustmodel defined: ${str(trustmodel)}. Use one of: ${TRUST_MODELS.join(", ")}`;
        context.log.warning(message);
        return { res: false, message };
      }
      const words = ["--verify", ...truthy(trustmodel) ? ["--trust-model", str(trustmodel)] : []];
      const detached = !truthy(args.text) && truthy(args.filename) && truthy(args.signature);
      const run = detached
        ? await onRing(context, ring, [...words, "-", operand(args.filename, "a file")], {
          stdin: fileContent(context, str(args.signature)),
        })
        : await onRing(context, ring, words, { stdin: inputOf(context, args) });
      const found = verifyOutcome(run.status);
      if (found === undefined) return { res: false, message: "The signature could not be verified." };
      return {
        res: true,
        username: found.username,
        key_id: found.keyId,
        trust_level: found.trust,
        message: "The signature is verified.",
      };
    },
  },
  encrypt: executionFunction({
    signature: `user=None, recipients=None, text=None, filename=None, output=None, sign=None,
        use_passphrase=False, always_trust: bool=False, gnupghome=None, bare=False`,
    doc:
      "Encrypts a text or file, in armour.\n\n    salt '*' gpg.encrypt text='Hello there.' recipients=you@example.com",
    async run(context, args): Promise<unknown> {
      const ring = ringOf(context, args);
      const passphrase = await passphraseFor(context, truthy(args.sign) && args.use_passphrase);
      const stdin = inputOf(context, args);
      if (!truthy(args.recipients)) {
        const message = "No recipients or hidden recipients specified with asymmetric encryption";
        throw pythonError("ValueError", message);
      }
      const recipients = Array.isArray(args.recipients) ? args.recipients : [args.recipients];
      const words = [
        "--encrypt",
        ...recipients.flatMap((one) => ["--recipient", operand(one, "a recipient")]),
        "--armor",
        ...truthy(args.sign) ? ["--sign"] : [],
        ...truthy(args.sign) && args.sign !== true ? ["--local-user", operand(args.sign, "a key")] : [],
        ...args.always_trust ? ["--trust-model", "always"] : [],
      ];
      return answer(
        context,
        args,
        await onRing(context, ring, words, { stdin, passphrase, output: args.output }),
        "Encrypted",
      );
    },
  }),
  "decrypt(user=None, text=None, filename=None, output=None, use_passphrase=False, gnupghome=None, bare=False)": {
    doc: "Decrypts a text or file.\n\n    salt '*' gpg.decrypt filename=/path/to/file.gpg",
    async run(context, args): Promise<unknown> {
      const ring = ringOf(context, args);
      const passphrase = await passphraseFor(context, args.use_passphrase);
      const run = await onRing(context, ring, ["--decrypt"], {
        stdin: inputOf(context, args),
        passphrase,
        output: args.output,
      });
      return answer(context, args, run, "Decrypted");
    },
  },
});
