"""Operators on images."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from xrelay.dialects.relay.attributes import BOOL, DTYPE, FLOAT, FLOATS, INTS, STR, attribute
from xrelay.dialects.relay.core import Fusion, FusionKind, RelayOp
from xrelay.dialects.relay.types import as_tensor, is_bool, shape_of, tensor_type

METHODS = ("nearest_neighbor", "linear", "cubic")
COORDINATE_MODES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "half_pixel_symmetric",
    "tf_crop_and_resize",
)
ROUNDING_METHODS = ("", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@irdl_op_definition
class Resize2D(RelayOp):
    """An image at another `size` (height, width), by sampling the data at the place of every new pixel.

    `coordinate_transformation_mode` says where pixel x of the result lies in the data, an axis of n pixels there and m
    in the result, s = n / m:
      half_pixel            (x + 0.5) · s - 0.5
      pytorch_half_pixel    the same, 0 where m is 1
      half_pixel_symmetric  the same, moved so that the centres fall together where `scales` are not m / n
      tf_half_pixel_for_nn  (x + 0.5) · s
      align_corners         x · (n - 1) / (m - 1), 0 where m is 1
      asymmetric            x · s
      tf_crop_and_resize    from roi to roi, the borders (top, left, bottom, right) in units of n - 1;
                            outside the data stands extrapolation_value

    `scales` (height, width), if given, are taken for 1 / s: ONNX computes so when it is given scales.

    `method` is "nearest_neighbor" (rounded by `rounding_method`; "" is "round" for align_corners, else "floor"),
    "linear", or "cubic" with the coefficient `cubic_alpha`; `cubic_exclude` gives weight 0 to pixels outside. Otherwise
    the border pixel stands for pixels outside. "round" and "round_prefer_ceil" round halves up, "round_prefer_floor"
    down.

    Positions and weights are computed in float64. Integer results of linear and cubic are rounded to nearest even and
    clamped.

    C1: layout is "NCHW" or "NHWC", the rank is 4; size has two positive numbers.
    C2: method, coordinate_transformation_mode and rounding_method are among those above.
    C3: roi has four numbers for tf_crop_and_resize; scales, if given, are two positive numbers.
    C4: the data has pixels, and its elements are numbers.
    """

    name = "relay.image.resize2d"
    data = operand_def(TensorType)
    size = attribute(INTS)
    roi = attribute(FLOATS, None)
    layout = attribute(STR, "NCHW")
    method = attribute(STR, "linear")
    coordinate_transformation_mode = attribute(STR, "half_pixel")
    rounding_method = attribute(STR, "round")
    cubic_alpha = attribute(FLOAT, -0.5)
    cubic_exclude = attribute(BOOL, False)
    extrapolation_value = attribute(FLOAT, 0.0)
    out_dtype = attribute(DTYPE, None)
    scales = attribute(FLOATS, None)
    result = result_def(TensorType)
    traits = traits_def(Fusion(FusionKind.INJECTIVE))

    @classmethod
    def infer(cls, operands: Sequence[Attribute], attrs: SimpleNamespace) -> Sequence[Attribute]:
        data, shape = as_tensor(operands[0]), list(shape_of(operands[0]))
        if attrs.layout not in ("NCHW", "NHWC") or len(shape) != 4 or len(attrs.size) != 2 or min(attrs.size) < 1:
            raise VerifyException(f'C1: cannot resize {data} of layout "{attrs.layout}" to the size {attrs.size}')
        for value, allowed in (
            (attrs.method, METHODS),
            (attrs.coordinate_transformation_mode, COORDINATE_MODES),
            (attrs.rounding_method, ROUNDING_METHODS),
        ):
            if value not in allowed:
                raise VerifyException(f'C2: "{value}" is none of {", ".join(allowed)}')
        _check_numbers(attrs)
        h, w = spatial_axes(attrs.layout)
        element = attrs.out_dtype or data.element_type
        if 0 in (shape[h], shape[w]) or is_bool(data.element_type) or is_bool(element):
            raise VerifyException(f"C4: {data} holds no pixels, or no numbers")
        shape[h], shape[w] = attrs.size
        return [tensor_type(shape, element)]


def _check_numbers(attrs: SimpleNamespace) -> None:
    if attrs.coordinate_transformation_mode == "tf_crop_and_resize" and len(attrs.roi or ()) != 4:
        raise VerifyException(f"C3: tf_crop_and_resize needs four numbers in roi, not {attrs.roi}")
    if attrs.scales is not None and (len(attrs.scales) != 2 or min(attrs.scales) <= 0):
        raise VerifyException(f"C3: scales are two positive numbers, not {attrs.scales}")


def spatial_axes(layout: str) -> tuple[int, int]:
    """The axes of height and width."""
    return layout.index("H"), layout.index("W")
