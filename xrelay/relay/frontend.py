"""Frontends by the names and signatures that users of Relay know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from xrelay.errors import InputError

if TYPE_CHECKING:
    from onnx import ModelProto

    from xrelay.relay.module import Module


def from_onnx(
    model: str | Path | bytes | ModelProto,
    shape: Mapping[str, Sequence[int | None]] | None = None,
    dtype: str | Mapping[str, str] = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
    convert_config: Mapping[str, Any] | None = None,
    export_node_renamed_model_path: str | None = None,
) -> tuple[Module, dict[str, np.ndarray]]:
    """Import an ONNX model: (module, parameters).

    `shape` gives inputs their shapes, by name; sizes that neither it nor the model gives are unknown. With
    `freeze_params` weights are constants of the module, and the parameters are only those initializers that the model
    also lists as inputs; without it, weights are arguments of @main and parameters.

    `dtype` is not looked at, since an ONNX model says the types of its inputs. `opset` may only repeat what the model
    says: operators mean what the model's opset says they mean. `convert_config` and `export_node_renamed_model_path`
    have no counterpart here and must be left out.

    Raises XRelayError: ModelError for a damaged model, UnsupportedError, which lists everything that is not supported.
    """
    from xdsl.dialects.builtin import DictionaryAttr

    from xrelay.dialects.relay.constant import TensorAttr
    from xrelay.frontends.onnx.importer import import_onnx
    from xrelay.frontends.onnx.model import load_model
    from xrelay.plugins import load_plugins
    from xrelay.relay.module import Module

    if convert_config or export_node_renamed_model_path:
        raise InputError("from_onnx has no convert_config and no export_node_renamed_model_path")
    if opset is not None and load_model(model).opsets[""] != opset:
        raise InputError(f"opset={opset}, but the model is of opset {load_model(model).opsets['']}; leave opset out")
    load_plugins()
    module = import_onnx(model, shape, freeze_params)
    main = module.body.block.first_op
    assert main is not None
    defaults = main.attributes.pop("relay.input_defaults", None)
    values = defaults.data if isinstance(defaults, DictionaryAttr) else {}
    params = {name: value.array for name, value in values.items() if isinstance(value, TensorAttr)}
    return Module.from_ir(module), params
