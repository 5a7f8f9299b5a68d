{% set queues = salt['pillar.get']('queues', ['mail', 'jobs']) %}
queue-directories:
  file.directory:
    - names:
      {% for queue in queues %}
      - {{ pillar.sandbox }}/var/queue/{{ queue }}{% if queue == 'jobs' %}:
        - mode: '0770'{% endif %}
      {% endfor %}
    - makedirs: True
{% if 'mail' in queues %}
include:
  - .mail
{% endif %}
