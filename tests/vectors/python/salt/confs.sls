#!stateconf yaml . jinja
include:
  - kv

.params:
  stateconf.set:
    - color: red
    - size: 3

# --- end of state config ---

.first:
  test.configurable_test_state:
    - name: {{ params.color }}-{{ params.size }}
    - changes: False

.second:
  test.nop:
    - require:
      - test: .first
