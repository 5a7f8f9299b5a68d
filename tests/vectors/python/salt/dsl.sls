#!pydsl
include("kv")
state("A").test("nop")
state("B").test.nop().require(test="A")
state("/tmp/brine-no-such").file.managed(mode="0644", source="salt://data.py")
for n in range(2):
    state("loop%d" % n).cmd.run("echo %d" % n, cwd="/")
state("G").test.configurable_test_state("named", changes=False, comment=__grains__["os"] + __salt__["test.echo"]("z"))
