{% from './macros.jinja' import line, wrapped as wrap, constant with context %}
{% import './macros.jinja' as macros %}
{% import_yaml tpldir ~ '/part.yaml' as part %}
{% import_json 'text/data.json' as data %}
{% import_text 'text/data.json' as raw -%}
{% set ns = namespace(total=0) %}
{% for row in pillar.rows | sort(attribute='name') %}
{%- set ns.total = ns.total + row.n %}
{{ loop.cycle('odd', 'even') }}-{{ row.name }}:
  test.nop:
    - name: {{ line(row.name, row.n, loop.first, loop.last, previous=(loop.previtem | default({'name': '-'})).name) | yaml_dquote }}
{% endfor %}
groups:
  test.show_notification:
    - text: |
        {% for n, rows in pillar.rows | groupby('n') %}{{ n }}={{ rows | map(attribute='name') | join('+') }} {% endfor %}
        {{ ns.total }} {{ constant }} {{ macros.constant }} {{ part.a[-1] }} {{ data.k }} {{ raw | length }}
        {% call(x) wrap() %}{{ x * 3 }}{% endcall %}
        {{ pillar.unicode | upper }} {{ pillar.unicode | length }} {{ pillar.markup | e }}
        {{ '%05.2f|%-5s|%x' | format(3.14159, 'ab', 255) }} {{ '{0:>5}|{1!r}'.format('x', 'y') }}
        {{ [1, 2, 3, 4, 5] | batch(2) | list }} {{ [3, 1] | sort(reverse=true) }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }}
        {{ 'a,b;c' | regex_replace('[,;]', '-') }} {{ 'ab12' | regex_search('([a-z]+)(\d+)') }} {{ 'x' is match('x') }}
        {{ 7 // 2 }} {{ 7 % 3 }} {{ 2 ** 10 }} {{ 1 / 3 }} {{ 10 | int // 4 }} {{ 'yes' | to_bool }} {{ none is none }}
        {{ 'text' | sha256 }} {{ 'text' | base64_encode }} {{ [1, [2, [3]]] | flatten }} {{ [1, 2, 2] | unique }}
        {{ '10.0.0.1/24' | ipaddr }} {{ '2001:db8::1' | is_ipv6 }} {{ 'a b' | quote }} {{ [1, 2] | union([2, 3]) }}
        {% raw %}{{ raw }}{% endraw %} {{ "tr" ~ "im   " | trim ~ "!" }} {{ 'abc'[::-1] }} {{ (1, 2) }} {{ true and 'x' or 'y' }}
        {%- filter upper %} filtered {{ sls }} {{ slspath }} {{ tplfile }} {{ tplroot | default('-') }}{% endfilter %}
        {% with a = 1, b = 2 %}{{ a + b }}{% endwith %} {% set block %}block {{ 1 }}{% endset %}{{ block }}
        {{ salt['test.echo']('x') }} {{ salt.test.arg(1, a=2) | json }} {{ salt['cmd.run']('printf "%s" "a  b"') }}
        {{ grains | length > 5 }} {{ opts.id }} {{ saltenv }} {{ '' | default('d', true) }} {{ nothing is defined }}
        %% no line statement in an SLS
file:
  file.managed:
    - name: {{ opts.cachedir }}/out/text.txt
    - source: salt://text/files/text.jinja
    - template: jinja
    - makedirs: True
    - context: {sls: overridden, list: [1, {a: b}], none: null, flag: true, number: 1.50}
    - defaults: {other: "{{ id | default('no id') }}"}
