#!jinja|yaml
tier: {{ {'web': 'front', 'db': 'back'}.get(grains.id[:3] | replace('1', ''), 'other') }}
list: [1, 2]
deep: {a: {b: common}}
