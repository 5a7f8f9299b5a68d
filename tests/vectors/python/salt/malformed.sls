unmapped:
  shopfails.no_map: []
changes:
  shopfails.bad_changes: []
