"""
Records what real Salt's scheduler does with schedules, and what dateutil makes of dates. Run with Salt's own Python (3006.28):

    python record.py DIRECTORY

The clock is the recorder's: it looks at a schedule every `step` seconds. A random number is always the largest one.
"""

import copy, datetime, json, logging, os, sys, tempfile, warnings
logging.disable(logging.CRITICAL)
root = tempfile.mkdtemp(prefix="schedule-record-")
for name in ("minion/proc", "sock", "conf"):
    os.makedirs(os.path.join(root, name))
import salt.utils.schedule as S
import dateutil.parser

NOW = None
real_parse = dateutil.parser.parse
class Parser:
    @staticmethod
    def parse(text, **kw):
        return real_parse(text, default=NOW.replace(hour=0, minute=0, second=0, microsecond=0), **kw)
S.dateutil_parser = Parser
S.random.randint = lambda a, b: a if a == b else b
def iso(v):
    if isinstance(v, datetime.datetime): return {"time": v.isoformat()}
    if isinstance(v, dict): return {k: iso(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)): return [iso(x) for x in v]
    return v


C=[]
def c(name, schedule, start="2026-03-02T10:00:00", seconds=60, **kw): C.append(dict(name=name, schedule=schedule, start=start, seconds=seconds, **kw))
P="test.ping"
c("seconds", {"j":{"function":P,"seconds":10}})
c("all elements add up", {"j":{"function":P,"seconds":5,"minutes":1,"hours":1,"days":1}}, seconds=90100, step=5)
c("text numbers", {"j":{"function":P,"seconds":"7"}})
c("func and fun", {"a":{"func":P,"seconds":10},"b":{"fun":P,"seconds":15},"c":{"seconds":20}})
c("own name", {"j":{"function":P,"seconds":10,"name":"other"}})
c("zero seconds", {"j":{"function":P,"seconds":0}}, seconds=5)
c("run on start", {"j":{"function":P,"seconds":10,"run_on_start":True}})
c("run on start false", {"j":{"function":P,"seconds":10,"run_on_start":False}})
c("disabled", {"j":{"function":P,"seconds":10,"enabled":False}})
c("globally disabled", {"enabled":False,"j":{"function":P,"seconds":10}})
c("dry run", {"j":{"function":P,"seconds":10,"dry_run":True}})
c("splay", {"j":{"function":P,"seconds":10,"splay":4}})
c("splay range", {"j":{"function":P,"seconds":10,"splay":{"start":2,"end":3}}})
c("splay range reversed", {"j":{"function":P,"seconds":10,"splay":{"start":5,"end":3}}})
c("global splay", {"splay":3,"j":{"function":P,"seconds":10}})
c("splay longer than interval", {"j":{"function":P,"seconds":3,"splay":10}})
c("maxrunning reached", {"j":{"function":P,"seconds":10,"maxrunning":2}}, running={"j":2})
c("maxrunning default", {"j":{"function":P,"seconds":10}}, running={"j":1})
c("maxrunning without jid_include", {"j":{"function":P,"seconds":10,"maxrunning":1,"jid_include":False}}, running={"j":5})
c("once", {"j":{"function":P,"once":"2026-03-02T10:00:30"}})
c("once format", {"j":{"function":P,"once":"2026-03-02 10:00","once_fmt":"%Y-%m-%d %H:%M"}}, start="2026-03-02T09:59:30")
c("once past", {"j":{"function":P,"once":"2026-03-02T09:00:00"}})
c("once bad", {"j":{"function":P,"once":"next week"}})
c("once splay", {"j":{"function":P,"once":"2026-03-02T10:00:20","splay":5}})
c("when once", {"j":{"function":P,"when":"3/2/2026 10:00:30am"}})
c("when past", {"j":{"function":P,"when":"3/2/2026 9:00am"}})
c("when daily", {"j":{"function":P,"when":"10:00:30am"}}, seconds=86400*2, step=2)
c("when weekday", {"j":{"function":P,"when":"Tuesday 10:00am"}}, seconds=86400*9, step=10)
c("when list", {"j":{"function":P,"when":["10:00:10am","10:00:40am"]}})
c("when list weekdays", {"j":{"function":P,"when":["Monday 5:00pm","Tuesday 3:00pm","Friday 5:00pm"]}}, seconds=86400*9, step=10)
c("when pillar name", {"j":{"function":P,"when":"tea time"}}, pillar={"whens":{"tea time":"10:00:20am"}})
c("when grain name", {"j":{"function":P,"when":["tea time"]}}, grains={"whens":{"tea time":"10:00:20am"}})
c("when bad", {"j":{"function":P,"when":"no time"}})
c("when bad among good", {"j":{"function":P,"when":["10:00:20am","no time"]}})
c("when splay", {"j":{"function":P,"when":"10:00:20am","splay":5}})
c("whens no map", {"j":{"function":P,"when":"tea"}}, pillar={"whens":["tea"]})
c("when disabled", {"j":{"function":P,"when":"10:00:20am","enabled":False}})
c("cron", {"j":{"function":P,"cron":"*/5 * * * *"}}, seconds=1200)
c("cron step hours", {"j":{"function":P,"cron":"30 4 1,15 * 5"}}, seconds=86400*20, step=60)
c("cron seconds last", {"j":{"function":P,"cron":"* * * * * 20"}}, seconds=200)
c("cron alias", {"j":{"function":P,"cron":"@hourly"}}, seconds=8000)
c("cron bad", {"j":{"function":P,"cron":"61 * * * *"}})
c("cron last friday", {"j":{"function":P,"cron":"0 12 * * L5"}}, seconds=86400*30, step=60)
c("cron third friday", {"j":{"function":P,"cron":"0 12 * * 5#3"}}, seconds=86400*30, step=60)
c("cron last day", {"j":{"function":P,"cron":"0 12 l * *"}}, seconds=86400*40, step=60)
c("cron splay", {"j":{"function":P,"cron":"* * * * *","splay":10}}, seconds=200)
c("cron disabled", {"j":{"function":P,"cron":"* * * * *","enabled":False}}, seconds=150)
c("range in", {"j":{"function":P,"seconds":10,"range":{"start":"9:00am","end":"11:00am"}}})
c("range out", {"j":{"function":P,"seconds":10,"range":{"start":"8:00am","end":"9:00am"}}})
c("range begins", {"j":{"function":P,"seconds":15,"range":{"start":"10:00:40am","end":"11:00am"}}})
c("range inverted", {"j":{"function":P,"seconds":10,"range":{"invert":True,"start":"10:00:15am","end":"10:00:35am"}}})
c("range reversed", {"j":{"function":P,"seconds":10,"range":{"start":"5:00pm","end":"9:00am"}}})
c("range bad date", {"j":{"function":P,"seconds":10,"range":{"start":"ten","end":"9:00am"}}})
c("range no map", {"j":{"function":P,"seconds":10,"range":"9-10"}})
c("range cron", {"j":{"function":P,"cron":"* * * * *","range":{"start":"10:02am","end":"10:03:30am"}}}, seconds=400)
c("skip range", {"j":{"function":P,"seconds":10,"skip_during_range":{"start":"10:00:15am","end":"10:00:35am"}}})
c("skip range then run", {"j":{"function":P,"seconds":30,"skip_during_range":{"start":"10:00:15am","end":"10:00:35am"},"run_after_skip_range":True}}, seconds=120)
c("skip range hourly then run", {"j":{"function":P,"hours":1,"skip_during_range":{"start":"10:30am","end":"11:30am"},"run_after_skip_range":True}}, seconds=3600*4)
c("global skip range", {"skip_during_range":{"start":"10:00:15am","end":"10:00:35am"},"j":{"function":P,"seconds":10}})
c("skip function", {"skip_function":"test.false","j":{"function":P,"seconds":10,"skip_during_range":{"start":"10:00:15am","end":"10:00:35am"}}})
c("skip range no map", {"j":{"function":P,"seconds":10,"skip_during_range":"9-10"}})
c("skip range reversed", {"j":{"function":P,"seconds":10,"skip_during_range":{"start":"5:00pm","end":"9:00am"}}})
c("skip explicit", {"j":{"function":P,"seconds":10,"skip_explicit":[{"time":"2026-03-02T10:00:30","time_fmt":"%Y-%m-%dT%H:%M:%S"}]}})
c("skip explicit far", {"j":{"function":P,"seconds":10,"skip_explicit":[{"time":"2026-03-02T12:00:30","time_fmt":"%Y-%m-%dT%H:%M:%S"}]}})
c("skip explicit past", {"j":{"function":P,"seconds":10,"skip_explicit":[{"time":"2026-03-02T08:00:30","time_fmt":"%Y-%m-%dT%H:%M:%S"}]}})
c("run explicit", {"j":{"function":P,"hours":1,"run_explicit":[{"time":"2026-03-02T10:00:25","time_fmt":"%Y-%m-%dT%H:%M:%S"}]}}, seconds=7300)
c("run explicit several", {"j":{"function":P,"hours":1,"run_explicit":[{"time":"2026-03-02T10:00:25","time_fmt":"%Y-%m-%dT%H:%M:%S"},{"time":"2026-03-02T10:00:45","time_fmt":"%Y-%m-%dT%H:%M:%S"}]}}, seconds=7300)
c("until", {"j":{"function":P,"seconds":10,"until":"2026-03-02T10:00:35"}})
c("after", {"j":{"function":P,"seconds":10,"after":"2026-03-02T10:00:35"}})
c("after and until", {"j":{"function":P,"seconds":10,"after":"2026-03-02T10:00:15","until":"2026-03-02T10:00:45"}})
c("range and until", {"j":{"function":P,"seconds":10,"range":{"start":"8:00am","end":"9:00am"},"until":"2026-03-02T10:00:35"}})
c("cron until", {"j":{"function":P,"cron":"* * * * *","until":"2026-03-02T10:02:30"}}, seconds=400)
c("when and cron", {"j":{"function":P,"when":"10:00:10am","cron":"* * * * *"},"k":{"function":P,"seconds":20}})
c("seconds and cron", {"j":{"function":P,"seconds":10,"cron":"* * * * *"}}, seconds=130)
c("seconds and once", {"j":{"function":P,"seconds":10,"once":"2026-03-02T10:00:25"}})
c("no time", {"j":{"function":P}})
c("missing function", {"j":{"function":"no.such","seconds":10}})
c("pillar and config", {"j":{"function":P,"seconds":20}}, pillar={"schedule":{"p":{"function":"test.true","seconds":15},"j":{"function":"test.false","seconds":5}}})
c("disable and enable", {"j":{"function":P,"seconds":10}}, ops=[dict(at=15,do="disable_job",args=["j"]),dict(at=42,do="enable_job",args=["j"])], look=[20,45])
c("disable and enable all", {"j":{"function":P,"seconds":10}}, ops=[dict(at=15,do="disable_schedule",args=[]),dict(at=42,do="enable_schedule",args=[])], look=[20,45])
c("add", {}, ops=[dict(at=15,do="add_job",args=[{"n":{"function":P,"seconds":10}}])], look=[15,26])
c("modify", {"j":{"function":P,"seconds":10}}, ops=[dict(at=15,do="modify_job",args=["j",{"function":"test.true","seconds":20}])], look=[16])
c("delete", {"j":{"function":P,"seconds":10}}, ops=[dict(at=25,do="delete_job",args=["j"])])
c("run job", {"j":{"function":P,"seconds":100}}, ops=[dict(at=25,do="run_job",args=["j"])], look=[26])
c("postpone", {"j":{"function":P,"seconds":10}}, ops=[dict(at=12,do="postpone_job",args=["j",{"time":"2026-03-02T10:00:20","new_time":"2026-03-02T10:00:27"}])], look=[15])
c("skip job", {"j":{"function":P,"seconds":10}}, ops=[dict(at=12,do="skip_job",args=["j",{"time":"2026-03-02T10:00:30"}])], look=[15])
c("reload", {"j":{"function":P,"seconds":10}}, ops=[dict(at=25,do="reload",args=[{"schedule":{"k":{"function":P,"seconds":5}}}])])

