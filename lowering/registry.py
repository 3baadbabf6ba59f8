"""Every pass of xrelay by name, imported at its first use.

A pass is one file: `lowering/graph/fuse_ops.py` holds `FuseOps`, whose name is `relay-fuse-ops`, tested by
`lit/lowering/graph/fuse_ops.mlir`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from xdsl.passes import ModulePass

_PASSES: dict[str, str] = {
    # name: "module:class", in the order in which a model meets them
    "verify-relay": "xrelay.lowering.graph.verify_relay:VerifyRelay",
    "relay-remove-unused-functions": "xrelay.lowering.graph.remove_unused_functions:RemoveUnusedFunctions",
    "relay-to-graph-normal-form": "xrelay.lowering.graph.to_graph_normal_form:ToGraphNormalForm",
    "relay-to-a-normal-form": "xrelay.lowering.language.to_a_normal_form:ToANormalForm",
    "relay-to-basic-block-normal-form": (
        "xrelay.lowering.language.to_basic_block_normal_form:ToBasicBlockNormalForm"
    ),
    "relay-eta-expand": "xrelay.lowering.language.eta_expand:EtaExpand",
    "relay-partial-evaluate": "xrelay.lowering.language.partial_evaluate:PartialEvaluate",
    "relay-defunctionalization": "xrelay.lowering.language.defunctionalization:Defunctionalization",
    "relay-inline": "xrelay.lowering.graph.inline:Inline",
    "relay-infer-type": "xrelay.lowering.graph.infer_type:InferType",
    "relay-simplify-inference": "xrelay.lowering.graph.simplify_inference:SimplifyInference",
    "relay-eliminate-common-subexpr": "xrelay.lowering.graph.eliminate_common_subexpr:EliminateCommonSubexpr",
    "relay-fold-constant": "xrelay.lowering.graph.fold_constant:FoldConstant",
    "relay-fold-scale-axis": "xrelay.lowering.graph.fold_scale_axis:FoldScaleAxis",
    "relay-simplify-expr": "xrelay.lowering.graph.simplify_expr:SimplifyExpr",
    "relay-canonicalize-ops": "xrelay.lowering.graph.canonicalize_ops:CanonicalizeOps",
    "relay-convert-layout": "xrelay.lowering.graph.convert_layout:ConvertLayout",
    "relay-fold-explicit-padding": "xrelay.lowering.graph.fold_explicit_padding:FoldExplicitPadding",
    "relay-div-to-mul": "xrelay.lowering.graph.div_to_mul:DivToMul",
    "relay-canonicalize-cast": "xrelay.lowering.graph.canonicalize_cast:CanonicalizeCast",
    "relay-simplify-fc-transpose": "xrelay.lowering.graph.simplify_fc_transpose:SimplifyFCTranspose",
    "relay-split-args": "xrelay.lowering.graph.split_args:SplitArgs",
    "relay-combine-parallel-conv2d": "xrelay.lowering.graph.combine_parallel_conv2d:CombineParallelConv2D",
    "relay-combine-parallel-dense": "xrelay.lowering.graph.combine_parallel_dense:CombineParallelDense",
    "relay-combine-parallel-batch-matmul": (
        "xrelay.lowering.graph.combine_parallel_batch_matmul:CombineParallelBatchMatmul"
    ),
    "relay-forward-fold-scale-axis": "xrelay.lowering.graph.forward_fold_scale_axis:ForwardFoldScaleAxis",
    "relay-to-mixed-precision": "xrelay.lowering.graph.to_mixed_precision:ToMixedPrecision",
    "relay-legalize": "xrelay.lowering.graph.legalize:Legalize",
    "relay-alter-op-layout": "xrelay.lowering.graph.alter_op_layout:AlterOpLayout",
    "relay-merge-composite": "xrelay.lowering.graph.merge_composite:MergeComposite",
    "relay-annotate-target": "xrelay.lowering.graph.annotate_target:AnnotateTarget",
    "relay-merge-compiler-regions": "xrelay.lowering.graph.merge_compiler_regions:MergeCompilerRegions",
    "relay-partition-graph": "xrelay.lowering.graph.partition_graph:PartitionGraph",
    "relay-dead-code-elimination": "xrelay.lowering.graph.dead_code_elimination:DeadCodeElimination",
    "relay-first-order-gradient": "xrelay.lowering.graph.first_order_gradient:FirstOrderGradient",
    "relay-lambda-lift": "xrelay.lowering.graph.lambda_lift:LambdaLift",
    "relay-fuse-ops": "xrelay.lowering.graph.fuse_ops:FuseOps",
    "relay-defuse-ops": "xrelay.lowering.graph.defuse_ops:DefuseOps",
    "verify-fused": "xrelay.lowering.graph.verify_fused:VerifyFused",
    "relay-mark-programs": "xrelay.lowering.language.mark_programs:MarkPrograms",
    "relay-to-tensor": "xrelay.lowering.tensor.relay_to_tensor:RelayToTensor",
    "tensor-fuse-elementwise": "xrelay.lowering.tensor.fuse_elementwise:TensorFuseElementwise",
    "tensor-pack-operands": "xrelay.lowering.tensor.pack_operands:TensorPackOperands",
    "verify-tensor": "xrelay.lowering.tensor.verify_tensor:VerifyTensor",
    "tensor-to-loop": "xrelay.lowering.loop.tensor_to_loop:TensorToLoop",
    "plan-memory": "xrelay.lowering.loop.plan_memory:PlanMemory",
    "outline-parallel": "xrelay.lowering.loop.outline_parallel:OutlineParallel",
    "expand-math": "xrelay.lowering.loop.expand_math:ExpandMath",
    "verify-loop": "xrelay.lowering.loop.verify_loop:VerifyLoop",
    "loop-to-llvm": "xrelay.lowering.llvm.loop_to_llvm:LoopToLLVM",
    "program-to-llvm": "xrelay.lowering.language.program_to_llvm:ProgramToLLVM",
    "verify-llvm": "xrelay.lowering.llvm.verify_llvm:VerifyLLVM",
}


def _getter(path: str) -> Callable[[], type[ModulePass]]:
    def get() -> type[ModulePass]:
        module, _, name = path.partition(":")
        return getattr(importlib.import_module(module), name)

    return get


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Pass name → a getter of its class."""
    return {name: _getter(path) for name, path in _PASSES.items()}
