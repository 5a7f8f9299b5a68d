include:
  - sub.more:
      defaults: {level: 3}
      key: included:here
  - common
deep: {a: {c: web}}
list: [3]
