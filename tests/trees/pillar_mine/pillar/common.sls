{% set addresses = salt['mine.get']('*', 'address') %}
hosts:
{% for id, address in addresses | dictsort %}
  {{ id }}: {{ address }}
{% else %}
  none: true
{% endfor %}
self: {{ salt['mine.get'](grains.id, 'test.ping') | json }}
