"""The elements of the syntax: variables, functions, calls, let bindings, tuples, types."""

import xrelay
from xrelay import relay

# A function.
function = relay.parse_expr("""
fn (%x: Tensor[(1, 3, 224, 224), float32]) -> Tensor[(1, 3, 224, 224), float32] {
  nn.relu(%x)
}
""")
print(function)

# A call and a let binding; %x and %y are declared, as they stand outside.
let = relay.parse_expr("""
free_var %x: Tensor[(2), float32];
free_var %y: Tensor[(2), float32];
let %z = @add(%x, %y);
%z
""")
print(let)
x, y = relay.analysis.free_vars(let)
value = relay.create_executor("debug").evaluate(
    let, {x: relay.const([1.0, 2.0]), y: relay.const([10.0, 20.0])}
)
print(value)

# A tuple.
print(relay.create_executor("debug").evaluate(relay.parse_expr("(1, 2, 3)")))

# A type that does not fit is found before anything runs.
try:
    relay.fromtext("""v0.0
def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) {
  add(%x, %y)
}
""")
except xrelay.XRelayError as error:
    print(error)
