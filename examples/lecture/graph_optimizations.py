"""Constant folding, common subexpressions, dead code."""

import xrelay
from xrelay import relay
from xrelay.relay import transform

mod = relay.fromtext("""v0.0
def @main(%x: int32) -> int32 {
  let %unused = multiply(%x, %x);
  %0 = 1 + 2 * 3;
  %1 = subtract(%x, %0);
  %2 = subtract(%x, %0);
  %1 * %2
}
""")

optimize = xrelay.transform.Sequential(
    [
        transform.FoldConstant(),
        transform.EliminateCommonSubexpr(),
        transform.DeadCodeElimination(),
    ]
)
with xrelay.transform.PassContext(opt_level=3):
    mod = optimize(mod)

print(mod.astext(show_meta_data=False))
print(relay.create_executor("graph", mod).evaluate()(10))
