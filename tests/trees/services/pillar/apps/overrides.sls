apps:
  api: {port: 9000, env: {EXTRA: '1'}}
