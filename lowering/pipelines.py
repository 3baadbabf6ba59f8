"""The way of a model through the compiler: one visible list of passes, in phases.

    relay → fused relay      `graph_passes`     what is computed, simplified and cut into kernels
    fused relay → tensor     `tensor_passes`    linalg on tensors inside kernels
    tensor → loop            `loop_passes`      loops over planned buffers
    loop → llvm              `llvm_passes`      LLVM's dialect and nothing else

Functions that compute with more than tensors (`relay.program`) skip the levels between: `program-to-llvm` takes them
from the fused relay level straight to the last one.

Each phase ends with a verifier of its level's invariant. `lowering/registry.py` knows every pass by name for
`relay-opt`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.passes import ModulePass

from xrelay.lowering.graph.base import RelayPass
from xrelay.lowering.graph.canonicalize_ops import CanonicalizeOps
from xrelay.lowering.graph.dead_code_elimination import DeadCodeElimination
from xrelay.lowering.graph.eliminate_common_subexpr import EliminateCommonSubexpr
from xrelay.lowering.graph.fold_constant import FoldConstant
from xrelay.lowering.graph.fold_scale_axis import FoldScaleAxis
from xrelay.lowering.graph.fuse_ops import FuseOps
from xrelay.lowering.graph.infer_type import InferType
from xrelay.lowering.graph.inline import Inline
from xrelay.lowering.graph.remove_unused_functions import RemoveUnusedFunctions
from xrelay.lowering.graph.simplify_expr import SimplifyExpr
from xrelay.lowering.graph.simplify_inference import SimplifyInference
from xrelay.lowering.graph.to_graph_normal_form import ToGraphNormalForm
from xrelay.lowering.graph.verify_fused import VerifyFused
from xrelay.lowering.graph.verify_relay import VerifyRelay
from xrelay.lowering.language.mark_programs import MarkPrograms
from xrelay.lowering.language.program_to_llvm import ProgramToLLVM
from xrelay.lowering.llvm.loop_to_llvm import LoopToLLVM
from xrelay.lowering.llvm.verify_llvm import VerifyLLVM
from xrelay.lowering.loop.expand_math import ExpandMath
from xrelay.lowering.loop.outline_parallel import OutlineParallel
from xrelay.lowering.loop.plan_memory import PlanMemory
from xrelay.lowering.loop.tensor_to_loop import TensorToLoop
from xrelay.lowering.loop.verify_loop import VerifyLoop
from xrelay.lowering.target import Target
from xrelay.lowering.tensor.fuse_elementwise import TensorFuseElementwise
from xrelay.lowering.tensor.pack_operands import TensorPackOperands
from xrelay.lowering.tensor.relay_to_tensor import RelayToTensor
from xrelay.lowering.tensor.verify_tensor import VerifyTensor

MAX_OPT_LEVEL = 3


@dataclass(frozen=True)
class Phase:
    """A named part of the pipeline, which leads from one level to the next."""

    name: str
    passes: Callable[[int, str], list[ModulePass]]
    """(opt level, target) → the passes."""


def graph_passes(opt_level: int, target: str) -> list[ModulePass]:
    """Relay's own order (`relay.build`). A pass runs from its opt level on; the verifiers and fusion always."""
    passes: list[RelayPass] = [
        RemoveUnusedFunctions(),
        ToGraphNormalForm(),
        Inline(),
        InferType(),
        SimplifyInference(),
        EliminateCommonSubexpr(),
        FoldConstant(),
        FoldScaleAxis(),
        SimplifyExpr(),
        CanonicalizeOps(),
        FoldConstant(),
        EliminateCommonSubexpr(),
        DeadCodeElimination(),
    ]
    chosen = [p for p in passes if p.opt_level <= opt_level]
    return [*chosen, VerifyRelay(), FuseOps(enabled=opt_level > 0), VerifyFused(), MarkPrograms()]


def tensor_passes(opt_level: int, target: str) -> list[ModulePass]:
    fuse = [TensorFuseElementwise()] if opt_level > 0 else []
    return [RelayToTensor(), *fuse, TensorPackOperands(), VerifyTensor()]


def loop_passes(opt_level: int, target: str) -> list[ModulePass]:
    return [TensorToLoop(target), PlanMemory(), OutlineParallel(), ExpandMath(), VerifyLoop()]


def llvm_passes(opt_level: int, target: str) -> list[ModulePass]:
    return [LoopToLLVM(native_half=Target(target).native_half), ProgramToLLVM(target), VerifyLLVM()]


PHASES = (
    Phase("graph", graph_passes),
    Phase("tensor", tensor_passes),
    Phase("loop", loop_passes),
    Phase("llvm", llvm_passes),
)
