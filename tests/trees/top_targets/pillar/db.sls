deep: {a: {b: db, d: {{ pillar is defined }}}}
