/** The tables of each program's options, with Salt's spellings and rules. */
import {
  diffOption,
  doc,
  eauthOptions,
  exclusiveTargets,
  execution,
  general,
  ignoredWords,
  logging,
  main,
  outputOptions,
  profiling,
  targets,
  timeout,
  timeoutOfNone,
  words,
} from "./groups.ts";
import type { ProgramTable, Stop } from "./option.ts";
import { added, flagOption, int, option, optional, optparseBoolean, quote, textOption } from "./option.ts";
import type { Env, Program, RunRequest } from "./request.ts";

/** Parts of a host that `salt-doctor` can check. */
const DOCTOR_ROLES: readonly string[] = ["master", "minion", "syndic", "api"];

function daemon(usageDescription: string, user: boolean, name: string): (env: Env) => ProgramTable {
  const hasTree = name === "salt-master" || name === "salt-minion";
  return (env) => ({
    usage: "[options]",
    description: usageDescription,
    groups: [
      main(
        ...general(env, { saltfile: user }),
        ...(user ? [textOption("-u --user", "user", "User to run as.")] : []),
        flagOption("-d --daemon", "daemon", "Run in the background."),
        added(flagOption("--check", "check", "Check the configuration, keys, directories and ports; start nothing.")),
        ...(hasTree
          ? [added(optional(
            "--check-tree",
            "check_tree",
            "FORMAT",
            "List what states, pillar and custom modules need that Brine does not have; start and render nothing. json prints JSON.",
          ))]
          : []),
        textOption("--pid-file", "pidfile", "File for the process id.", `/var/run/${name}.pid`),
        flagOption(
          "--disable-keepalive",
          "disable_keepalive",
          "Accepted for service files of Salt. Brine runs no process that restarts the daemon.",
        ),
      ),
      logging(true),
    ],
    check: (run, stop) => {
      ignoredWords(run);
      const format = run.options.check_tree;
      if (typeof format === "string" && format !== "" && format !== "json") {
        stop({ error: `${quote(format)} is not a valid argument to '--check-tree': json` });
      }
    },
  });
}

const salt = (env: Env): ProgramTable => ({
  usage: "[options] '<target>' <function> [arguments]",
  description: "Runs a function on minions and prints what they return.",
  groups: [
    main(
      ...general(env, { crash: true }),
      timeout(5),
      ...words(env),
      flagOption("-s --static", "static", "Print all results at once, at the end."),
      flagOption("-p --progress", "progress", "Show the progress: done, failed, waiting, time left."),
      added(textOption(
        "--watch",
        "watch",
        "Follow a running job by its id (no target, no function).",
      )),
      flagOption("--failhard", "failhard", "In batch mode: stop at the first failure."),
      flagOption("--async", "async", "Send the job, print its id and do not wait."),
      added(optional(
        "--queue",
        "queue",
        "TTL",
        "Keep the job for minions that are not connected, for a day or for this time: 90, 90s, 15m, 12h, 7d.",
      )),
      added(flagOption("--stream", "stream", "Show the output of commands as they run, and each state as it ends.")),
      added(textOption("--job-timeout", "job_timeout", "End the job on a minion after this time: 90, 90s, 15m, 12h.")),
      int("--subset", "subset", "Run on this many of the targeted minions, chosen at random.", 0),
      flagOption("-v --verbose", "verbose", "Print the job id and a longer summary."),
      option("unset", "--hide-timeout", "show_timeout", "Do not report minions that did not answer.", true),
      flagOption("--show-jid", "show_jid", "Print the job id."),
      textOption(
        "-b --batch --batch-size",
        "batch",
        "Run on this many minions at a time: a number, or a percentage such as 25%.",
        "",
      ),
      option("float", "--batch-wait", "batch_wait", "Seconds to wait after a return before the next minion starts.", 0),
      int(
        "--batch-safe-limit",
        "batch_safe_limit",
        "Switch to batch mode for a target of at least this many minions.",
        0,
      ),
      textOption(
        "--batch-safe-size",
        "batch_safe_size",
        "Minions at a time in that case: a number, or a percentage. Default: 8.",
        "8",
      ),
      textOption("--return", "return", "Also send results to these returners, such as syslog: a,b,...", ""),
      textOption(
        "--return_config",
        "ret_config",
        "Section of the minion's configuration with the options of the returner.",
        "",
      ),
      textOption("--return_kwargs", "ret_kwargs", "Options for the returner: {...}", "{}"),
      doc,
      textOption(
        "--args-separator",
        "args_separator",
        "Separator between the arguments of several functions. Default: a comma.",
        ",",
      ),
      flagOption("--summary", "cli_summary", "Print at the end how many minions returned, and how many did not."),
      textOption("--metadata", "metadata", "Data to keep with the job: {...}", ""),
      diffOption,
      flagOption("--config-dump", "config_dump", "Print the configuration of the master."),
      flagOption("--preview-target", "preview_target", "Print which minions the target matches, and run nothing."),
      ...execution(),
    ),
    logging(true),
    targets(true),
    outputOptions(),
    eauthOptions(true),
  ],
  check: (run, stop) => {
    exclusiveTargets(run, stop);
    timeoutOfNone(run);
    const { options, positionals } = run;
    if (options.watch !== null) {
      if (!/^\d{20}(?:_\d{6})?$/.test(String(options.watch))) {
        stop({ error: `${quote(String(options.watch))} is not a valid JID` });
      }
      if (positionals.length > 0) stop({ error: `--watch takes no target and no function: ${quote(positionals[0]!)}` });
      return;
    }
    if (options.doc === true) {
      if (positionals.length === 0) positionals.push("*");
      if (positionals[1] !== "sys.doc") positionals.splice(1, 0, "sys.doc");
      if (positionals.length > 3) stop({ error: "You can only get documentation for one method at one time." });
    }
    const wanted = options.preview_target === true ? 1 : 2;
    if (positionals.length >= wanted || options.config_dump === true) return;
    const incomplete = positionals.length === 0
      ? "\nCannot execute command without defining a target.\n\n"
      : "\nIncomplete options passed.\n\n";
    stop({ help: true, incomplete });
  },
});

