base:
  '*':
    - common
  'web*':
    - web
  'G@roles:db or L@db1.example.com,db2.example.com':
    - match: compound
    - db
  'roles:front':
    - match: grain
    - front
  'N@fronts and not db*':
    - match: compound
    - order: 1
    - grouped
  fronts:
    - match: nodegroup
    - grouped2
  'web1.example.com,web2.example.com':
    - match: list
    - listed
  'web[0-9]\.(example|dev)':
    - match: pcre
    - regexed
  'tier:front':
    - match: pillar
    - tiered
  'os_family:(?i)redhat':
    - match: grain_pcre
    - redhat
dev:
  'web2*':
    - devonly
    - common
