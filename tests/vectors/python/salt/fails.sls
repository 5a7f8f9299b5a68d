refused:
  shopfails.says_no: []
raising:
  shopfails.raises: []
unmapped:
  shopfails.no_map: []
changes:
  shopfails.bad_changes: []
absent:
  shopabsent.f: []
missing:
  shopfile.no_such: []
needs:
  test.nop:
    - require:
      - shopfails: refused
onfail:
  test.nop:
    - onfail:
      - shopfails: refused
