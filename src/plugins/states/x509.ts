import { fails, messageFor } from "./outcome.ts";
import { CommandExecutionError, SaltInvocationError } from "../../model/loader/family.ts";
import { stateFunction, stateFunctions, type StateModule } from "../../model/loader/states.ts";
import { managed } from "./file/managed.ts";
import { certificateManaged } from "./x509/certificate.ts";
import { refuseOthers, splitFileArguments } from "./x509/managed_file.ts";
import { privateKeyManaged } from "./x509/private_key.ts";
import { csrManaged } from "./x509/request.ts";
import { crlManaged } from "./x509/revocations.ts";

const FILE = "\n\nkwargs: user, group, mode, makedirs, backup and the others of file.managed that say how the file is";

/** Certificates, keys, requests and lists of revoked certificates in files. */
export const states: StateModule = {
  functions: stateFunctions({
    private_key_managed: stateFunction({
      signature: `name, algo='rsa', keysize=None, passphrase=None, encoding='pem', new=False, overwrite=False,
        pkcs12_encryption_compat=False, **kwargs`,
      doc: `A private key is in the file; for its owner alone unless mode says otherwise.${FILE}`,
      run: privateKeyManaged,
    }),
    certificate_managed: stateFunction({
      signature: `name, days_remaining=None, ca_server=None, signing_policy=None, encoding='pem',
        append_certs=None, digest='sha256', signing_private_key=None, signing_private_key_passphrase=None,
        signing_cert=None, public_key=None, private_key=None, private_key_passphrase=None, csr=None, subject=None,
        serial_number=None, not_before=None, not_after=None, days_valid=None, pkcs12_passphrase=None,
        pkcs12_encryption_compat=False, pkcs12_friendlyname=None, **kwargs`,
      doc: "A certificate is in the file, made with what is said of it; it is made anew some days before it ends." +
        `${FILE}; attributes of the subject; extensions`,
      run: certificateManaged,
    }),
    csr_managed: stateFunction({
      signature: `name, private_key, private_key_passphrase=None, digest='sha256', encoding='pem', subject=None,
        **kwargs`,
      doc: `A request for a certificate is in the file.${FILE}; attributes of the subject; extensions`,
      run: csrManaged,
    }),
    crl_managed: stateFunction({
      signature: `name, signing_private_key, revoked, days_remaining=None, signing_cert=None,
        signing_private_key_passphrase=None, include_expired=False, days_valid=None, digest='sha256',
        encoding='pem', extensions=None, **kwargs`,
      doc: `A list of revoked certificates is in the file; it is made anew some days before it ends.${FILE}`,
      run: crlManaged,
    }),
    "pem_managed(name, text, **kwargs)": {
      doc: `The first entry of a PEM is in the file.${FILE}`,
      async run(context, { name, text, kwargs }) {
        const { file, others } = splitFileArguments(kwargs);
        refuseOthers(others);
        const entry = await context.call("x509.get_pem_entry", [], { text }).catch(
          fails("", messageFor(CommandExecutionError, SaltInvocationError)),
        );
        const contents = entry instanceof Uint8Array ? new TextDecoder().decode(entry) : entry;
        return await managed(context, { name, ...file, contents });
      },
    },
  }),
};