const saltKey = (env: Env): ProgramTable => ({
  usage: "[options]",
  description: "Manages the keys of minions.",
  groups: [
    main(
      ...general(env, { crash: true }),
      textOption("-u --user", "user", "User to run as."),
      flagOption("-q --quiet", "quiet", "Do not print failures."),
      flagOption("-y --yes", "yes", "Answer yes to all questions."),
      textOption(
        "--rotate-aes-key",
        "rotate_aes_key",
        "Replace the session key when a key is deleted or rejected: True or False.",
        true,
      ),
      textOption(
        "--preserve-minions",
        "preserve_minions",
        "Keep cached data of deleted minions: True or False.",
        false,
      ),
    ),
    logging(false, "key_logfile"),
    outputOptions(),
    {
      title: "Actions",
      options: [
        textOption("-l --list", "list", "List keys of one status: acc, pre, un, rej, den or all.", ""),
        flagOption("-L --list-all", "list_all", "List all keys."),
        textOption("-a --accept", "accept", "Accept the pending keys of this id or glob.", ""),
        flagOption("-A --accept-all", "accept_all", "Accept all pending keys."),
        textOption("-r --reject", "reject", "Reject the pending keys of this id or glob.", ""),
        flagOption("-R --reject-all", "reject_all", "Reject all pending keys."),
        flagOption("--include-all", "include_all", "Also act on accepted or rejected keys."),
        flagOption("--include-accepted", "include_accepted", "Also reject accepted keys."),
        flagOption("--include-rejected", "include_rejected", "Also accept rejected keys."),
        flagOption("--include-denied", "include_denied", "Also act on denied keys."),
        textOption("-p --print", "print", "Print the public keys of this id or glob.", ""),
        flagOption("-P --print-all", "print_all", "Print all public keys."),
        textOption("-d --delete", "delete", "Delete all keys of this id or glob.", ""),
        flagOption("-D --delete-all", "delete_all", "Delete all keys."),
        textOption("-f --finger", "finger", "Print the fingerprints of this id or glob.", ""),
        flagOption("-F --finger-all", "finger_all", "Print all fingerprints."),
        added(textOption("--rotate", "rotate", "Ask the Brine minions of this id or glob to replace their keys.", "")),
        added(textOption("--history", "history", "Show who changed the keys of this id or glob, and when.", "")),
      ],
    },
    {
      title: "Key Generation Options",
      options: [
        textOption("--gen-keys", "gen_keys", "Generate a key pair with this name.", ""),
        textOption("--gen-keys-dir", "gen_keys_dir", "Directory for the key pair.", "."),
        int("--keysize", "keysize", "Bits of the key. Default: 2048.", 2048),
        flagOption("--gen-signature", "gen_signature", "Sign the public key of the master."),
        textOption("--priv", "priv", "Private key to sign with.", ""),
        textOption("--pub", "pub", "Public key to sign.", ""),
        textOption("--signature-path", "signature_path", "File for the signature.", ""),
        flagOption("--auto-create", "auto_create", "Generate the signing key pair if it is missing."),
      ],
    },
    eauthOptions(false),
  ],
  check: (run, stop) => {
    const { options } = run;
    for (const dest of ["rotate_aes_key", "preserve_minions"]) {
      options[dest] = optparseBoolean(options[dest] ?? null, true);
    }
    const list = String(options.list);
    if (list !== "" && !/^(?:acc|pre|un|rej|den|all)/.test(list)) {
      stop({ error: `${quote(list)} is not a valid argument to '--list'` });
    }
    if (Number(options.keysize) < 2048) stop({ error: "The minimum value for keysize is 2048" });
    if (Number(options.keysize) > 32768) stop({ error: "The maximum value for keysize is 32768" });
    keyWords(run, stop);
  },
});

