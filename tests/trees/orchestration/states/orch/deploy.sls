{% set release = salt['pillar.get']('release', {}) %}
{% set hosts = release.get('hosts', []) %}
{% if not hosts %}
no-hosts:
  test.fail_without_changes:
    - failhard: True
{% endif %}
{% for step in release.get('steps', []) %}
{{ loop.index }}-{{ step.name }}:
{% if 'fun' in step %}
  salt.function:
    - name: {{ step.fun }}
    - tgt: {{ hosts | json }}
    - tgt_type: list
    - kwarg: {release: {{ release.version }}}
{% else %}
  salt.state:
    - tgt: {{ step.tgt | yaml_encode }}
    - tgt_type: {{ 'compound' if '@' in step.tgt else 'glob' }}
    - sls: {{ step.sls | json }}
    - pillar: {{ {'release': {'version': release.version + 1}} | json }}
    - batch: 1
    - queue: True
{% endif %}
{% if not loop.first %}
    - require:
      - salt: {{ loop.index - 1 }}-{{ release.steps[loop.index - 2].name }}
{% endif %}
{% if loop.last %}
    - onfail_in:
      - salt: roll-back
{% endif %}
{% endfor %}
wait-for-hosts:
  salt.wait_for_event:
    - name: release/*/done
    - id_list: {{ hosts }}
    - timeout: 10
    - onfail: [{salt: 3-start}]
roll-back:
  salt.runner:
    - name: state.orchestrate
    - mods: orch.back
    - onfail_any: [{salt: 2-migrate}]
keys:
  salt.wheel:
    - name: key.list_all
    - watch: [{salt: 3-start}]
in-parallel:
  salt.parallel_runners:
    - runners:
        one: [{name: jobs.active}]
        two: [{name: manage.up, timeout: 1}]
