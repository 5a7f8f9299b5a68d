refused:
  shopfails.says_no: []
raising:
  shopfails.raises: []
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