/** Actions of `salt-key` by precedence: if several are given, only the first is done. */
const KEY_ACTIONS = [
  "gen_keys",
  "gen_signature",
  "list",
  "list_all",
  "print",
  "print_all",
  "accept",
  "accept_all",
  "reject",
  "reject_all",
  "delete",
  "delete_all",
  "finger",
  "finger_all",
  "rotate",
  "history",
] as const;

/**
 * Checks the words after an action of `salt-key`. In Salt, `-A web1` accepts all keys, and `-d web1 web2` ignores `web2`. The
 * first is refused here, because whoever types it means one key and would trust all.
 */
function keyWords({ options, positionals, advice }: RunRequest, stop: (stop: Stop) => never): void {
  const spelling = (dest: string) => `--${dest.replaceAll("_", "-")}`;
  for (const [dest, one] of [["accept_all", "-a"], ["reject_all", "-r"]] as const) {
    const word = positionals.find((word) => word !== "");
    if (word === undefined || options[dest] !== true) continue;
    stop({ error: `${spelling(dest)} takes no arguments: ${quote(word)}. For one key, use ${one}` });
  }
  const [first, ...others] = KEY_ACTIONS.filter((dest) => options[dest] === true || String(options[dest] || "") !== "");
  if (others.length > 0) {
    const ignored = others.map(spelling).join(", ");
    advice.push(`Only one action is possible at a time: ${spelling(first!)}. Ignored: ${ignored}`);
  }
  if (positionals.length === 0 || options.delete_all === true) return;
  const words = positionals.map(quote).join(" ");
  advice.push(`Ignored: ${words}. Write several keys as one word, with commas: -d web1,web2`);
}

const saltRun = (env: Env): ProgramTable => ({
  usage: "[options] <function> [arguments]",
  description: "Runs a function of the master: a runner.",
  groups: [
    main(
      ...general(env, { crash: true }),
      timeout(1),
      ...words(env),
      doc,
      flagOption("--async", "async", "Start the function and do not wait."),
      flagOption("--skip-grains", "skip_grains", "Do not load grains."),
      textOption("--jid", "jid", "The job id to use."),
      flagOption("--quiet", "quiet", "Print nothing."),
      ...profiling(),
    ),
    logging(true),
    outputOptions(),
    eauthOptions(true),
  ],
  check: ({ options, positionals }, stop) => {
    const { jid } = options;
    if (typeof jid === "string" && !/^\d{20}(?:_\d{6})?$/.test(jid)) {
      stop({ error: `${quote(jid)} is not a valid JID` });
    }
    if (options.doc === true && positionals.length > 1) {
      stop({ error: "You can only get documentation for one method at one time" });
    }
  },
});

const saltCall = (env: Env): ProgramTable => ({
  usage: "[options] <function> [arguments]",
  description: "Runs a function on this machine.",
  groups: [
    main(
      ...general(env, { crash: true }),
      timeout(60, "auth_timeout"),
      ...words(env),
      flagOption("-g --grains", "grains_run", "Print all grains."),
      option(
        "append",
        "-m --module-dirs",
        "module_dirs",
        "Another directory of execution modules; may be repeated.",
        [],
      ),
      doc,
      textOption("--master", "master", "The master to use."),
      textOption("--return", "return", "Returners to send the result to, such as syslog: a,b,...", ""),
      flagOption("--local", "local", "Run without a master."),
      textOption("--file-root", "file_root", "Use this directory as the base file root."),
      textOption("--pillar-root", "pillar_root", "Use this directory as the base pillar root."),
      textOption("--states-dir", "states_dir", "Another directory of state modules."),
      flagOption("--retcode-passthrough", "retcode_passthrough", "Exit with the return code of the function."),
      flagOption("--metadata", "print_metadata", "Print the whole return, with its job id and return code."),
      textOption("--set-metadata", "metadata", "Data to keep with the return: {...}"),
      textOption("--priv", "user", "User to run as."),
      textOption("--id", "id", "Act as this minion.", ""),
      flagOption("--skip-grains", "skip_grains", "Do not load grains."),
      flagOption(
        "--refresh-grains-cache",
        "refresh_grains_cache",
        "Load the grains again instead of reading them from the cache.",
      ),
      flagOption("--no-return-event", "no_return_event", "Do not send the return to the master."),
      textOption("--proxyid", "proxyid", "Id of a proxy minion. Brine has none."),
      textOption("--cachedir", "cachedir", "Directory for cached data."),
      diffOption,
      ...execution(),
      ...profiling(),
    ),
    logging(true),
    outputOptions(),
  ],
  check: ({ options, positionals }, stop) => {
    if (positionals.length === 0 && options.grains_run !== true && options.doc !== true) {
      stop({ help: true, error: "Requires function, --grains or --doc" });
    }
    if (options.doc === true && positionals.length > 1) {
      stop({ error: "You can only get documentation for one method at one time" });
    }
    if (options.grains_run === true && positionals.length > 0) {
      stop({ error: "-g/--grains does not accept any arguments" });
    }
    options.module_dirs = (options.module_dirs as string[]).flatMap((dirs) => dirs.split(","));
  },
});

