"""ONNX model → module of the relay dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from onnx import ModelProto, ValueInfoProto
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Region

from xrelay.dialects.relay import TensorAttr
from xrelay.dialects.relay.types import DYNAMIC, compatible, dtype_of, is_float, tensor_type
from xrelay.errors import InputError, ModelError, TypeInferenceError, UnsupportedError
from xrelay.frontends.onnx.graph import FAILED, GraphImporter, Scope
from xrelay.frontends.onnx.model import Model, load_model
from xrelay.frontends.onnx.types import check_size, element_type
from xrelay.frontends.onnx.value import Value

Shapes = Mapping[str, Sequence[int | None]]


def import_onnx(
    model: str | Path | bytes | ModelProto, shapes: Shapes | None = None, freeze_params: bool = True
) -> ModuleOp:
    """Import a model: a path, the bytes of a file, or a ModelProto.

    `shapes` gives inputs other shapes than the model declares, None for a size that stays unknown; a size given to a
    symbol (`N`) holds wherever the model uses the symbol. Sizes that nothing gives are `?`.

    The module has one function, @main, with the inputs and outputs of the graph, whose names stand in the attributes
    `relay.input_names` and `relay.output_names`. Initializers become constants. Those that are also inputs, which may
    be given anew at each run (since IR version 4), stay inputs, and `relay.input_defaults` holds their values by name;
    with `freeze_params=False` so do all initializers of floats that are not scalars. A default that the structure of
    the graph depends on is fixed.

    Raises ModelError for a damaged or contradictory model, UnsupportedError, which lists everything that is not
    supported, TypeInferenceError for operands that break an operator's rule, InputError for `shapes` that do not fit.
    """
    checked = load_model(model)
    main = _Main(checked, shapes or {}, freeze_params)
    return main.build()


class _Main:
    """The graph of the model as the function @main."""

    def __init__(self, model: Model, shapes: Shapes, freeze_params: bool):
        self.model, self.shapes, self.freeze_params = model, shapes, freeze_params
        self.importer = GraphImporter(model)
        self.scope = Scope()
        self.inputs: list[Value] = []

    def build(self) -> ModuleOp:
        graph = self.model.graph
        self._declare(self.importer.initializers(graph))
        self.importer.run(graph.node, self.scope)
        if not graph.output:
            raise ModelError("the graph has no outputs")
        outputs = self.importer.outputs([output.name for output in graph.output], self.scope, "the graph")
        self._check_supported()
        for declared, value in zip(graph.output, outputs, strict=True):
            _check_output(declared, value)
        return self._module([output.name for output in graph.output], outputs)

    # Inputs --------------------------------------------------------------------------------------------------------

    def _declare(self, initializers: dict[str, Value]) -> None:
        """Put the inputs and initializers into the scope."""
        graph = self.model.graph
        defaults = {
            info.name for info in graph.input if info.name in initializers and self.model.defaults_may_be_overridden
        }
        given = [info for info in graph.input if info.name not in initializers or info.name in defaults]
        names = [info.name for info in given]
        if len(set(names)) != len(names):
            twice = ", ".join(sorted({name for name in names if names.count(name) > 1}))
            raise ModelError(f"an input is declared twice: {twice}")
        unknown = sorted(set(self.shapes) - set(names))
        if unknown:
            known = ", ".join(names) or "none"
            raise InputError(f"shapes= names {', '.join(unknown)}, the model has the inputs {known}")
        symbols = self._symbols(given)
        for info in given:
            value_type = _input_type(info, self.shapes.get(info.name), symbols)
            self._add_input(info.name, value_type, initializers.pop(info.name, None))
        for name, value in initializers.items():
            if self.freeze_params or not value.type.get_shape() or not is_float(value.type.element_type):
                self.scope.values[name] = value
            else:
                self._add_input(name, value.type, value)

    def _symbols(self, inputs: Sequence[ValueInfoProto]) -> dict[str, int]:
        """Symbolic size → the number that `shapes` gives it."""
        sizes: dict[str, set[int]] = {}
        for info in inputs:
            for dim, size in zip(info.type.tensor_type.shape.dim, self.shapes.get(info.name, ()), strict=False):
                if dim.dim_param and size is not None:
                    sizes.setdefault(dim.dim_param, set()).add(size)
        # Some exporters call every size "?": a name with two sizes stands for neither.
        return {symbol: found.pop() for symbol, found in sizes.items() if len(found) == 1}

    def _add_input(self, name: str, value_type: TensorType, default: Value | None) -> None:
        block = self.importer.block
        argument = block.insert_arg(value_type, len(block.args))
        argument.name_hint = name if name.isidentifier() else None
        argument.location = NameLoc(StringAttr(name), NoneAttr())
        if default is not None and not compatible(value_type, default.type):
            raise ModelError(f"input {name!r} is declared {value_type}, its initializer is {default.type}")
        value = Value(name, ssa=argument, default=default.array if default is not None else None)
        self.inputs.append(value)
        self.scope.values[name] = value

    # The module ----------------------------------------------------------------------------------------------------

    def _check_supported(self) -> None:
        found = list(self.importer.unsupported)
        if found:
            head = "the model needs what is not supported" if len(found) > 1 else "not supported"
            raise UnsupportedError("\n  ".join([f"{head}:", *found]) if len(found) > 1 else found[0])

    def _module(self, output_names: Sequence[str], outputs: Sequence[Value]) -> ModuleOp:
        block = self.importer.block
        assert FAILED not in outputs
        block.add_op(ReturnOp(*(value.operand(self.importer.constant) for value in outputs)))
        kept = [value for value in self.inputs if not self._freeze(value)]
        first = block.first_op
        assert first is not None
        block.insert_ops_before(self.importer.constants, first)
        types = [value.type for value in kept], [value.type for value in outputs]
        main = FuncOp("main", types, Region(block))
        main.attributes["relay.input_names"] = ArrayAttr(StringAttr(value.name) for value in kept)
        main.attributes["relay.output_names"] = ArrayAttr(map(StringAttr, output_names))
        defaults = {v.name: TensorAttr.from_array(v.default, v.name) for v in kept if v.default is not None}
        if defaults:
            main.attributes["relay.input_defaults"] = DictionaryAttr(defaults)
        return ModuleOp([main])

    def _freeze(self, value: Value) -> bool:
        """Make a constant of an input whose default was needed during import; whether it was."""
        if value.array is None:
            return False
        assert value.ssa is not None
        argument = value.ssa
        assert isinstance(argument, BlockArgument)
        argument.replace_all_uses_with(self.importer.constant(value.array, value.name))
        self.importer.block.erase_arg(argument)
        return True


def _input_type(info: ValueInfoProto, given: Sequence[int | None] | None, symbols: Mapping[str, int]) -> TensorType:
    """The type of an input: as declared, sizes and symbols given by the caller put in."""
    where = f"input {info.name!r}"
    if not info.name:
        raise ModelError("an input of the graph has no name")
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        found = "a value without type" if kind is None else f"a {kind.removesuffix('_type')}"
        raise UnsupportedError(f"{where} is {found}; supported are tensors")
    element = element_type(info.type.tensor_type.elem_type, where)
    declared = _declared_shape(info, symbols)
    if given is not None:
        if declared is not None and len(given) != len(declared):
            raise InputError(f"{where} has rank {len(declared)}, shapes= gives {list(given)}")
        if any(size is not None and (size != int(size) or size < 0) for size in given):
            raise InputError(f"{where}: shapes= gives {list(given)}, sizes are not negative")
        declared = [DYNAMIC if size is None else int(size) for size in given]
    if declared is None:
        raise UnsupportedError(f"{where} has no shape; give it by shapes={{{info.name!r}: …}}")
    check_size(declared, dtype_of(element), where)
    return tensor_type(declared, element)


def _declared_shape(info: ValueInfoProto, symbols: Mapping[str, int]) -> list[int] | None:
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    sizes = []
    for axis, dim in enumerate(tensor.shape.dim):
        # Some exporters (Paddle's) write -1 for a size that is unknown.
        known = dim.HasField("dim_value") and dim.dim_value != -1
        if known and dim.dim_value < 0:
            raise ModelError(f"input {info.name!r} has the negative size {dim.dim_value} on axis {axis}")
        sizes.append(dim.dim_value if known else symbols.get(dim.dim_param, DYNAMIC))
    return sizes


def _check_output(declared: ValueInfoProto, value: Value) -> None:
    """The declared element type must be that of the value. Declared sizes are hints that exporters often get wrong."""
    elem_type = declared.type.tensor_type.elem_type
    if not elem_type:
        return
    element = element_type(elem_type, f"output {declared.name!r}")
    if element != value.type.element_type:
        raise TypeInferenceError(f"output {declared.name!r} is declared to hold {element}, its value is {value.type}")
