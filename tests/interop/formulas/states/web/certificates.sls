{%- set hosts = salt['pillar.get']('web:sites', {}).keys() | list %}
{%- for host in hosts | sort %}
web-certificate-{{ host }}:
  cmd.run:
    - name: echo certificate of {{ host }} > {{ pillar.sandbox }}/etc/{{ host }}.pem
    - creates: {{ pillar.sandbox }}/etc/{{ host }}.pem
    - umask: '077'
{%- endfor %}
web-certificates: {test.nop: [order: 20000]}