# As people write them.
D = 86400
c("highstate each hour", {"highstate":{"function":"test.true","minutes":60}}, seconds=3*3600, step=60)
c("job with args and kwargs", {"job1":{"function":P,"seconds":30,"args":["httpd"],"kwargs":{"test":True}}})
c("hours and splay", {"job1":{"function":P,"seconds":20,"splay":15}}, seconds=120)
c("splay of start and end", {"job1":{"function":P,"seconds":20,"splay":{"start":10,"end":15}}}, seconds=120)
c("splay zero", {"j":{"function":P,"seconds":20,"splay":0}})
c("splay text", {"j":{"function":P,"seconds":20,"splay":"5"}})
c("range at night", {"job1":{"function":P,"seconds":1800,"range":{"start":"11:00am","end":"1:00pm"}}}, seconds=4*3600, step=60)
c("range turned round", {"job1":{"function":P,"seconds":1800,"range":{"invert":True,"start":"11:00am","end":"12:00pm"}}}, seconds=3*3600, step=60)
c("range with dates", {"job1":{"function":P,"seconds":600,"range":{"start":"3/2/2026 10:30am","end":"3/2/2026 11:00am"}}}, seconds=2*3600, step=60)
c("range of 24 hours", {"job1":{"function":P,"seconds":600,"range":{"start":"8:00","end":"17:00"}}}, seconds=2*3600, step=60)
c("range over midnight", {"job1":{"function":P,"seconds":600,"range":{"start":"10:00pm","end":"6:00am"}}}, seconds=2*3600, step=60)
c("range without an end", {"job1":{"function":P,"seconds":20,"range":{"start":"8:00am"}}})
c("skip during range and run after", {"job1":{"function":P,"seconds":600,"skip_during_range":{"start":"10:15am","end":"10:55am"},"run_after_skip_range":True}}, seconds=2*3600, step=30)
c("skip during range with cron", {"job1":{"function":P,"cron":"*/15 * * * *","skip_during_range":{"start":"10:20am","end":"10:50am"}}}, seconds=2*3600, step=30)
c("global skip range and run after", {"skip_during_range":{"start":"10:05am","end":"10:10am"},"job1":{"function":P,"seconds":120,"run_after_skip_range":True}}, seconds=1200, step=10)
c("own skip range before the global one", {"skip_during_range":{"start":"10:00am","end":"10:30am"},"job1":{"function":P,"seconds":120,"skip_during_range":{"start":"11:00am","end":"11:30am"}}}, seconds=600, step=10)
c("when a time of the day", {"job1":{"function":P,"when":"10:01am"}}, seconds=180)
c("when 24 hours", {"job1":{"function":P,"when":"10:01"}}, seconds=180)
c("when with a date", {"job1":{"function":P,"when":"2026-03-02 10:00:40"}}, seconds=90)
c("when ISO", {"job1":{"function":P,"when":"2026-03-02T10:00:40"}}, seconds=90)
c("when American", {"job1":{"function":P,"when":"03/02/2026 10:00:40 AM"}}, seconds=90)
c("when words", {"job1":{"function":P,"when":"March 2, 2026 10:00:40am"}}, seconds=90)
c("when several days", {"job1":{"function":P,"when":["Monday 10:10am","Tuesday 10:10am"]}}, seconds=2*D, step=60)
c("when past and to come", {"job1":{"function":P,"when":["9:00am","10:00:40am"]}}, seconds=90)
c("when an empty list", {"job1":{"function":P,"when":[]}})
c("when null", {"job1":{"function":P,"when":None}})
c("when of pillar in a list", {"job1":{"function":P,"when":["lunch","tea time"]}}, pillar={"whens":{"lunch":"10:00:10am","tea time":"10:00:30am"}})
c("when of grains and pillar", {"job1":{"function":P,"when":"tea"}}, pillar={"whens":{"tea":"10:00:10am"}}, grains={"whens":{"tea":"10:00:30am"}})
c("when with a range", {"job1":{"function":P,"when":["10:00:10am","10:00:40am"],"range":{"start":"10:00:00am","end":"10:00:20am"}}})
c("when until", {"job1":{"function":P,"when":["10:00:10am","10:00:40am"],"until":"2026-03-02T10:00:30"}})
c("when after", {"job1":{"function":P,"when":["10:00:10am","10:00:40am"],"after":"2026-03-02T10:00:30"}})
c("cron each minute", {"job1":{"function":P,"cron":"* * * * *"}}, seconds=200)
c("cron of names", {"job1":{"function":P,"cron":"15 10 * mar mon"}}, seconds=2*D, step=60)
c("cron ranges and lists", {"job1":{"function":P,"cron":"0-10/5,30 10,11 * * 1-5"}}, seconds=2*3600, step=60)
c("cron Sunday as 7", {"job1":{"function":P,"cron":"0 12 * * 7"}}, seconds=7*D, step=600)
c("cron Sunday as 0", {"job1":{"function":P,"cron":"0 12 * * 0"}}, seconds=7*D, step=600)
c("cron day of month or of week", {"job1":{"function":P,"cron":"0 12 5 * 3"}}, seconds=7*D, step=600)
c("cron daily", {"job1":{"function":P,"cron":"@daily"}}, seconds=2*D, step=600)
c("cron weekly", {"job1":{"function":P,"cron":"@weekly"}}, seconds=8*D, step=600)
c("cron range", {"job1":{"function":P,"cron":"*/10 * * * *","range":{"start":"10:15am","end":"10:45am"}}}, seconds=3600, step=30)
c("cron after", {"job1":{"function":P,"cron":"* * * * *","after":"2026-03-02T10:02:30"}}, seconds=300)
c("cron with four fields", {"job1":{"function":P,"cron":"* * * *"}})
c("cron a number", {"job1":{"function":P,"cron":5}})
c("cron null", {"job1":{"function":P,"cron":None}})
c("once of its own format", {"job1":{"function":P,"once":"02.03.2026 10:00:30","once_fmt":"%d.%m.%Y %H:%M:%S"}})
c("once of another format", {"job1":{"function":P,"once":"02.03.2026 10:00:30"}})
c("run_on_start with cron", {"job1":{"function":P,"cron":"0 12 * * *","run_on_start":True}})
c("run_on_start with when", {"job1":{"function":P,"when":"12:00pm","run_on_start":True}})
c("run_on_start disabled", {"job1":{"function":P,"seconds":20,"run_on_start":True,"enabled":False}})
c("run_on_start and splay", {"job1":{"function":P,"seconds":20,"run_on_start":True,"splay":5}})
c("run_on_start out of range", {"job1":{"function":P,"seconds":20,"run_on_start":True,"range":{"start":"8:00am","end":"9:00am"}}})
c("until of words", {"job1":{"function":P,"seconds":15,"until":"12/31/2026 11:59pm"}})
c("until past", {"job1":{"function":P,"seconds":15,"until":"2020-01-01"}})
c("until bad", {"job1":{"function":P,"seconds":15,"until":"never"}})
c("after of words", {"job1":{"function":P,"seconds":15,"after":"12/31/2015 11:59pm"}})
c("after to come", {"job1":{"function":P,"seconds":15,"after":"12/31/2030 11:59pm"}})
c("after bad", {"job1":{"function":P,"seconds":15,"after":"sometime"}})
c("jid_include false", {"job1":{"function":P,"seconds":15,"jid_include":False}})
c("maxrunning zero", {"job1":{"function":P,"seconds":15,"maxrunning":0}})
c("maxrunning many", {"job1":{"function":P,"seconds":15,"maxrunning":10}}, running={"job1":3})
c("enabled text", {"job1":{"function":P,"seconds":15,"enabled":"False"}})
c("enabled null", {"job1":{"function":P,"seconds":15,"enabled":None}})
c("globally enabled", {"enabled":True,"job1":{"function":P,"seconds":15}})
c("fraction of seconds", {"job1":{"function":P,"seconds":15.5}})
c("negative seconds", {"job1":{"function":P,"seconds":-15}}, seconds=5)
c("minutes text", {"job1":{"function":P,"minutes":"1"}}, seconds=130)
c("seconds and when", {"job1":{"function":P,"seconds":15,"when":"10:00:40am"}})
c("return fields", {"job1":{"function":P,"seconds":20,"returner":"smtp","return_config":"alt","return_kwargs":{"a":"b"},"metadata":{"x":1},"return_job":False}})
c("two of one function", {"job1":{"function":P,"seconds":20},"job2":{"function":P,"seconds":30}})
c("pillar disabled globally", {"j":{"function":P,"seconds":20}}, pillar={"schedule":{"enabled":False,"p":{"function":"test.true","seconds":15}}})
c("pillar splay", {"j":{"function":P,"seconds":20}}, pillar={"schedule":{"splay":5,"p":{"function":"test.true","seconds":15}}})
c("add twice", {"n":{"function":P,"seconds":20}}, ops=[dict(at=15,do="add_job",args=[{"n":{"function":"test.true","seconds":10}}])], look=[16])
c("modify what is not there", {}, ops=[dict(at=15,do="modify_job",args=["n",{"function":P,"seconds":10}])], look=[16])
c("run job disabled", {"j":{"function":P,"seconds":100,"enabled":False}}, ops=[dict(at=25,do="run_job",args=["j"])], look=[26])
c("enable job of the pillar", {}, pillar={"schedule":{"p":{"function":P,"seconds":15,"enabled":False}}}, ops=[dict(at=5,do="enable_job",args=["p"])])
c("delete job of the pillar", {}, pillar={"schedule":{"p":{"function":P,"seconds":15}}}, ops=[dict(at=5,do="delete_job",args=["p"])])
c("reload replaces", {"j":{"function":P,"seconds":20}}, ops=[dict(at=25,do="reload",args=[{"schedule":{"j":{"function":"test.true","seconds":10}}}])])


