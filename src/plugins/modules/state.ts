import type { Args } from "../../model/loader/signature.ts";
import type { JobContext } from "../../model/loader/context.ts";
import { CommandExecutionError, exampledFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { runningStates } from "./state/conflict.ts";
import { listDisabled, setDisabled } from "./state/disabled.ts";
import { cacheFile } from "./state/packed_files.ts";
import { pause, pausesOf, resume, softKill } from "./state/pauses.ts";
import { checkRequest, clearRequest, request, runRequest } from "./state/requests.ts";
import {
  idExists,
  showHighstate,
  showLowSls,
  showLowstate,
  showSls,
  showStates,
  showTop,
  showUsage,
  slsExists,
} from "./state/show.ts";
import { high, low, single, template, templateStr } from "./state/single.ts";
import { highstate, sls, slsId, top } from "./state/sls.ts";

const RUN_WORDS = "\n\ntest: only report what would be done\nqueue: wait until other states have run\n" +
  "pillar: values that go over the pillar, for this run\nsaltenv, pillarenv: environments of the states and of the pillar";

const runs = exampledFunctions("state", { more: RUN_WORDS, out: "highstate" });
const shows = exampledFunctions("state");

const refused = (what: string, instead: string) => (): unknown => {
  throw new CommandExecutionError(`${what} is not available on a minion: ${instead}`);
};

/** Runs the named SLS files, or without names what top files say. */
async function apply(context: JobContext, mods: unknown, kwargs: Args): Promise<unknown> {
  const { test = null, queue = null, state_events = null, exclude = null, sync_mods = null, ...rest } = kwargs;
  const common = { test, queue, state_events };
  if (truthy(mods ?? null)) return await sls(context, { ...common, mods, exclude, sync_mods, kwargs: rest });
  return await highstate(context, { ...common, kwargs: exclude === null ? rest : { ...rest, exclude } });
}

function clearCache(context: JobContext): string[] {
  const { runtime: { fs }, opts } = context;
  const names = fs.list(str(opts.cachedir)).filter((name) => name.endsWith(".cache.p"));
  return names.filter((name) => {
    const path = cacheFile(context, name);
    if (fs.stat(path)?.kind !== "file") return false;
    fs.remove(path);
    return true;
  });
}

/** States of this minion: run, tried, shown. */
export const module: ExecutionModule = {
  functions: {
    apply: runs(
      "mods=None, **kwargs",
      "Runs the named SLS files, as state.sls; without names what top files say, as state.highstate.",
      "apply web,users test=True",
      (context, { mods, kwargs }) => apply(context, mods, kwargs),
    ),
    sls: runs(
      "mods, test=None, exclude=None, queue=None, sync_mods=None, state_events=None, **kwargs",
      "Runs the named SLS files.",
      'sls web,users exclude="[{id: reload}]"',
      sls,
    ),
    highstate: runs(
      "test=None, queue=None, state_events=None, **kwargs",
      "Runs what top files say of this minion.",
      "highstate whitelist=web",
      highstate,
    ),
    top: runs(
      "topfn, test=None, queue=None, **kwargs",
      "Runs what another top file says of this minion.",
      "top reverse_top.sls",
      top,
    ),
    sls_id: runs(
      "id_, mods, test=None, queue=None, state_events=None, **kwargs",
      "Runs the states of one id, with what they require.",
      "sls_id nginx web",
      slsId,
    ),
    single: runs(
      "fun, name, test=None, queue=None, **kwargs",
      "Runs one state, given as its function, its name and its arguments.",
      "single pkg.installed name=vim",
      single,
    ),
    low: {
      ...shows(
        "data, queue=None, **kwargs",
        "Runs one low chunk and returns what its state returns.",
        "low '{state: pkg, fun: installed, name: vi}'",
        low,
      ),
    },
    high: runs("data, test=None, queue=None, **kwargs", "Runs high data.", "high '{vim: {pkg: [installed]}}'", high),
    template: runs(
      "tem, queue=None, **kwargs",
      "Runs the states of one file of this minion.",
      "template /etc/salt/own.sls",
      template,
    ),
    template_str: runs(
      "tem, queue=None, **kwargs",
      "Runs the states that a text has.",
      "template_str 'vim: pkg.installed'",
      templateStr,
    ),
    test: runs(
      "*args, **kwargs",
      "Runs states dry, as state.apply with test=True.",
      "test web",
      (context, { args, kwargs }) => apply(context, args[0] ?? null, { ...kwargs, test: true }),
    ),
    request: runs(
      "mods=None, **kwargs",
      "Runs states dry, and keeps the call for state.run_request.",
      "request web name=later",
      (context, { mods, kwargs }) => request(context, mods, kwargs, apply),
    ),
    check_request: {
      ...shows(
        "name=None",
        "The calls that state.request has kept, or one of them.",
        "check_request",
        (context, { name }) => checkRequest(context, name),
      ),
      out: "highstate",
    },
    run_request: runs(
      "name='default', **kwargs",
      "Runs a call that state.request has kept.",
      "run_request later",
      (context, { name, kwargs }) => runRequest(context, name, kwargs, apply),
    ),
    clear_request: shows(
      "name=None",
      "Forgets the calls that state.request has kept, or one of them.",
      "clear_request later",
      (context, { name }) => clearRequest(context, name),
    ),
    show_highstate: shows("queue=None, **kwargs", "High data of what top files say.", "show_highstate", showHighstate),
    show_lowstate: shows("queue=None, **kwargs", "Low chunks of what top files say.", "show_lowstate", showLowstate),
    show_sls: shows("mods, test=None, queue=None, **kwargs", "High data of SLS files.", "show_sls web,users", showSls),
    show_low_sls: shows(
      "mods, test=None, queue=None, **kwargs",
      "Low chunks of SLS files.",
      "show_low_sls web",
      showLowSls,
    ),
    show_states: shows(
      "queue=None, **kwargs",
      "Names of the SLS files that a highstate runs.",
      "show_states",
      showStates,
    ),
    show_state_usage: shows(
      "queue=None, **kwargs",
      "Which SLS files of each environment a highstate uses, and which not.",
      "show_state_usage",
      showUsage,
    ),
    show_top: shows("queue=None, **kwargs", "What top files say of this minion.", "show_top", showTop),
    sls_exists: shows(
      "mods, test=None, queue=None, **kwargs",
      "True if SLS files are there, and have no errors.",
      "sls_exists web",
      slsExists,
    ),
    id_exists: shows(
      "ids, mods, test=None, queue=None, **kwargs",
      "True if SLS files have all of these ids.",
      "id_exists nginx,reload web",
      idExists,
    ),
    running: shows(
      "concurrent=False",
      "Which other jobs run states on this minion.",
      "running",
      (context, { concurrent }) => runningStates(context, concurrent),
    ),
    pause: shows(
      "jid, state_id=None, duration=None",
      "Has a running job wait before a state, or before its next one: for some seconds, or until state.resume.",
      "pause 20240101000000000000 nginx duration=60",
      (context, { jid, state_id, duration }) => pause(context, jid, state_id, duration),
    ),
    resume: shows(
      "jid, state_id=None",
      "Lets a job go on that state.pause has stopped.",
      "resume 20240101000000000000",
      (context, { jid, state_id }) => resume(context, jid, state_id),
    ),
    soft_kill: shows(
      "jid, state_id=None",
      "Ends a running job before a state, or before its next one.",
      "soft_kill 20240101000000000000",
      (context, { jid, state_id }) => softKill(context, jid, state_id),
    ),
    get_pauses: shows(
      "jid=None",
      "The pauses of running jobs.",
      "get_pauses",
      (context, { jid }) => pausesOf(context, jid),
    ),
    disable: shows(
      "states",
      "Keeps states from being run: highstate, names of SLS files, module.function, or module.* for all of a module.",
      "disable highstate,test.succeed_without_changes",
      (context, { states }) => setDisabled(context, states, true),
    ),
    enable: shows(
      "states",
      "Lets states be run that state.disable has kept from it.",
      "enable highstate",
      (context, { states }) => setDisabled(context, states, false),
    ),
    list_disabled: shows("", "What state.disable has named.", "list_disabled", listDisabled),
    clear_cache: shows(
      "",
      "Removes what is kept of compiled states, and returns the names of the files.",
      "clear_cache",
      clearCache,
    ),
    event: shows(
      "tagmatch='*', count=-1, quiet=False, sock_dir=None, pretty=False, node='minion'",
      "Shows events of the bus: only the runner state.event can.",
      "event",
      refused("state.event", "run salt-run state.event node=minion on its host"),
    ),
    orchestrate: shows(
      "mods, saltenv='base', test=None, exclude=None, pillar=None, pillarenv=None",
      "Runs an orchestration: only the runner state.orchestrate can.",
      "orchestrate web",
      refused("state.orchestrate", "run salt-run state.orchestrate on the master"),
    ),
    pkg: shows(
      "pkg_path, pkg_sum, hash_type, test=None, **kwargs",
      "Runs a package of states as salt-ssh makes it.",
      "pkg /tmp/salt_state.tgz 760a9353810e36f6d81416366fc426dc md5",
      refused("state.pkg", "it is for salt-ssh, which is not here. Serve the states and run state.apply"),
    ),
  },
};
