"""The meaning of convolutions: a matrix product for each tap of the kernel."""

from __future__ import annotations

from functools import partial

import numpy as np

from xrelay.dialects.relay import convolution as ops
from xrelay.dialects.relay.linear import accumulator
from xrelay.dialects.relay.types import dtype_of, element_of
from xrelay.interpreters.relay.layouts import to_stored, to_whole
from xrelay.interpreters.relay.registry import meaning


def sum_dtype(data, out_dtype):
    """The dtype in which sums of products are held."""
    element = element_of(data.dtype)
    return dtype_of(accumulator(element, out_dtype or element))


def taps(windows, counts):
    """The index of every tap of the windows with the places that it sees, as slices along the spatial axes."""
    for tap in np.ndindex(*windows.size):
        starts = [k * dilation for k, dilation in zip(tap, windows.dilation, strict=True)]
        axes = zip(starts, counts, windows.strides, strict=True)
        yield tap, tuple(slice(start, start + (n - 1) * stride + 1, stride) for start, n, stride in axes)


def grouped_product(x, w):
    """Σ over i of w[g, o, i] · x[n, g · i, …], each group g by itself: (N, I, …), (G, O / G, I / G) → (N, O, …)."""
    n, _, *spatial = x.shape
    groups, outputs, inputs = w.shape
    # Contiguous, or NumPy does not hand the product to BLAS.
    product = np.matmul(np.ascontiguousarray(w), x.reshape(n, groups, inputs, np.prod(spatial, dtype=np.int64)))
    return product.reshape(n, groups * outputs, *spatial)


def conv(op, attrs, data, weight):
    """A convolution, `op` being its class."""
    dtype = sum_dtype(data, attrs.out_dtype)
    g, x, w = _whole_operands(op, attrs, data.astype(dtype), weight.astype(dtype), "OI")
    counts = op.output_lengths(g, x.shape[2:])
    x = np.pad(x, [(0, 0), (0, 0), *zip(g.windows.before, g.windows.after, strict=True)])
    out = np.zeros((x.shape[0], w.shape[0], *counts), dtype)
    for tap, places in taps(g.windows, counts):
        kernel = w[:, :, *tap].reshape(g.groups, w.shape[0] // g.groups, w.shape[1])
        out += grouped_product(x[:, :, *places], kernel)
    return to_stored(out, "NC" + g.spatial, g.out)


def conv_transpose(op, attrs, data, weight):
    """A transposed convolution, `op` being its class."""
    dtype = sum_dtype(data, attrs.out_dtype)
    g, x, w = _whole_operands(op, attrs, data.astype(dtype), weight.astype(dtype), "IO")
    counts = op.output_lengths(g, x.shape[2:])
    # The result with what the padding cuts off.
    whole = [before + n + after for before, n, after in zip(g.windows.before, counts, g.windows.after, strict=True)]
    channels = w.shape[1] * g.groups
    out = np.zeros((x.shape[0], channels, *whole), dtype)
    for tap, places in taps(g.windows, x.shape[2:]):
        kernel = w[:, :, *tap].reshape(g.groups, w.shape[0] // g.groups, w.shape[1]).swapaxes(1, 2)
        out[:, :, *places] += grouped_product(x, kernel)
    kept = (slice(before, before + n) for before, n in zip(g.windows.before, counts, strict=True))
    return to_stored(out[:, :, *kept], "NC" + g.spatial, g.out)


def _whole_operands(op, attrs, data, weight, channels):
    """The geometry, the data as N, C, spatial and the weight as `channels`, spatial."""
    layouts = op.geometry(attrs, [1] * len(op.SPATIAL))
    w = to_whole(weight, layouts.kernel, channels + op.SPATIAL)
    return op.geometry(attrs, w.shape[2:]), to_whole(data, layouts.data, "NC" + op.SPATIAL), w


for _operator in (ops.Conv1D, ops.Conv2D):
    meaning(_operator)(partial(conv, _operator))
for _operator in (ops.Conv1DTranspose, ops.Conv2DTranspose):
    meaning(_operator)(partial(conv_transpose, _operator))
