include: [checks.names]
check-names: test.nop
