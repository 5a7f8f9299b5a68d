import { withSaltDefaults } from "../../model/config/salt_defaults.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  executionFunctions,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { repr, str, toFloat, toInteger, Tuple, typeName } from "../../language/python/values.ts";
import type { HashName } from "../../runtime/crypto.ts";
import { SALT_COMPAT, VERSION } from "../../base/version.ts";
import { isDirectory } from "../linux/paths.ts";
import { pythonError } from "../python_errors.ts";
import { ownKeywords } from "../keywords.ts";

/** Numbers are computed in slices of so many steps, with a turn of the loop between. */
const SLICE = 5000;

const typeText = (value: unknown) => `<class '${typeName(value)}'>`;

function seconds(value: unknown, what: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number(value ?? NaN);
  if (!Number.isFinite(number) || typeof value === "object" && !(value instanceof Number)) {
    throw new InvalidArgumentsError(`${what} must be a number of seconds, not ${repr(value)}`);
  }
  return Math.max(0, number);
}

function integer(value: unknown, what: string): bigint {
  const text = str(value).trim();
  if (!/^[+-]?\d{1,5000}$/.test(text)) {
    throw pythonError("ValueError", `invalid literal for int() with base 10: ${repr(value)} (${what})`);
  }
  return BigInt(text);
}

/** Lets other jobs run, and ends when this one is killed. */
async function breathe(context: JobContext): Promise<void> {
  await new Promise<void>((resolve) => context.runtime.later(resolve));
  context.signal.throwIfAborted();
}

/** Most Fibonacci numbers and Collatz steps that anybody waits for. */
const MOST_STEPS = 1_000_000n;

async function fibonacci(context: JobContext, count: bigint): Promise<bigint> {
  if (count < 0n) throw pythonError("ValueError", "Invalid number of Fibonacci numbers: it is negative");
  if (count > MOST_STEPS) throw pythonError("ValueError", `Invalid number of Fibonacci numbers: at most ${MOST_STEPS}`);
  let [low, high] = [0n, 1n];
  for (let step = 0; step < Number(count); step++) {
    [low, high] = [high, low + high];
    if (step % SLICE === SLICE - 1) await breathe(context);
  }
  return low;
}

async function collatz(context: JobContext, start: bigint): Promise<bigint[]> {
  if (start < 1n) throw pythonError("ValueError", "Invalid start: it must be a positive integer");
  const steps: bigint[] = [];
  for (let value = start; value > 1n; value = value % 2n === 0n ? value / 2n : value * 3n + 1n) {
    steps.push(value);
    if (steps.length % SLICE === 0) await breathe(context);
    if (steps.length > Number(MOST_STEPS)) throw pythonError("ValueError", `No end after ${MOST_STEPS} steps`);
  }
  return steps;
}

async function timed<T>(context: JobContext, work: Promise<T>): Promise<[T, unknown]> {
  const began = context.runtime.clock.now();
  const value = await work;
  return [value, toFloat((context.runtime.clock.now() - began) / 1000)];
}

async function sleep(context: JobContext, length: number): Promise<true> {
  await context.runtime.clock.sleep(length * 1000, context.signal);
  return true;
}

const HASHES: readonly string[] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"] satisfies HashName[];

function randomHash(context: JobContext, size: unknown, hashType: unknown): string {
  const bound = integer(size ?? 9_999_999_999n, "size");
  if (bound < 1n) throw pythonError("ValueError", "size must be at least 1");
  const name = str(hashType ?? context.opts.hash_type ?? "sha256");
  if (!HASHES.includes(name)) {
    throw pythonError("AttributeError", `No hash is called ${repr(name)}: try ${HASHES.join(", ")}`);
  }
  const { crypto } = context.runtime;
  const random = BigInt(`0x${hex(crypto.randomBytes(32))}`) % bound + 1n;
  return hex(crypto.hash(name as HashName, new TextEncoder().encode(String(random))));
}

