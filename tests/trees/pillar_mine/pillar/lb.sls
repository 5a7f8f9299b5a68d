lb:
  backends: {{ salt.mine.get('*', ['address', 'test.arg']) | tojson }}
  first: {{ (salt['mine.get']('*', 'address').values() | list | first) | default('nobody', true) }}
