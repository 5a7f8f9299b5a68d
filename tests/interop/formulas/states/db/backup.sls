{% set targets = salt['pillar.get']('db:backup:targets', ['local']) %}
{% for target in targets %}
db-backup-{{ target }}:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/backup/{{ target }}.yaml
    - makedirs: True
    - contents: |
        {{ {'target': target, 'keep': 3, 'databases': salt['pillar.get']('db:databases', [])} | yaml(False) | indent(8) }}
  {%- if pillar.get('system') %}
  cron.present:
    - identifier: db-backup-{{ target }}
    - user: root
    - name: /bin/true {{ target }}
    - minute: {{ loop.index * 7 }}
    - hour: 3
  {%- endif %}
{% endfor %}