/** How each exception of Salt, and some of Python, is raised by its name. */
const EXCEPTIONS: Record<string, (message: string) => Error> = {
  CommandExecutionError: (message) => new CommandExecutionError(message),
  CommandNotFoundError: (message) => new CommandNotFoundError(message),
  SaltInvocationError: (message) => new SaltInvocationError(message),
  TypeError: (message) => new InvalidArgumentsError(message),
  ...Object.fromEntries(
    [
      "ArithmeticError",
      "AssertionError",
      "AttributeError",
      "Exception",
      "FileNotFoundError",
      "IndexError",
      "IOError",
      "KeyError",
      "LookupError",
      "MinionError",
      "NameError",
      "NotImplementedError",
      "OSError",
      "PermissionError",
      "RuntimeError",
      "SaltException",
      "SaltRenderError",
      "TimeoutError",
      "UnicodeError",
      "ValueError",
      "ZeroDivisionError",
    ].map((name) => [name, (message: string) => pythonError(name, message)]),
  ),
};

/** The text of an exception with these arguments: one stands for itself, several are a tuple. */
function exceptionText(args: unknown[]): string {
  return args.length === 0 ? "" : args.length === 1 ? str(args[0]) : repr(Tuple.from(args));
}

/** An exception as Python shows it in a list of values. */
function exceptionRepr(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  return `${name === "Error" ? "Exception" : name}(${message === "" ? "" : repr(message)})`;
}

/** Sections of what runs here; null for what is not installed. */
function versions(context: JobContext): Record<string, Record<string, string | null>> {
  const { host } = context.runtime;
  const [runtime, release] = host.runtimeVersion();
  const text = (grain: string) => str(context.grains[grain] ?? "");
  return {
    "Salt Version": { Salt: SALT_COMPAT, Brine: VERSION },
    "Runtime Version": { [runtime]: release },
    "System Versions": {
      dist: [text("os").toLowerCase(), text("osrelease"), text("oscodename")].filter((part) => part !== "").join(" "),
      machine: host.machine(),
      release: host.kernelRelease(),
      system: text("kernel"),
      version: [text("osfullname"), text("osrelease"), text("oscodename")].filter((part) => part !== "").join(" "),
    },
  };
}

function report(sections: Record<string, Record<string, string | null>>): string {
  const width = Math.max(
    ...Object.values(sections).flatMap((section) => Object.keys(section).map((key) => key.length)),
  );
  return Object.entries(sections).map(([title, section]) => {
    const rows = Object.entries(section).map(([key, value]) =>
      `${key.padStart(width + 2)}: ${value ?? "Not Installed"}`
    );
    return `${title}:\n${rows.join("\n")}\n `;
  }).join("\n");
}

/** Modules whose file has another name in Salt: scripts use it to find out the kind of system. */
const SALT_FILES: Record<string, string> = {
  cmd: "cmdmod",
  group: "groupadd",
  pkg: "aptpkg",
  random: "mod_random",
  shadow: "linux_shadow",
  sysctl: "linux_sysctl",
  user: "useradd",
};

function fileOf({ runtime: { fs } }: JobContext, file: string): string {
  if (file === "service") return isDirectory(fs, "/run/systemd/system") ? "systemd_service" : "debian_service";
  return Object.hasOwn(SALT_FILES, file) ? SALT_FILES[file]! : file;
}