const saltCp = (env: Env): ProgramTable => ({
  usage: "[options] '<target>' SOURCE DEST",
  description: "Copies files to minions.",
  groups: [
    main(
      ...general(env, { crash: true }),
      timeout(5),
      flagOption("-C --chunked", "chunked", "Copy in chunks: for large or binary files, and directories."),
      flagOption("-n --no-compression", "no_compression", "Do not compress chunks."),
    ),
    logging(true),
    targets(false),
    outputOptions(),
  ],
  check: (run, stop) => {
    exclusiveTargets(run, stop);
    timeoutOfNone(run);
    if (run.positionals.length < 3) stop({ help: true, error: "Insufficient arguments" });
  },
});

const saltDoctor = (env: Env): ProgramTable => ({
  usage: "[options]",
  description: "Checks the master, minion, syndic or salt-api of this host and suggests fixes. Changes nothing.",
  groups: [
    main(
      ...general(env),
      option(
        "append",
        "--as",
        "as",
        "What to check: master, minion, syndic or api; may be repeated. Default: what is configured on this host.",
        [],
      ),
      int("-t --timeout", "timeout", "Seconds to wait for another host. Default: 5.", 5),
    ),
    logging(true),
    { title: "Output Options", options: [textOption("--out --output", "output", "json prints the findings as JSON.")] },
  ],
  check: ({ options, positionals }, stop) => {
    if (positionals.length > 0) stop({ error: `the program takes no arguments: ${quote(positionals[0]!)}` });
    for (const role of options.as as string[]) {
      if (!DOCTOR_ROLES.includes(role)) {
        stop({ error: `${quote(role)} is not a valid argument to '--as': one of ${DOCTOR_ROLES.join(", ")}` });
      }
    }
    if (options.output !== null && options.output !== "json") {
      stop({ error: `${quote(String(options.output))} is not a valid argument to '--out': json` });
    }
  },
});

/** salt-ssh parses no options: it always fails, with the reason. */
const saltSsh = (env: Env): ProgramTable => ({
  usage: "[options]",
  description: "Agentless mode is not available in Brine: install a minion instead.",
  groups: [main(...general(env))],
  check: () => {},
});

const brine = (env: Env): ProgramTable => ({
  usage: "<program> [options] [arguments]",
  description: `All programs in one: ${
    Object.keys(PROGRAMS).filter((name) => name !== "brine").join(", ")
  }. Three more commands: "bootstrap ID" prints the command that makes a host a minion of this master. "compat" lists what states and pillar need and Brine lacks. "completion" with bash, zsh or fish prints the completion for this shell.`,
  groups: [
    main(
      ...general(env, { saltfile: false }),
      textOption("--out --output", "output", "json prints the findings of compat as JSON."),
    ),
  ],
  check: ({ options, positionals }, stop) => {
    if (options.output !== null && options.output !== "json") {
      stop({ error: `${quote(String(options.output))} is not a valid argument to '--out': json` });
    }
    if (positionals.length === 0) stop({ help: true, error: "Requires a program" });
  },
});

export const PROGRAMS: Record<Program, (env: Env) => ProgramTable> = {
  salt,
  "salt-key": saltKey,
  "salt-run": saltRun,
  "salt-call": saltCall,
  "salt-cp": saltCp,
  "salt-master": daemon("Runs a master.", true, "salt-master"),
  "salt-minion": daemon("Runs a minion.", true, "salt-minion"),
  "salt-syndic": daemon("Connects the master of this host to a master above it.", true, "salt-syndic"),
  "salt-api": daemon("Runs the HTTP interface of the master on this host.", false, "salt-api"),
  "salt-doctor": saltDoctor,
  "salt-ssh": saltSsh,
  brine,
};
