include: [no.such, .init]
