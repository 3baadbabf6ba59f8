"""Relay's passes by Relay's names: `mod = relay.transform.FuseOps()(mod)`.

Each function makes a pass that takes a module and returns a new one. `PassContext` and `Sequential` of
`xrelay.transform` know the passes by these names; `relay-opt` and the compiler's pipeline run the same classes as
`relay-fuse-ops` and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xrelay.compiler import main_function
from xrelay.errors import InputError, UnsupportedError
from xrelay.frontends.relay_text.expr import Function, GlobalVar
from xrelay.lowering.graph.alter_op_layout import AlterOpLayout as _AlterOpLayout
from xrelay.lowering.graph.annotate_target import AnnotateTarget as _AnnotateTarget
from xrelay.lowering.graph.canonicalize_cast import CanonicalizeCast as _CanonicalizeCast
from xrelay.lowering.graph.canonicalize_ops import CanonicalizeOps as _CanonicalizeOps
from xrelay.lowering.graph.combine_parallel_batch_matmul import (
    CombineParallelBatchMatmul as _CombineParallelBatchMatmul,
)
from xrelay.lowering.graph.combine_parallel_conv2d import CombineParallelConv2D as _CombineParallelConv2D
from xrelay.lowering.graph.combine_parallel_dense import CombineParallelDense as _CombineParallelDense
from xrelay.lowering.graph.convert_layout import ConvertLayout as _ConvertLayout
from xrelay.lowering.graph.dead_code_elimination import DeadCodeElimination as _DeadCodeElimination
from xrelay.lowering.graph.defuse_ops import DefuseOps as _DefuseOps
from xrelay.lowering.graph.div_to_mul import DivToMul as _DivToMul
from xrelay.lowering.graph.eliminate_common_subexpr import EliminateCommonSubexpr as _EliminateCommonSubexpr
from xrelay.lowering.graph.first_order_gradient import FirstOrderGradient as _FirstOrderGradient
from xrelay.lowering.graph.first_order_gradient import differentiate
from xrelay.lowering.graph.fold_constant import FoldConstant as _FoldConstant
from xrelay.lowering.graph.fold_explicit_padding import FoldExplicitPadding as _FoldExplicitPadding
from xrelay.lowering.graph.fold_scale_axis import FoldScaleAxis as _FoldScaleAxis
from xrelay.lowering.graph.forward_fold_scale_axis import ForwardFoldScaleAxis as _ForwardFoldScaleAxis
from xrelay.lowering.graph.fuse_ops import FuseOps as _FuseOps
from xrelay.lowering.graph.infer_type import InferType as _InferType
from xrelay.lowering.graph.inline import Inline as _Inline
from xrelay.lowering.graph.lambda_lift import LambdaLift as _LambdaLift
from xrelay.lowering.graph.legalize import Legalize as _Legalize
from xrelay.lowering.graph.merge_compiler_regions import MergeCompilerRegions as _MergeCompilerRegions
from xrelay.lowering.graph.merge_composite import Composite, merge_composites
from xrelay.lowering.graph.partition_graph import PartitionGraph as _PartitionGraph
from xrelay.lowering.graph.remove_unused_functions import RemoveUnusedFunctions as _RemoveUnusedFunctions
from xrelay.lowering.graph.simplify_expr import SimplifyExpr as _SimplifyExpr
from xrelay.lowering.graph.simplify_fc_transpose import SimplifyFCTranspose as _SimplifyFCTranspose
from xrelay.lowering.graph.simplify_inference import SimplifyInference as _SimplifyInference
from xrelay.lowering.graph.split_args import SplitArgs as _SplitArgs
from xrelay.lowering.graph.to_graph_normal_form import ToGraphNormalForm as _ToGraphNormalForm
from xrelay.lowering.graph.to_mixed_precision import ToMixedPrecision as _ToMixedPrecision
from xrelay.lowering.language.defunctionalization import Defunctionalization as _Defunctionalization
from xrelay.lowering.language.eta_expand import EtaExpand as _EtaExpand
from xrelay.lowering.language.partial_evaluate import PartialEvaluate as _PartialEvaluate
from xrelay.lowering.language.to_a_normal_form import ToANormalForm as _ToANormalForm
from xrelay.lowering.language.to_basic_block_normal_form import ToBasicBlockNormalForm as _ToBasicBlockNormalForm
from xrelay.relay.dataflow_pattern.operator_patterns import operator_pattern
from xrelay.relay.module import Module
from xrelay.transform import Pass, PassContext, PassInfo, PrintIR, Sequential, module_pass

__all__ = [
    "AlterOpLayout",
    "AnnotateTarget",
    "BackwardFoldScaleAxis",
    "BatchingOps",
    "CanonicalizeCast",
    "CanonicalizeOps",
    "CombineParallelBatchMatmul",
    "CombineParallelConv2D",
    "CombineParallelDense",
    "ConvertLayout",
    "DeadCodeElimination",
    "Defunctionalization",
    "DefuseOps",
    "DivToMul",
    "EliminateCommonSubexpr",
    "EtaExpand",
    "FirstOrderGradient",
    "FoldConstant",
    "FoldExplicitPadding",
    "FoldScaleAxis",
    "ForwardFoldScaleAxis",
    "FuseOps",
    "InferType",
    "Inline",
    "LambdaLift",
    "LayoutConfig",
    "Legalize",
    "MergeCompilerRegions",
    "MergeComposite",
    "PartialEvaluate",
    "PartitionGraph",
    "PrintIR",
    "RemoveUnusedFunctions",
    "SimplifyExpr",
    "SimplifyFCTranspose",
    "SimplifyInference",
    "SplitArgs",
    "ToMixedPrecision",
    "gradient",
    "module_pass",
]


def _plain(name: str, pass_class: type[ModulePass], doc: str) -> Callable[[], Pass]:
    """The maker of a pass without options."""

    def make() -> Pass:
        return Pass.of(name, pass_class)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = doc
    Pass.REGISTRY[name] = make
    return make


InferType = _plain("InferType", _InferType, "Refine the types of all values.")
SimplifyInference = _plain("SimplifyInference", _SimplifyInference, "batch_norm becomes arithmetic, dropout goes away.")
EliminateCommonSubexpr = _plain("EliminateCommonSubexpr", _EliminateCommonSubexpr, "Compute equal operators once.")
SimplifyExpr = _plain(
    "SimplifyExpr", _SimplifyExpr, "Drop operators without effect, join chains of views and transposes."
)
CanonicalizeOps = _plain("CanonicalizeOps", _CanonicalizeOps, "Write operators in the forms that fuse and run best.")
BackwardFoldScaleAxis = _plain(
    "BackwardFoldScaleAxis", _FoldScaleAxis, "Scales and shifts behind a convolution or dense move into its weight."
)
ForwardFoldScaleAxis = _plain(
    "ForwardFoldScaleAxis", _ForwardFoldScaleAxis, "Scales in front of a convolution or dense move into its weight."
)
DeadCodeElimination = _plain("DeadCodeElimination", _DeadCodeElimination, "Drop what no result depends on.")
DefuseOps = _plain("DefuseOps", _DefuseOps, "Inline the kernels that FuseOps made.")
FoldExplicitPadding = _plain(
    "FoldExplicitPadding", _FoldExplicitPadding, "A pad in front of a convolution or pool becomes its own padding."
)
CanonicalizeCast = _plain(
    "CanonicalizeCast", _CanonicalizeCast, "A widening cast that several operators read is computed in each of them."
)
FirstOrderGradient = _plain(
    "FirstOrderGradient", _FirstOrderGradient, "Functions of tensors give their value and its gradients."
)
DivToMul = _plain("DivToMul", _DivToMul, "Multiply by the reciprocal of a constant instead of dividing by it.")
ToANormalForm = _plain("ToANormalForm", _ToANormalForm, "Every intermediate value gets a name.")
ToGraphNormalForm = _plain("ToGraphNormalForm", _ToGraphNormalForm, "Names of lets go away; what they name is shared.")
Inline = _plain("Inline", _Inline, "Calls of functions that do not recurse become what the functions compute.")
LambdaLift = _plain("LambdaLift", _LambdaLift, "Closures become functions of the module, their captures arguments.")
ToBasicBlockNormalForm = _plain(
    "ToBasicBlockNormalForm", _ToBasicBlockNormalForm, "Values that other blocks use get a name."
)
PartialEvaluate = _plain("PartialEvaluate", _PartialEvaluate, "Evaluate calls, choices and fields that are known.")
Defunctionalization = _plain(
    "Defunctionalization", _Defunctionalization, "Functions as values become values of data types."
)


def FoldScaleAxis() -> Pass:
    """BackwardFoldScaleAxis, then ForwardFoldScaleAxis."""

    def run(mod: ModuleOp, context: PassContext) -> ModuleOp:
        return ForwardFoldScaleAxis().run(BackwardFoldScaleAxis().run(mod, context), context)

    return Pass(PassInfo("FoldScaleAxis", _FoldScaleAxis.opt_level), run)


def FoldConstant() -> Pass:
    """Evaluate operators on constants. Config: `relay.FoldConstant.max_growth`."""
    return Pass.of(
        "FoldConstant", _FoldConstant, lambda context: _options(context, "relay.FoldConstant.", "max_growth")
    )


def FuseOps(fuse_opt_level: int = -1) -> Pass:
    """Group operators into kernels; at level 0 each is its own, -1 means the level of the context.

    Config: `relay.FuseOps.max_depth`.
    """

    def options(context: PassContext) -> dict[str, Any]:
        level = context.opt_level if fuse_opt_level == -1 else fuse_opt_level
        return {"enabled": level > 0, **_options(context, "relay.FuseOps.", "max_depth")}

    return Pass.of("FuseOps", _FuseOps, options)


# Passes with options ----------------------------------------------------------------------------------------------


def ConvertLayout(desired_layouts: Mapping[str, Sequence[str]]) -> Pass:
    """Compute operators in other layouts: `{"nn.conv2d": ["NHWC", "default"], "nn.max_pool2d": ["NHWC"]}`.

    The layouts are those of the data and, for convolutions, of the kernel. Operators that do not care are carried
    along. Raises LayoutError (when the pass runs) for layouts that an operator cannot have.
    """
    wishes = tuple(":".join([name, *layouts]) for name, layouts in desired_layouts.items())
    skipped = LayoutConfig.current().skip_layers
    return Pass.of("ConvertLayout", _ConvertLayout, lambda _: {"desired": wishes, "skip_layers": skipped})


class LayoutConfig:
    """`with LayoutConfig(skip_layers=[0]):` a ConvertLayout made inside leaves these nn.conv2d alone."""

    _current: ClassVar[ContextVar[LayoutConfig | None]] = ContextVar("layout_config", default=None)

    def __init__(self, skip_layers: Sequence[int] = ()):
        self.skip_layers = tuple(skip_layers)

    @classmethod
    def current(cls) -> LayoutConfig:
        return cls._current.get() or cls()

    def __enter__(self) -> LayoutConfig:
        self._token = self._current.set(self)
        return self

    def __exit__(self, *exception: object) -> None:
        self._current.reset(self._token)


def AlterOpLayout(table: str = "FTVMAlterOpLayout") -> Pass:
    """Compute operators in the layouts that a target has registered for them in a table."""
    return Pass.of("AlterOpLayout", _AlterOpLayout, lambda _: {"table": table})


def Legalize(legalize_map_attr_name: str = "FTVMLegalize") -> Pass:
    """Apply the rules that a target has registered in a table for what it cannot compute."""
    return Pass.of("Legalize", _Legalize, lambda _: {"legalize_map_attr_name": legalize_map_attr_name})


def CombineParallelConv2D(min_num_branches: int = 3) -> Pass:
    """Convolutions of the same data become one."""
    return Pass.of("CombineParallelConv2d", _CombineParallelConv2D, lambda _: {"min_num_branches": min_num_branches})


def CombineParallelDense(min_num_branches: int = 3, to_batch: bool = True) -> Pass:
    """Dense layers of the same data become a batch of products, or one wider layer."""
    options = {"min_num_branches": min_num_branches, "to_batch": to_batch}
    return Pass.of("CombineParallelDense", _CombineParallelDense, lambda _: options)


def CombineParallelBatchMatmul(min_num_branches: int = 3) -> Pass:
    """Products of the same left operand become one."""
    options = {"min_num_branches": min_num_branches}
    return Pass.of("CombineParallelBatchMatmul", _CombineParallelBatchMatmul, lambda _: options)


def BatchingOps() -> Sequential:
    """The three CombineParallel passes."""
    return Sequential([CombineParallelConv2D(), CombineParallelDense(), CombineParallelBatchMatmul()])


def SimplifyFCTranspose(names: Sequence[str] = ()) -> Pass:
    """Dense layers read weights that are transposed before as they are; `names` limits it to some weights."""
    return Pass.of("SimplifyFCTranspose", _SimplifyFCTranspose, lambda _: {"names": tuple(names)})


def SplitArgs(max_function_args: int = 0) -> Pass:
    """Split concatenations of more tensors than kernels can take; 0 means that there is no bound."""
    return Pass.of("SplitArgs", _SplitArgs, lambda _: {"max_function_args": max_function_args})


def RemoveUnusedFunctions(entry_functions: Sequence[str] = ("main",)) -> Pass:
    """Drop the functions that the entry functions do not need."""
    return Pass.of(
        "RemoveUnusedFunctions", _RemoveUnusedFunctions, lambda _: {"entry_functions": tuple(entry_functions)}
    )


def ToMixedPrecision(mixed_precision_type: str = "float16", missing_op_mode: int = 1) -> Pass:
    """Compute in "float16" or "bfloat16" where that pays and does no harm; results keep their types.

    `missing_op_mode` says what to do with an operator that is in no list: 0 is an error, 1 a warning, 2 nothing.
    """
    options = {"mixed_precision_type": mixed_precision_type, "missing_op_mode": missing_op_mode}
    return Pass.of("ToMixedPrecision", _ToMixedPrecision, lambda _: options)


def gradient(expr: Function | GlobalVar, mod: Module | None = None, mode: str = "first_order") -> Function:
    """The function that gives a function's value and the tuple of its gradients: `fn(x, y) -> (T, (X, Y))`.

    The gradients are those of the sum of the value's elements. `mod` holds the function that a global variable names.

    Raises:
        InputError: there is no such mode, or no such function.
        TypeInferenceError: the function's types do not fit.
        UnsupportedError: the mode is "higher_order", the function is not of the first order, or an operator has no
            gradient rule.
    """
    if mode == "higher_order":
        raise UnsupportedError('gradient: only the mode "first_order" is there, for functions of tensors')
    if mode != "first_order":
        raise InputError(f'gradient: the mode is "first_order" or "higher_order", not {mode!r}')
    module = mod.clone() if mod is not None else Module()
    module["main"] = module[expr] if isinstance(expr, GlobalVar) else expr
    ir = module.ir.clone()
    differentiate(main_function(ir))
    return Module.from_ir(ir)["main"]


def EtaExpand(expand_constructor: bool = False, expand_global_var: bool = False) -> Pass:
    """Constructors, or functions of the module, that are used as values become functions that call them."""
    options = {"expand_constructor": expand_constructor, "expand_global_var": expand_global_var}
    return Pass.of("EtaExpand", _EtaExpand, lambda _: options)


# Backends of one's own ------------------------------------------------------------------------------------------------


def MergeComposite(pattern_table: Sequence[tuple[Any, ...]]) -> Pass:
    """What a backend computes as one operator becomes a function with the attribute `Composite`.

    The table has entries `(name, pattern)` or `(name, pattern, check)`, patterns of `relay.dataflow_pattern`; `check`
    is asked about the last operator of a match. Raises UnsupportedError for patterns of more than operators.
    """
    table = [Composite(name, operator_pattern(pattern), *check) for name, pattern, *check in pattern_table]
    return Pass(PassInfo("MergeComposite"), lambda mod, _: merge_composites(mod, table))


def AnnotateTarget(targets: str | Sequence[str]) -> Pass:
    """Note at each operator the first of the backends that has it."""
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    return Pass.of("AnnotateTarget", _AnnotateTarget, lambda _: {"targets": names})


MergeCompilerRegions = _plain("MergeCompilerRegions", _MergeCompilerRegions, "Neighbours of one backend form a region.")


def PartitionGraph(mod_name: str = "default", bind_constants: bool = True) -> Pass:
    """Every region of a backend becomes a function with the attribute `Compiler`."""
    options = {"mod_name": mod_name, "bind_constants": bind_constants}
    return Pass.of("PartitionGraph", _PartitionGraph, lambda _: options)


Pass.REGISTRY |= {
    "AlterOpLayout": AlterOpLayout,
    "CombineParallelBatchMatmul": CombineParallelBatchMatmul,
    "CombineParallelConv2d": CombineParallelConv2D,
    "CombineParallelDense": CombineParallelDense,
    "EtaExpand": EtaExpand,
    "FoldConstant": FoldConstant,
    "FoldScaleAxis": FoldScaleAxis,
    "FuseOps": FuseOps,
    "Legalize": Legalize,
    "PartitionGraph": PartitionGraph,
    "RemoveUnusedFunctions": RemoveUnusedFunctions,
    "SimplifyFCTranspose": SimplifyFCTranspose,
    "SplitArgs": SplitArgs,
    "ToMixedPrecision": ToMixedPrecision,
}


def _options(context: PassContext, prefix: str, *names: str) -> dict[str, Any]:
    """The fields of a pass that the context's config sets."""
    return {name: context.config[prefix + name] for name in names if prefix + name in context.config}
