plain: {__: overwrite, a: 1}
app:
  limits: {cpu: {cores: 2}}
