#!pydsl
__pydsl__.set(ordered=True)
include("kv", delayed=True)
state("X").cmd.run("echo x")
state("Y").cmd.run("echo y").watch(cmd="X")
