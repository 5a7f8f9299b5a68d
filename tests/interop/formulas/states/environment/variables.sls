{% set ns = namespace(count=0) %}
{% for key, value in salt['pillar.get']('environment', {'LANG': 'C.UTF-8'}).items() %}
{% set ns.count = ns.count + 1 %}
variable-{{ key }}:
  environ.setenv:
    - name: {{ key }}
    - value: {{ value | yaml_encode }}
    - update_minion: {{ ns.count is odd }}
{% endfor %}
variables-counted:
  test.show_notification:
    - text: "{{ ns.count }} variables"