out = []
for case in C:
    opts = {"schedule": copy.deepcopy(case["schedule"]), "cachedir": os.path.join(root, "minion"), "sock_dir": os.path.join(root, "sock"),
            "loop_interval": case.get("step", 1), "__role": "minion", "pillar": copy.deepcopy(case.get("pillar", {})), "grains": copy.deepcopy(case.get("grains", {})), "id": "m", "transport": "zeromq", "conf_file": os.path.join(root, "conf/minion")}
    functions = {k: (lambda: True) for k in ("test.ping", "test.true", "test.false")}
    s = S.Schedule(opts, functions, returners={}, new_instance=True, utils={})
    runs = []
    def run(func, data, jid=None):
        runs.append([NOW.isoformat(), data["name"], func])
    s._run_job = run
    running = case.get("running", {})
    def check(func, data, opts, now):
        if data.get("run") and ("jid_include" not in data or data["jid_include"]) and running.get(data["name"], 0) > 0 and running[data["name"]] >= data.get("maxrunning", 1):
            data["_skip_reason"] = "maxrunning"; data["_skipped"] = True; data["_skipped_time"] = now; data["run"] = False
        return data
    s._check_max_running = check
    start = datetime.datetime.fromisoformat(case["start"])
    errors = []
    states = {}
    for i in range(0, case["seconds"] + 1, case.get("step", 1)):
        NOW = start + datetime.timedelta(seconds=i)
        for op in case.get("ops", []):
            if op["at"] == i:
                getattr(s, op["do"])(*copy.deepcopy(op["args"]), **({"fire_event": False} if op["do"] not in ("run_job", "reload") else {}), **({"persist": False} if op["do"] in ("delete_job","add_job","enable_job","disable_job","modify_job","enable_schedule","disable_schedule") else {}))
        try:
            s.eval(now=NOW)
        except Exception as e:
            errors.append(f"{type(e).__name__}: {e}")
        if i in case.get("look", []):
            states[str(i)] = iso(s._get_schedule())
    states[str(case["seconds"])] = iso(s._get_schedule())
    out.append({**case, "runs": runs, "states": states, **({"errors": sorted(set(errors))} if errors else {})})
