"""Approximations of float32 functions, one file a family, written once for scalars and vectors.

`@expands(math.ExpOp)` registers `(x: Value) -> Value`. The frequent ones compute in float32; the others in float64,
whose 29 more bits make any sound formula right to the last bit of a float32 but for rare double roundings. Docstrings
give the largest error in ulp (units in the last place of the exact result).
"""
