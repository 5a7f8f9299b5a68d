#!yaml
rows: [{name: b, n: 2}, {name: a, n: 1}, {name: c, n: 2}]
unicode: "Grüße – 日本"
markup: "<a href='x'>&</a>"
