"""Trees of other libraries as models. Each library has one module, which gives its nodes to `build`; `read` finds the
module and checks what comes out."""
