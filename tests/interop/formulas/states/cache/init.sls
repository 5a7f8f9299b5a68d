cache-size: {test.nop: [{name: "{{ (salt['pillar.get']('cache:megabytes', 64) * 1024 * 1024) // 2 }}"}]}
cache-config:
  file.blockreplace:
    - name: {{ pillar.sandbox }}/etc/cache.conf
    - marker_start: '# start'
    - marker_end: '# end'
    - content: |
        size {{ pillar.cache.megabytes | default(64) }}
        {%- raw %}
        template {{ not_rendered }}
        {%- endraw %}
    - append_if_not_found: True
    - require:
      - file: cache-file
cache-file:
  file.touch:
    - name: {{ pillar.sandbox }}/etc/cache.conf
    - makedirs: True
