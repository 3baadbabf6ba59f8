"""The way down: graph (relay → relay), tensor (relay → linalg), loop (linalg → scf, vector, memref), llvm."""
