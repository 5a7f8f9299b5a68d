{% set out = opts.cachedir ~ '/out' %}
dir:
  file.directory: [{name: {{ out }}/d, dir_mode: 750, makedirs: true}]
recurse:
  file.recurse:
    - name: {{ out }}/r
    - source: salt://files/src
    - include_pat: 'E@\.(txt|j2)$'
    - exclude_pat: '*skip*'
    - file_mode: keep
    - dir_mode: '0700'
    - template: jinja
    - context: {word: hello}
    - require: [{file: dir}]
managed:
  file.managed:
    - names:
      - {{ out }}/d/one: [{source: 'salt://files/src/a.txt'}]
      - {{ out }}/d/two: [{contents: [l1, l2]}]
      - {{ out }}/d/three: [{contents_pillar: 'text'}]
    - mode: 600
other-env:
  file.managed:
    - name: {{ out }}/d/env
    - source: salt://only_dev.txt?saltenv=dev
    - source_hash: sha256=bf573149b23303cac63c2a359b53760d919770c5d070047e76de42e2184f1046
shadowed:
  file.managed: [{name: {{ out }}/d/shadow, source: 'salt://files/shadow.txt'}]
replaced:
  file.replace: [{name: {{ out }}/d/two, pattern: '^l(\d)$', repl: 'line \1', append_if_not_found: true}]
line:
  file.line: [{name: {{ out }}/d/two, content: between, mode: insert, after: line 1}]
block:
  file.blockreplace: [{name: {{ out }}/d/two, marker_start: '# >', marker_end: '# <', content: "in\nside", append_if_not_found: true, backup: false}]
prepend:
  file.prepend: [{name: {{ out }}/d/two, text: [head]}]
comment:
  file.comment: [{name: {{ out }}/d/two, regex: ^line}]
keyvalue:
  file.keyvalue: [{name: {{ out }}/d/kv, key_values: {A: 1, B: two}, separator: '=', append_if_not_found: true}]
link:
  file.symlink: [{name: {{ out }}/link, target: {{ out }}/d/one}]
hard:
  file.hardlink: [{name: {{ out }}/hard, target: {{ out }}/d/one}]
touch:
  file.exists: [{name: {{ out }}/d/none}]
missing:
  file.missing: [{name: {{ out }}/d/none}]
copy:
  file.copy: [{name: {{ out }}/copy, source: {{ out }}/d/one, preserve: true}]
ini:
  ini.options_present: [{name: {{ out }}/x.ini, sections: {s: {k: v, n: 3}}, separator: '='}]
serialize:
  file.serialize: [{name: {{ out }}/s.yaml, dataset: {b: [1, {c: null}], a: "x: y"}, formatter: yaml}]
nosource:
  file.managed: [{name: {{ out }}/d/nosource, source: 'salt://files/none'}]
gone:
  file.absent: [{name: {{ out }}/copy, require: [{file: copy}]}]
