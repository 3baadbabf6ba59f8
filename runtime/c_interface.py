"""The C header and source of an exported library."""

from __future__ import annotations

import math
import re

from xrelay.runtime.metadata import Metadata, TensorSpec

_C_TYPES = {
    "bool": "uint8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float8_e4m3fn": "uint8_t",
    "float8_e5m2": "uint8_t",
    "float32": "float",
    "float64": "double",
    "complex64": "float _Complex",
    "complex128": "double _Complex",
}

_HEADER = """\
/* The C interface of the compiled model in {library}, made by xrelay {version}.
 *
{tensors}
 *
 * Example (cc main.c ./{library} -Wl,-rpath,. -o main):
 *
 *   #include <stdio.h>
 *   #include "{header}"
 *
{buffers}
 *
 *   int main(void) {{
 *     {prefix}_model *model = {prefix}_create(2);
 *     const void *inputs[] = {{{input_names}}};
 *     void *outputs[] = {{{output_names}}};
 *     int32_t status = {prefix}_run(model, inputs, outputs);
 *     if (status != 0) fprintf(stderr, "%s\\n", {prefix}_message(status));
 *     {prefix}_destroy(model);
 *     return status != 0;
 *   }}
 */
#ifndef {guard}_H
#define {guard}_H

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {{
#endif

#define {guard}_NUM_INPUTS {num_inputs}
#define {guard}_NUM_OUTPUTS {num_outputs}

typedef struct {prefix}_model {prefix}_model;

/* A model whose runs use `num_threads` threads, at least 1; the caller's thread is one of them. The results do not
 * depend on it. NULL where memory is short. */
{prefix}_model *{prefix}_create(int32_t num_threads);

/* Runs the model. `inputs` and `outputs` point to the tensors in the order above: contiguous, row-major, aligned to
 * their element, outputs apart from inputs. Threads may share a model: their runs overlap.
 * Returns 0, else a status that {prefix}_message explains; the outputs then hold nothing of use. */
int32_t {prefix}_run({prefix}_model *model, const void *const *inputs, void *const *outputs);

/* The text of a status, "" for 0. It lives as long as the library. */
const char *{prefix}_message(int32_t status);

/* Ends the model. No run may be under way. NULL is fine. */
void {prefix}_destroy({prefix}_model *model);

/* The model's signature and target, as JSON. */
const char *{prefix}_metadata(void);

#ifdef __cplusplus
}}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
"""

_SOURCE = """\
#include "model.h"

#ifdef __APPLE__
#define SYMBOL(name) "_" #name
#define CONSTANT_SECTION "__TEXT,__const"
#else
#define SYMBOL(name) #name
#define CONSTANT_SECTION ".rodata"
#endif

__asm__(
    ".pushsection " CONSTANT_SECTION "\\n"
    ".balign 64\\n" SYMBOL(xrelay_constants) ":\\n"
    ".incbin \\"constants.bin\\"\\n"
    ".globl " SYMBOL(xrelay_metadata) "\\n" SYMBOL(xrelay_metadata) ":\\n"
    ".incbin \\"metadata.json\\"\\n"
    ".byte 0\\n"
    ".popsection\\n");

extern const char xrelay_constants[];
extern const char xrelay_metadata[];
const char *const xrelay_embedded_constants = xrelay_constants;

#pragma GCC visibility push(default)
void *xrelay_create(int32_t num_threads);
void xrelay_destroy(void *handle);
int32_t xrelay_run(void *handle, const void *const *inputs, void *const *outputs, void *arena, const void *constants);
#pragma GCC visibility pop

static const char *const messages[] = {{
    "",
{messages}
}};

{prefix}_model *{prefix}_create(int32_t num_threads) {{
  return xrelay_create(num_threads);
}}

int32_t {prefix}_run({prefix}_model *model, const void *const *inputs, void *const *outputs) {{
  return xrelay_run(model, inputs, outputs, 0, 0);
}}

const char *{prefix}_message(int32_t status) {{
  if (status == -1) return "not enough memory";
  if (status < 0 || status >= (int32_t)(sizeof messages / sizeof *messages)) return "unknown status";
  return messages[status];
}}

void {prefix}_destroy({prefix}_model *model) {{
  xrelay_destroy(model);
}}

const char *{prefix}_metadata(void) {{
  return xrelay_metadata;
}}
"""


def symbol_prefix(name: str) -> str:
    """A C identifier out of a library's name, to start the names of its functions: `model.v1` gives `model_v1`."""
    prefix = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not prefix or prefix[0].isdigit():
        prefix = f"model_{prefix}"
    # The entry points that `xrelay.load` looks for have this prefix.
    return "xrelay_model" if prefix == "xrelay" else prefix


def header_text(metadata: Metadata, prefix: str, library: str) -> str:
    """The header of a library with this file name. The example in its comment is a whole program."""
    sides = {"inputs": metadata.inputs, "outputs": metadata.outputs}
    variables = {side: [f"{side[:-1]}_{index}" for index in range(len(specs))] for side, specs in sides.items()}
    tensors = [
        f" *   {side}[{index}]  {_comment(spec.name)}: {spec.type}, {spec.nbytes} bytes"
        for side, specs in sides.items()
        for index, spec in enumerate(specs)
    ]
    buffers = [
        f" *   static {_buffer(spec, variable)};"
        for side, specs in sides.items()
        for spec, variable in zip(specs, variables[side], strict=True)
    ]
    return _HEADER.format(
        library=_comment(library),
        header=_comment(library.rpartition(".")[0]) + ".h",
        version=_comment(metadata.version),
        prefix=prefix,
        guard=prefix.upper(),
        tensors="\n".join(tensors),
        buffers="\n".join(buffers),
        input_names=", ".join(variables["inputs"]) or "0",
        output_names=", ".join(variables["outputs"]) or "0",
        num_inputs=len(metadata.inputs),
        num_outputs=len(metadata.outputs),
    )


def source_text(metadata: Metadata, prefix: str) -> str:
    """The C file that brings constants and metadata (from files beside it) and the functions of the header."""
    messages = "\n".join(f"    {_string(message)}," for message in metadata.messages)
    return _SOURCE.format(prefix=prefix, messages=messages)


def _buffer(spec: TensorSpec, variable: str) -> str:
    return f"{_C_TYPES.get(spec.dtype, f'{spec.dtype}_t')} {variable}[{max(1, math.prod(spec.shape))}]"


def _comment(text: str) -> str:
    """Text that ends no comment and no line."""
    return re.sub(r"[\x00-\x1f\x7f]", "?", text).replace("*/", "* /").replace("/*", "/ *")


def _string(text: str) -> str:
    """A C string literal: what is not plain ASCII in octal, `?` too because of trigraphs."""
    plain = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{"".join(plain)}"'
