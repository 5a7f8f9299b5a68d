include:
  - .grains
  - .variables
