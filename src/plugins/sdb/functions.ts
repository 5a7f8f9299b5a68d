import { Sdb, SDB_HASH, type SdbContext } from "../../model/loader/sdb.ts";
import { truthy } from "../../language/python/values.ts";
import { SDB } from "./mod.ts";

type Args = Record<string, unknown>;

/** The functions of `sdb`: the execution module and the runner. @param call a call of theirs, up to the function */
export function sdbFunctions(call: string, getArguments: string) {
  const stores = (context: SdbContext) => new Sdb(context, SDB);
  return {
    get: {
      signature: getArguments,
      doc:
        `The value of an address. What is no address of a profile is returned as it is.\n\n    ${call} sdb.get sdb://mydb/foo`,
      run: (context: SdbContext, { uri, strict = false }: Args) => stores(context).get(uri, truthy(strict)),
    },
    set: {
      signature: "uri, value",
      doc: `Stores a value. False if the profile does not exist.\n\n    ${call} sdb.set sdb://mydb/foo bar`,
      run: (context: SdbContext, { uri, value }: Args) => stores(context).set(uri, value),
    },
    delete: {
      signature: "uri",
      doc:
        `Deletes a value, if the driver of the profile can. False if the profile does not exist.\n\n    ${call} sdb.delete sdb://mydb/foo`,
      run: (context: SdbContext, { uri }: Args) => stores(context).delete(uri),
    },
    get_or_set_hash: {
      signature: SDB_HASH,
      doc: "The value of an address. If there is none, a random text is stored and returned.\n\n" +
        `    ${call} sdb.get_or_set_hash sdb://mydb/SECRET_KEY 50`,
      run: (context: SdbContext, { uri, length, chars }: Args) => stores(context).getOrSetHash(uri, length, chars),
    },
  };
}
