"""The meaning of the IR in NumPy, written for clarity: oracle of the tests, constant folder, debug executor."""
