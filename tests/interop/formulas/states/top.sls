{%- set extra = salt['pillar.get']('extra_states', []) %}
base:
  '*':
    - common
    - ssh
    - logrotate
    - hosts
    - environment
  'G@roles:web and not E@^db':
    - web
    - web.vhosts
    - app
  'roles:db':
    - match: grain
    - db
    - db.backup
  'kernel:Linux':
    - match: grain
    - order: 5
    - monitoring
  'stage:test':
    - match: pillar
    - queue
    - cache
    - checks.*
  'nobody*':
    - never
{%- if extra %}
  '{{ grains.id }}':
    - match: list
  {%- for name in extra %}
    - {{ name }}
  {%- endfor %}
{%- endif %}
dev:
  '*':
    - tools
