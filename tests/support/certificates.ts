/** Certificates for tests: an authority and what it signs, made by the `openssl` program. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate with its key: files, and what is in them. */
export interface Certificate {
  certfile: string;
  keyfile: string;
  certificate: string;
  key: string;
}

/** An authority of its own. */
export class Authority implements Disposable {
  readonly #folder: string;
  readonly file: string;
  readonly pem: string;

  constructor(name = "test authority") {
    this.#folder = mkdtempSync(join(tmpdir(), "ca-"));
    this.file = join(this.#folder, "ca.crt");
    this.#openssl(
      "req",
      "-x509",
      ...NEW_KEY,
      "-keyout",
      "ca.key",
      "-out",
      "ca.crt",
      "-days",
      "30",
      "-subj",
      `/CN=${name}`,
    );
    this.pem = readFileSync(this.file, "utf8");
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "pipe" });
  }

  /** Signs a new key. @param names as in subjectAltName */
  sign(name: string, names = "IP:127.0.0.1,IP:::1,DNS:localhost"): Certificate {
    writeFileSync(join(this.#folder, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl("req", ...NEW_KEY, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    this.#openssl(
      ...["x509", "-req", "-in", `${name}.csr`, "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"],
      ...["-out", `${name}.crt`, "-days", "30", "-extfile", `${name}.ext`],
    );
    const [certfile, keyfile] = [join(this.#folder, `${name}.crt`), join(this.#folder, `${name}.key`)];
    return { certfile, keyfile, certificate: readFileSync(certfile, "utf8"), key: readFileSync(keyfile, "utf8") };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
