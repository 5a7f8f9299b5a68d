{% set out = opts.cachedir ~ '/out' %}
change:
  file.managed: [{name: {{ out }}/d/one, contents: "other\nlines\n", mode: 644, backup: minion}]
rename:
  file.rename: [{name: {{ out }}/renamed, source: {{ out }}/link}]
clean:
  file.directory: [{name: {{ out }}/d, clean: true, require: [{file: change}]}]
tidy:
  file.absent: [{name: {{ out }}/r}]
