#!pyobjects
include("kv")
from salt://objects_map.sls import Shelf
with Test.nop("first"):
    Test.nop("second", name="n2")
for user in ("a", "b"):
    Cmd.run("echo " + user, cwd="/", unless="false")
File.managed("/tmp/brine-no-such", mode="0644", source="salt://data.py", require=Test("first"))
Test.configurable_test_state("g", changes=False, comment=grains("os") + salt.test.echo("q") + str(pillar("none", "default")))
Test.nop(Shelf.server)
