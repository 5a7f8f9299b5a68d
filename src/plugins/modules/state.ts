import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { runningStates } from "./state/conflict.ts";
import { listDisabled, setDisabled } from "./state/disabled.ts";
import { cacheFile } from "./state/packed_files.ts";
import { pauseRun, pausesOf, resume, softKill } from "./state/pauses.ts";
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
import { low, stateHigh, stateSingle, template, templateStr } from "./state/single.ts";
import { sls, slsId, stateHighstate, stateTop } from "./state/sls.ts";

const RUN_WORDS = "\n\ntest: only report what would be done\nqueue: wait until other states have run\n" +
  "pillar: values that go over the pillar, for this run\nsaltenv, pillarenv: environments of the states and of the pillar";

const refused = (what: string, instead: string) => (): unknown => {
  throw new CommandExecutionError(`${what} is not available on a minion: ${instead}`);
};

/** Runs the named SLS files, or without names what top files say. */
async function apply(context: JobContext, mods: unknown, kwargs: Args): Promise<unknown> {
  const { test = null, queue = null, state_events = null, exclude = null, sync_mods = null, ...rest } = kwargs;
  const common = { test, queue, state_events };
  if (truthy(mods ?? null)) return await sls(context, { ...common, mods, exclude, sync_mods, kwargs: rest });
  return await stateHighstate(context, { ...common, kwargs: exclude === null ? rest : { ...rest, exclude } });
}

