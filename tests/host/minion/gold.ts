import {
  CommandExecutionError,
  CommandNotFoundError,
  type ExecutionModule,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../../src/model/loader/family.ts";

const raise = (name: string, message: string) => {
  throw Object.assign(new Error(message), { name });
};

/** The probe module that real Salt ran when the golden cases were recorded, with the same names, failures and docs. */
export const module: ExecutionModule = {
  functions: {
    plain: {
      signature: "x=1",
      doc: "\n    Hand back the argument.\n\n    Second paragraph\n      with indent\n    ",
      run: (_context, { x }) => x,
    },
    nodoc: { signature: "", doc: "", run: () => "nodoc" },
    need: { signature: "a, b, c='three'", doc: "Needs two.", run: (_context, { a, b, c }) => [a, b, c] },
    zerodiv: { signature: "", doc: "", run: () => raise("ZeroDivisionError", "division by zero") },
    cmderr: {
      signature: "",
      doc: "",
      run() {
        throw new CommandExecutionError("plain failure");
      },
    },
    cmderr_info: {
      signature: "",
      doc: "",
      run() {
        throw new CommandExecutionError("failure with info", { info: { k: ["v1", "v2"], n: 1 } });
      },
    },
    invoc: {
      signature: "",
      doc: "",
      run() {
        throw new SaltInvocationError("bad call");
      },
    },
    notfound: {
      signature: "",
      doc: "",
      run() {
        throw new CommandNotFoundError("no such program");
      },
    },
    typeerr: {
      signature: "",
      doc: "",
      run() {
        throw new InvalidArgumentsError('can only concatenate str (not "int") to str');
      },
    },
    valueerr: { signature: "", doc: "", run: () => raise("ValueError", "odd value") },
    keyerr: { signature: "", doc: "", run: () => raise("KeyError", "'missing'") },
    ret_none: { signature: "", doc: "", run: () => null },
    ret_nan: { signature: "", doc: "", run: () => [Infinity] },
    ret_false: { signature: "", doc: "", run: () => false },
    ctx_retcode: {
      signature: "code=3",
      doc: "",
      run(context, { code }) {
        context.retcode = code as number;
        return "retcode set";
      },
    },
    succ_false: { signature: "", doc: "", run: () => ({ success: false, note: "x" }) },
    res_false: { signature: "", doc: "", run: () => ({ result: false, comment: "nope" }) },
    pubargs: {
      signature: "**k",
      doc: "",
      run: (_context, { k }) =>
        Object.fromEntries(Object.entries(k as object).filter(([name]) => name.startsWith("__pub_"))),
    },
  },
};
