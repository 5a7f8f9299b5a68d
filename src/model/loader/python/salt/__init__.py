"""Stand-in for the package of Salt, for custom modules on a host that has Brine and not Salt."""

#: Salt's own package has no such name.
BRINE = True
