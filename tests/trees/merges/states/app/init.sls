{% import_yaml 'app/defaults.yaml' as defaults %}
{% set first = salt['defaults.merge'](defaults.app, {'nested': {'a': {'w': 2}}, 'list': [1]}, merge_lists=True, in_place=False) %}
{% set second = salt['slsutil.merge'](defaults.app, pillar.app, strategy='recurse', merge_lists=True) %}
{% set third = salt['slsutil.merge_all']([{'a': {'b': 1}}, {'a': {'c': [1]}}, {'a': {'c': [2]}}]) %}
{% do defaults.app.nested.update({'c': 3}) %}
{% set update = salt['slsutil.update']({'q': {'r': 1}}, {'q': {'s': 2}}) %}
{% for name, value in [('first', first), ('second', second), ('third', third), ('update', update), ('defaults', defaults), ('get', salt['defaults.get']('port')), ('deep', salt['defaults.deepcopy'](third))] %}
app-{{ name }}:
  file.serialize:
    - name: {{ opts.cachedir }}/out/{{ name }}
    - dataset: {{ value | json }}
    - serializer: {{ ['yaml', 'json'][loop.index0 % 2] }}
    - makedirs: True
app-{{ name }}-text:
  file.managed:
    - name: {{ opts.cachedir }}/out/{{ name }}.txt
    - contents: |
        {{ value | yaml(False) | indent(8) }}
        {{ value | python | indent(8) }}
        {{ value }}
    - require: [{file: app-{{ name }}}]
{% endfor %}
