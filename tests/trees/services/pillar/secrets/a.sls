secret_a: "x"