json.dump(out, open(os.path.join(sys.argv[1], "runs.json"), "w"), indent=1)

warnings.simplefilter("ignore")
default = datetime.datetime(2026,3,2)
T = """2026-03-02T10:00:00
2026-03-02T10:00
2026-03-02 10:00:00.123456
2026-03-02 10:00:00,5
2026-03-02
2026/03/02
2026.03.02
20260302
20260302T101112
202603021011
20260302101112
2026-03
2026
3/2/2026
13/2/2026
3-2-2026
3.2.2026
3/2/26
3/2
2/13
13/2
31/12/99
12/31/69
1/2/3
10:30
10:30:15
10:30:15.5
10:30am
10:30 am
10:30 a.m.
10:30AM
10am
10 am
10pm
12am
12pm
12:30am
12:30pm
13pm
0am
24:00
25:00
10:60
10:30:60
5:00pm
5:00 PM
1:40pm
Monday
Mon
monday 5:00pm
Monday 5:00pm
Tuesday 3:00pm
tue 15:00
Tues 3pm
Thursday 3:00pm
Thurs 3pm
Thu
5pm Friday
Friday, 5pm
Sunday
Mar 5
March 5
5 March
5 Mar 2026
Mar 5 2026
Mar 5, 2026
Mar 5, 2026 5pm
March 5 2026 17:00
5th March 2026
March 5th
1st of April
3rd of May 2001
Sept 3
Sep 3
Thu Sep 25 10:36:28 2003
Thu, 25 Sep 2003 10:49:41
Thu Sep 25 2003
25 Sep
Sep 2003
Sep
2003 Sep
10h36m28.5s
10h36m
10h
36 m 5
36m
10 h 36
28s
10 hours
5 minutes
at 5pm
today
tomorrow
noon
midnight
now

   
5
31
32
0
12
99
101
1011
2026-02-30
2/30/2026
2026-13-01
13/13/2026
2026-03-02T10:00:00Z
2026-03-02T10:00:00+01:00
2026-03-02T10:00:00+0100
2026-03-02T10:00:00-05
2026-03-02 10:00 UTC
2026-03-02 10:00 GMT
2026-03-02 10:00 EST
10am UTC
no time
tea time
every day
foo
5:00pm foo
foo 5:00pm
11/29/2017 4:00pm
11/29/2017 16:00
11/29/2017 16:00:30
11/29/2017 5:00:05 PM
29 Nov 2017 4pm
Nov 29 2017 4:00pm
Wed Nov 29 2017 4:00pm
2017-11-29 4pm
2017-11-29T04:00:00pm
1500000000
1.5
10.30
10.30.2026
10,30
5:
:5
5:5
5:5:5
1:2:3:4
Monday Tuesday
Mar Apr
am
pm
5 am pm
10:30 am pm
5:00 pm Monday March 2 2026
Mon Mar 2 17:00:00 2026
Jan 31
Feb 29
Feb 29 2024
31 Jan 2026 11:59pm
2026-W10
2026-061
2026-03-02 24:00
1/1/1
99/1/1
1999-1-1
1-Jan-2026
01-Jan-26
Jan-01-2026
2026-Jan-01
2 Mar '26
'26 Mar 2
Mar 2 '99
17:00 on Monday
Monday at 17:00
Monday, March 2nd 2026
the 5th
next Monday
5:00p
5:00a
5a
5p
noon 5pm
T10:00
10:00:00T
1 2 3
1 2 3 4
2026 3 2
2 2026 3
3 2 2026 10 30
20260302 10:00
20260302 1000
260302
260302T1000
10:00-11:00
5pm-6pm
-5
+5
5:00pm +01:00
Monday -1
Ⅷ
१०:३०
9am EDT
2026-03-02t10:00:00
2026-03-02T10
2026-03-02T1011
2026-03-02T101112.5
12/25
Dec 25 8:00am
25/12/2026 08:00
8:00
08:00
0800
800
8
""".split("\n")[:-1]
out=[]
for t in T:
    try:
        d=real_parse(t, default=default)
        out.append({"text":t,"time":d.isoformat()})
    except Exception as e:
        out.append({"text":t,"error":type(e).__name__})
json.dump(out, open(os.path.join(sys.argv[1], "dates.json"),"w"), indent=0, ensure_ascii=True)