/** Functions that show that a minion is there and how values travel to it and back. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "ping()": {
      inline: true,
      doc: "Returns True: the minion runs, receives jobs and can send returns. No ICMP is involved.\n\n" +
        "    salt '*' test.ping",
      run: () => true,
    },
    "true()": {
      inline: true,
      doc: "Always True.\n\n    salt '*' test.true",
      run: () => true,
    },
    "false()": {
      inline: true,
      doc: "Always False.\n\n    salt '*' test.false",
      run: () => false,
    },
    "echo(text)": {
      inline: true,
      doc: "Returns the given value, of any type.\n\n    salt '*' test.echo 'foo bar'",
      run: (_context, { text }) => text,
    },
    "arg(*args, **kwargs)": {
      inline: true,
      doc: "Shows which positional and keyword arguments arrive, those added by the publication included.\n\n" +
        "    salt '*' test.arg 1 two 3.1 txt='hello' wow='{a: 1, b: hi}'",
      run: (_context, { args, kwargs }) => ({ args: Tuple.from(args), kwargs }),
    },
    "arg_clean(*args, **kwargs)": {
      inline: true,
      doc: "Shows the arguments as test.arg does, without those that the publication added.\n\n" +
        "    salt '*' test.arg_clean 1 two k=v",
      run: (_context, { args, kwargs }) => ({ args, kwargs: ownKeywords(kwargs) }),
    },
    "arg_repr(*args, **kwargs)": {
      inline: true,
      doc: "Shows the arguments in Python's notation.\n\n    salt '*' test.arg_repr 1 two k=v",
      run: (_context, { args, kwargs }) => ({ args: repr(Tuple.from(args)), kwargs: repr(kwargs) }),
    },
    "arg_type(*args, **kwargs)": {
      inline: true,
      doc: "Shows the type of each argument.\n\n    salt '*' test.arg_type 1 two k=3.5",
      run: (_context, { args, kwargs }) => ({
        args: args.map(typeText),
        kwargs: Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, typeText(value)])),
      }),
    },
    "kwarg(**kwargs)": {
      inline: true,
      doc: "Returns the keyword arguments.\n\n    salt '*' test.kwarg num=1 txt=two",
      run: (_context, { kwargs }) => kwargs,
    },
    "version()": {
      inline: true,
      doc: "The Salt release whose behaviour this minion has. test.versions shows what implements it.\n\n" +
        "    salt '*' test.version",
      run: () => SALT_COMPAT,
    },
    "versions()": {
      inline: true,
      doc: "A report of the versions of all programs involved.\n\n    salt '*' test.versions",
      run: (context) => report(versions(context)),
    },
    "versions_report()": {
      inline: true,
      doc: "A report of the versions of all programs involved.\n\n    salt '*' test.versions_report",
      run: (context) => report(versions(context)),
    },
    "versions_information()": {
      inline: true,
      doc: "The versions of test.versions_report as maps.\n\n    salt '*' test.versions_information",
      run: versions,
    },
    "conf_test()": {
      inline: true,
      doc: "The value of the option test.foo.\n\n    salt '*' test.conf_test",
      run: (context) => context.call("config.option", ["test.foo"]),
    },
    "get_opts()": {
      inline: true,
      doc: "Every option of this minion.\n\n    salt '*' test.get_opts",
      run: ({ opts }) => withSaltDefaults(opts),
    },
    "opts_pkg()": {
      inline: true,
      doc: "Every option of this minion, with its grains.\n\n    salt '*' test.opts_pkg",
      run: ({ opts, grains }) => ({ ...withSaltDefaults(opts), grains }),
    },
    "cross_test(func: str, args=None)": {
      doc: "Calls another function from inside this one.\n\n    salt '*' test.cross_test grains.get '[os]'",
      run: (context, { func, args }) => context.call(func, Array.isArray(args) ? args : []),
    },
    "sleep(length)": {
      doc: "Returns True after a number of seconds; other jobs run in the meantime.\n\n    salt '*' test.sleep 20",
      run: (context, { length }) => sleep(context, seconds(length, "length")),
    },
    "rand_sleep(max=60)": {
      doc: "Returns True after a random number of seconds, at most `max`.\n\n    salt '*' test.rand_sleep 60",
      run: (context, { max }) => sleep(context, Math.floor(context.runtime.random() * (seconds(max, "max") + 1))),
    },
    "fib(num)": {
      doc: "The Fibonacci number at that place, and the seconds it took.\n\n    salt '*' test.fib 3",
      async run(context, { num }) {
        const [value, took] = await timed(context, fibonacci(context, integer(num, "num")));
        return Tuple.of(toInteger(value), took);
      },
    },
    "collatz(start)": {
      doc: "The Collatz sequence from a number down to one, and the seconds it took.\n\n    salt '*' test.collatz 3",
      async run(context, { start }) {
        const [steps, took] = await timed(context, collatz(context, integer(start, "start")));
        // True division makes floats of all that follow the first even number.
        const even = steps.findIndex((step) => step % 2n === 0n);
        const isInteger = (index: number) => even < 0 || index <= even;
        return Tuple.of<unknown>(
          steps.map((step, index) => isInteger(index) ? toInteger(step) : toFloat(Number(step))),
          took,
        );
      },
    },
    "outputter(data)": {
      inline: true,
      doc:
        "Returns the given value, to see how an outputter shows it.\n\n    salt '*' test.outputter foobar --out=json",
      run: (_context, { data }) => data,
    },
    "retcode(code=42)": {
      inline: true,
      doc: "Returns True and sets the return code of the job.\n\n    salt '*' test.retcode 42",
      run(context, { code }) {
        context.retcode = Number(integer(code, "code"));
        return true;
      },
    },
    "exception(message: str='Test Exception')": {
      doc: "Fails with this message, to see how a failure is shown.\n\n    salt '*' test.exception 'Oh no!'",
      run(_context, { message }) {
        throw new Error(message);
      },
    },
    "raise_exception(name: str, *args, **kwargs)": {
      doc: "Raises the exception with this name and these arguments; False if it is unknown.\n\n" +
        "    salt '*' test.raise_exception salt.exceptions.CommandExecutionError 'Oh no!'",
      run(context, { name, args, kwargs }) {
        const short = name.replace(/^salt\.exceptions\./, "");
        if (!Object.hasOwn(EXCEPTIONS, short)) {
          context.log.error("no such exception", { name });
          return false;
        }
        throw EXCEPTIONS[short]!(exceptionText([...args, ...Object.values(ownKeywords(kwargs))]));
      },
    },
    "assertion(assertion: bool)": {
      doc: "Fails unless the value is true.\n\n    salt '*' test.assertion False",
      run(_context, { assertion }) {
        if (!assertion) throw pythonError("AssertionError", "");
        return null;
      },
    },
    "stack()": {
      doc: "The stack of calls that led here.\n\n    salt '*' test.stack",
      run: () => new Error("stack").stack?.split("\n").slice(1).join("\n") ?? "",
    },
    "tty(*args, **kwargs)": {
      inline: true,
      doc: "Moved to cmd.tty.",
      run: () => "ERROR: This function has been moved to cmd.tty",
    },
    "provider(module: str)": {
      doc: "The file that provides a module.\n\n    salt '*' test.provider service",
      run: async (context, { module }) => {
        const file = (await context.functions.providers()).get(module) ?? "";
        return fileOf(context, file);
      },
    },
    "providers()": {
      doc: "Files of modules, each with the name under which it is called.\n\n    salt '*' test.providers",
      run: async (context) =>
        Object.fromEntries(
          [...await context.functions.providers()].map(([name, file]) => [fileOf(context, file), name]),
        ),
    },
    "not_loaded()": {
      doc: "Modules that are there but not available on this minion.\n\n    salt '*' test.not_loaded",
      run: async (context) => [...(await context.functions.unavailable()).keys()].sort(),
    },
    "module_report()": {
      doc: "What is loaded: names of functions and modules, and the files that are not available.\n\n" +
        "    salt '*' test.module_report",
      async run(context) {
        const { functions } = context;
        return {
          functions: (await functions.list()).map(({ name }) => name),
          modules: await functions.modules(),
          missing_modules: Object.fromEntries(await functions.unavailable()),
        };
      },
    },
    "attr_call()": {
      doc: "Calls grains.items from inside this function.\n\n    salt '*' test.attr_call",
      run: (context) => context.call("grains.items"),
    },
    "try(module: str, return_try_exception: bool=False, **kwargs)": {
      doc: "Calls a function with keyword arguments; if it fails, returns the failure as text when " +
        "`return_try_exception` is set, otherwise null.\n\n" +
        "    salt '*' test.try return_try_exception=True module=test.exception",
      async run(context, { module, return_try_exception, kwargs }) {
        try {
          return await context.call(module, [], ownKeywords(kwargs));
        } catch (error) {
          context.signal.throwIfAborted();
          return return_try_exception ? exceptionRepr(error) : null;
        }
      },
    },
    "random_hash(size=9999999999, hash_type=None)": {
      doc:
        "The hash of a random number up to `size`, in hexadecimal.\n\n    salt '*' test.random_hash hash_type=sha512",
      run: (context, { size, hash_type }) => randomHash(context, size, hash_type),
    },
    "rand_str(size=9999999999, hash_type=None)": {
      doc: "The older name of test.random_hash.\n\n    salt '*' test.rand_str",
      run: (context, { size, hash_type }) => randomHash(context, size, hash_type),
    },
    "deprecation_warning()": {
      inline: true,
      doc: "Returns True and logs a deprecation warning.\n\n    salt '*' test.deprecation_warning",
      run(context) {
        context.log.warning("this is a test of deprecation warnings");
        return true;
      },
    },
  }),
};
