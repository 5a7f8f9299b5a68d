include: [nowhere, broken.yaml]
x: test.nop
