include: [apps]
extend:
  api-env:
    file: [{name: {{ opts.cachedir }}/out/elsewhere}, {require: [{test: clean-first}]}]
clean-first:
  test.succeed_with_changes: []
