{%- set list = [3, 1, 2] %}
{%- macro state(name, args={}) %}
check-{{ name }}:
  test.nop:
    - args: {{ args | json(sort_keys=False) }}
    - caller: {{ caller() if caller is defined else 'none' }}
{%- endmacro %}
{{ state('plain') }}
{% call state('called', {'b': 1, 'a': list | sort}) %}by caller{% endcall %}
{% for letter in 'abc' recursive %}{% if not loop.first %}
check-letter-{{ letter }}-{{ loop.previtem }}: test.nop
{% endif %}{% endfor %}
check-salt:
  test.nop:
    - echo: {{ salt['test.echo']('x') }}
    - module: {{ salt.test.arg_repr is defined }}
    - missing: {{ 'no.such' in salt }}
    - names_: {{ [tplpath is defined, tplfile, tpldir, tpldot, slspath, sls_path, slsdotpath, slscolonpath, sls, saltenv] | json }}
    - config: {{ salt['config.get']('no:such', 'fallback') }}
    - traverse: {{ pillar | traverse('web:sites', {}) | length }}
