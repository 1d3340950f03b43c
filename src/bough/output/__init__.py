"""What a model looks like elsewhere: one module for each form."""