/** States of this minion: run, tried, shown. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "apply(mods=None, **kwargs)": {
      out: "highstate",
      doc: "Runs the named SLS files, as state.sls; without names what top files say, as state.highstate.\n\n" +
        `    salt '*' state.apply web,users test=True${RUN_WORDS}`,
      run: (context, { mods, kwargs }) => apply(context, mods, kwargs),
    },
    "sls(mods, test=None, exclude=None, queue=None, sync_mods=None, state_events=None, **kwargs)": {
      out: "highstate",
      doc: `Runs the named SLS files.\n\n    salt '*' state.sls web,users exclude="[{id: reload}]"${RUN_WORDS}`,
      run: sls,
    },
    "highstate(test=None, queue=None, state_events=None, **kwargs)": {
      out: "highstate",
      doc: `Runs what top files say of this minion.\n\n    salt '*' state.highstate whitelist=web${RUN_WORDS}`,
      run: stateHighstate,
    },
    "top(topfn, test=None, queue=None, **kwargs)": {
      out: "highstate",
      doc: `Runs what another top file says of this minion.\n\n    salt '*' state.top reverse_top.sls${RUN_WORDS}`,
      run: stateTop,
    },
    "sls_id(id_, mods, test=None, queue=None, state_events=None, **kwargs)": {
      out: "highstate",
      doc: `Runs the states of one id, with what they require.\n\n    salt '*' state.sls_id nginx web${RUN_WORDS}`,
      run: slsId,
    },
    "single(fun, name, test=None, queue=None, **kwargs)": {
      out: "highstate",
      doc: "Runs one state, given as its function, its name and its arguments.\n\n" +
        `    salt '*' state.single pkg.installed name=vim${RUN_WORDS}`,
      run: stateSingle,
    },
    "low(data, queue=None, **kwargs)": {
      doc: "Runs one low chunk and returns what its state returns.\n\n" +
        "    salt '*' state.low '{state: pkg, fun: installed, name: vi}'",
      run: low,
    },
    "high(data, test=None, queue=None, **kwargs)": {
      out: "highstate",
      doc: `Runs high data.\n\n    salt '*' state.high '{vim: {pkg: [installed]}}'${RUN_WORDS}`,
      run: stateHigh,
    },
    "template(tem, queue=None, **kwargs)": {
      out: "highstate",
      doc: `Runs the states of one file of this minion.\n\n    salt '*' state.template /etc/salt/own.sls${RUN_WORDS}`,
      run: template,
    },
    "template_str(tem, queue=None, **kwargs)": {
      out: "highstate",
      doc: `Runs the states that a text has.\n\n    salt '*' state.template_str 'vim: pkg.installed'${RUN_WORDS}`,
      run: templateStr,
    },
    "test(*args, **kwargs)": {
      out: "highstate",
      doc: `Runs states dry, as state.apply with test=True.\n\n    salt '*' state.test web${RUN_WORDS}`,
      run: (context, { args, kwargs }) => apply(context, args[0] ?? null, { ...kwargs, test: true }),
    },
    "request(mods=None, **kwargs)": {
      out: "highstate",
      doc: "Runs states dry, and keeps the call for state.run_request.\n\n" +
        `    salt '*' state.request web name=later${RUN_WORDS}`,
      run: (context, { mods, kwargs }) => request(context, mods, kwargs, apply),
    },
    "check_request(name=None)": {
      doc: "The calls that state.request has kept, or one of them.\n\n    salt '*' state.check_request",
      out: "highstate",
      run: (context, { name }) => checkRequest(context, name),
    },
    "run_request(name='default', **kwargs)": {
      out: "highstate",
      doc: `Runs a call that state.request has kept.\n\n    salt '*' state.run_request later${RUN_WORDS}`,
      run: (context, { name, kwargs }) => runRequest(context, name, kwargs, apply),
    },
    "clear_request(name=None)": {
      doc: "Forgets the calls that state.request has kept, or one of them.\n\n    salt '*' state.clear_request later",
      run: (context, { name }) => clearRequest(context, name),
    },
    "show_highstate(queue=None, **kwargs)": {
      doc: "High data of what top files say.\n\n    salt '*' state.show_highstate",
      run: showHighstate,
    },
    "show_lowstate(queue=None, **kwargs)": {
      doc: "Low chunks of what top files say.\n\n    salt '*' state.show_lowstate",
      run: showLowstate,
    },
    "show_sls(mods, test=None, queue=None, **kwargs)": {
      doc: "High data of SLS files.\n\n    salt '*' state.show_sls web,users",
      run: showSls,
    },
    "show_low_sls(mods, test=None, queue=None, **kwargs)": {
      doc: "Low chunks of SLS files.\n\n    salt '*' state.show_low_sls web",
      run: showLowSls,
    },
    "show_states(queue=None, **kwargs)": {
      doc: "Names of the SLS files that a highstate runs.\n\n    salt '*' state.show_states",
      run: showStates,
    },
    "show_state_usage(queue=None, **kwargs)": {
      doc: "Which SLS files of each environment a highstate uses, and which not.\n\n" +
        "    salt '*' state.show_state_usage",
      run: showUsage,
    },
    "show_top(queue=None, **kwargs)": {
      doc: "What top files say of this minion.\n\n    salt '*' state.show_top",
      run: showTop,
    },
    "sls_exists(mods, test=None, queue=None, **kwargs)": {
      doc: "True if SLS files are there, and have no errors.\n\n    salt '*' state.sls_exists web",
      run: slsExists,
    },
    "id_exists(ids, mods, test=None, queue=None, **kwargs)": {
      doc: "True if SLS files have all of these ids.\n\n    salt '*' state.id_exists nginx,reload web",
      run: idExists,
    },
    "running(concurrent=False)": {
      doc: "Which other jobs run states on this minion.\n\n    salt '*' state.running",
      run: (context, { concurrent }) => runningStates(context, concurrent),
    },
    "pause(jid, state_id=None, duration=None)": {
      doc: "Has a running job wait before a state, or before its next one: for some seconds, or until " +
        "state.resume.\n\n" + "    salt '*' state.pause 20240101000000000000 nginx duration=60",
      run: (context, { jid, state_id, duration }) => pauseRun(context, jid, state_id, duration),
    },
    "resume(jid, state_id=None)": {
      doc: "Lets a job go on that state.pause has stopped.\n\n    salt '*' state.resume 20240101000000000000",
      run: (context, { jid, state_id }) => resume(context, jid, state_id),
    },
    "soft_kill(jid, state_id=None)": {
      doc: "Ends a running job before a state, or before its next one.\n\n" +
        "    salt '*' state.soft_kill 20240101000000000000",
      run: (context, { jid, state_id }) => softKill(context, jid, state_id),
    },
    "get_pauses(jid=None)": {
      doc: "The pauses of running jobs.\n\n    salt '*' state.get_pauses",
      run: (context, { jid }) => pausesOf(context, jid),
    },
    "disable(states)": {
      doc: "Keeps states from being run: highstate, names of SLS files, module.function, or module.* for all of a " +
        "module.\n\n" + "    salt '*' state.disable highstate,test.succeed_without_changes",
      run: (context, { states }) => setDisabled(context, states, true),
    },
    "enable(states)": {
      doc: "Lets states be run that state.disable has kept from it.\n\n    salt '*' state.enable highstate",
      run: (context, { states }) => setDisabled(context, states, false),
    },
    "list_disabled()": {
      doc: "What state.disable has named.\n\n    salt '*' state.list_disabled",
      run: listDisabled,
    },
    "clear_cache()": {
      doc: "Removes what is kept of compiled states, and returns the names of the files.\n\n" +
        "    salt '*' state.clear_cache",
      run(context): string[] {
        const { runtime: { fs }, opts } = context;
        const names = fs.list(str(opts.cachedir)).filter((name) => name.endsWith(".cache.p"));
        return names.filter((name) => {
          const path = cacheFile(context, name);
          if (fs.stat(path)?.kind !== "file") return false;
          fs.remove(path);
          return true;
        });
      },
    },
    "event(tagmatch='*', count=-1, quiet=False, sock_dir=None, pretty=False, node='minion')": {
      doc: "Shows events of the bus: only the runner state.event can.\n\n    salt '*' state.event",
      run: refused("state.event", "run salt-run state.event node=minion on its host"),
    },
    "orchestrate(mods, saltenv='base', test=None, exclude=None, pillar=None, pillarenv=None)": {
      doc: "Runs an orchestration: only the runner state.orchestrate can.\n\n    salt '*' state.orchestrate web",
      run: refused("state.orchestrate", "run salt-run state.orchestrate on the master"),
    },
    "pkg(pkg_path, pkg_sum, hash_type, test=None, **kwargs)": {
      doc: "Runs a package of states as salt-ssh makes it.\n\n" +
        "    salt '*' state.pkg /tmp/salt_state.tgz 760a9353810e36f6d81416366fc426dc md5",
      run: refused("state.pkg", "it is for salt-ssh, which is not here. Serve the states and run state.apply"),
    },
  }),
};
