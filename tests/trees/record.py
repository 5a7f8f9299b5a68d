"""What real Salt answers to the calls of trees: `record.ts` and `repositories.ts` run it.

    python record.py JOB.json

JOB.json is a list of `{hosts: {id: configuration}, calls: [command line]}`, `{own}` in a configuration is a directory of the host. Written:
for each tree, host and call `{"return"}`, or `{"raised"}` with the class of the exception. Each host has a process.
"""
import json, logging, os, shutil, sys, tempfile, traceback

job = sys.argv[1]
sys.argv[0] = "/usr/bin/salt-call"
import salt.client, salt.config, salt.minion, salt.utils.args, salt.version

logging.disable(logging.CRITICAL)


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def answers(config, calls):
    own = tempfile.mkdtemp()
    os.mkdir(own + "/etc")
    with open(own + "/etc/minion", "w") as file:
        file.write(json.dumps(config).replace("{own}", own))
    found = []
    for call in calls:
        fun, *words = call.split(" ") if isinstance(call, str) else call
        try:
            caller = salt.client.Caller(mopts=salt.config.minion_config(own + "/etc/minion"))
            function = caller.sminion.functions[fun]
            args, keyword = salt.minion.load_args_and_kwargs(function, salt.utils.args.parse_input(words))
            found.append({"return": plain(function(*args, **keyword))})
        except Exception as error:
            found.append({"raised": type(error).__name__, "message": str(error)})
    shutil.rmtree(own, ignore_errors=True)
    return json.loads(json.dumps(found).replace(own, "{own}"))


def in_process(config, calls):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            said = answers(config, calls)
        except BaseException:
            said = [{"raised": "all", "message": traceback.format_exc()}]
        with os.fdopen(writer, "w") as out:
            json.dump(said, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as read:
        said = read.read()
    os.waitpid(pid, 0)
    return json.loads(said)


recorded = [{name: in_process(config, tree["calls"]) for name, config in tree["hosts"].items()} for tree in json.load(open(job))]
json.dump({"salt": salt.version.__version__, "answers": recorded}, sys.stdout)
