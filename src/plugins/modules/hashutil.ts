import { hex } from "../../protocol/crypto/hex.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { decodeBase64, encodeBase64, encodeBase64Lines } from "../../language/python/binascii.ts";
import { repr, str } from "../../language/python/values.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { textOrBytes, toBytes } from "../bytes.ts";
import { pythonError, withOsErrors } from "../python_errors.ts";

const DIGESTS: readonly string[] = ["md5", "sha256", "sha512"] satisfies HashName[];
const HASHES: readonly string[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"] satisfies HashName[];

const digestOf = (context: JobContext, name: HashName, value: unknown) =>
  hex(context.runtime.crypto.hash(name, toBytes(value)));

function digest(context: JobContext, value: unknown, checksum: unknown): string {
  const name = str(checksum);
  if (!DIGESTS.includes(name)) throw new CommandExecutionError(`Hash func '${name}' is not supported.`);
  return digestOf(context, name as HashName, value);
}

function decode(text: Uint8Array): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (error) {
    throw pythonError("binascii.Error", (error as Error).message);
  }
}

const mac = (context: JobContext, name: HashName, message: unknown, secret: unknown) =>
  context.runtime.crypto.hmac(name, toBytes(secret), toBytes(message));

/** Compares texts in a time that does not depend on how much of them is equal. */
function same(context: JobContext, a: string, b: unknown): boolean {
  return context.runtime.crypto.equal(toBytes(a), toBytes(b));
}

const one = (name: HashName) =>
  executionFunction({
    inline: true,
    signature: "instr",
    doc: `The ${name} of a text, as hexadecimal digits.\n\n    salt '*' hashutil.${name}_digest 'get salted'`,
    run: (context, { instr }) => digestOf(context, name, instr),
  });

/** Hashes, signatures and base64. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "digest(instr, checksum='md5')": {
      inline: true,
      doc: "The hash of a text: md5, sha256 or sha512.\n\n    salt '*' hashutil.digest 'get salted' sha256",
      run: (context, { instr, checksum }) => digest(context, instr, checksum),
    },
    "digest_file(infile: str, checksum='md5')": {
      doc: "The hash of a file: md5, sha256 or sha512.\n\n    salt '*' hashutil.digest_file /etc/hosts sha256",
      run(context, { infile, checksum }) {
        const { fs } = context.runtime;
        const path = infile;
        if (fs.stat(path)?.kind !== "file") throw new CommandExecutionError(`File path '${path}' not found.`);
        return digest(context, withOsErrors(path, () => fs.read(path)), checksum);
      },
    },
    md5_digest: one("md5"),
    sha256_digest: one("sha256"),
    sha512_digest: one("sha512"),
    "base64_b64encode(instr)": {
      inline: true,
      doc: "A text in base64, without line ends.\n\n    salt '*' hashutil.base64_b64encode 'get salted'",
      run: (_context, { instr }) => encodeBase64(toBytes(instr)),
    },
    "base64_b64decode(instr)": {
      inline: true,
      doc: "Decodes base64: to text, or to bytes if it is not UTF-8.\n\n" +
        "    salt '*' hashutil.base64_b64decode 'Z2V0IHNhbHRlZA=='",
      run: (_context, { instr }) => textOrBytes(decode(toBytes(instr))),
    },
    "base64_encodestring(instr)": {
      inline: true,
      doc: "A text in base64, in lines of 76 characters.\n\n" +
        "    salt '*' hashutil.base64_encodestring 'get salted'",
      run: (_context, { instr }) => encodeBase64Lines(toBytes(instr)),
    },
    "base64_decodestring(instr)": {
      inline: true,
      doc: "Decodes base64: to text, or to bytes if it is not UTF-8.\n\n" +
        "    salt '*' hashutil.base64_decodestring 'Z2V0IHNhbHRlZA=='",
      run: (_context, { instr }) => textOrBytes(decode(toBytes(instr))),
    },
    "base64_encodefile(fname: str)": {
      doc: "A file in base64, in lines.\n\n    salt '*' hashutil.base64_encodefile /etc/hosts",
      run: (context, { fname }) => encodeBase64Lines(withOsErrors(fname, () => context.runtime.fs.read(fname))),
    },
    "base64_decodefile(instr: str, outfile: str)": {
      doc: "Decodes base64 into a file.\n\n" +
        "    salt '*' hashutil.base64_decodefile 'Z2V0IHNhbHRlZAo=' /tmp/salted",
      run(context, { instr, outfile }) {
        const path = outfile;
        // Line by line: one that ends in padding does not end the file.
        const parts = instr.split("\n").map((line) => decode(toBytes(line)));
        withOsErrors(path, () => {
          context.runtime.fs.writeAt(path, 0, new Uint8Array(0), { truncate: true, mode: 0o644 });
          let at = 0;
          for (const part of parts) {
            context.runtime.fs.writeAt(path, at, part);
            at += part.length;
          }
        });
        return true;
      },
    },
    "hmac_signature(string, shared_secret, challenge_hmac)": {
      inline: true,
      doc: "True if the signature of a text is valid: HMAC-SHA256 in base64.\n\n" +
        "    salt '*' hashutil.hmac_signature 'get salted' 'shared secret' " +
        "'eBWf9bstXg+NiP5AOwppB5HMvZiYMPzEM9W5YMm/AmQ='",
      run: (context, { string, shared_secret: secret, challenge_hmac: challenge }) =>
        same(context, encodeBase64(mac(context, "sha256", string, secret)), challenge),
    },
    "hmac_compute(string, shared_secret)": {
      inline: true,
      doc: "The HMAC of a text with SHA-256, as hexadecimal digits.\n\n" +
        "    salt '*' hashutil.hmac_compute 'get salted' 'shared secret'",
      run: (context, { string, shared_secret: secret }) => hex(mac(context, "sha256", string, secret)),
    },
    /** A signature as in GitHub's webhook header: `<hash>=<digits>`. */
    "github_signature(string, shared_secret, challenge_hmac: str)": {
      inline: true,
      doc: "True if the signature of a text is valid, with the hash that the signature names.\n\n" +
        `    salt '*' hashutil.github_signature '{"ref": 1}' 'shared secret' ` +
        "'sha1=bc6550fc290acf5b42283fa8deaf55cea0f8c206'",
      run(context, { string, shared_secret: secret, challenge_hmac: challenge }): boolean {
        const parts = challenge.split("=");
        if (parts.length > 2) throw pythonError("ValueError", "too many values to unpack (expected 2)");
        const [name = "", digits] = parts;
        if (digits === undefined) throw pythonError("ValueError", "not enough values to unpack (expected 2, got 1)");
        if (!HASHES.includes(name)) {
          throw pythonError("AttributeError", `module 'hashlib' has no attribute ${repr(name)}`);
        }
        return same(context, hex(mac(context, name as HashName, string, secret)), digits);
      },
    },
  }),
};
