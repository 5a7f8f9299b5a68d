#!jinja|shopini
[{{ grains.planet }}]
state = test.show_notification
text = from {{ opts.id }}
