{%- set snippets = {'10-path': 'PATH=$PATH:/opt/bin', '20-umask': 'umask 027', '30-editor': 'EDITOR=vi'} %}
{%- for name, line in snippets.items() | sort(reverse=true) %}
profile-{{ name }}:
  file.managed:
    - name: {{ pillar.sandbox }}/etc/profile.d/{{ name }}.sh
    - contents:
      - '# {{ sls }} {{ loop.index }} of {{ loop.length }}'
      - {{ line | yaml_dquote }}
    - makedirs: True
    {%- if not loop.last %}
    - require_in: [{file: profile-{{ snippets.keys() | list | last if loop.first else '10-path' }}}]
    {%- endif %}
{% endfor %}
