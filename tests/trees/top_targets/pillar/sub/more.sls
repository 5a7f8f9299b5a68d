level: {{ level }}
name: {{ sls }}
