"""References: reads and writes keep their order."""

from __future__ import annotations

from tests.lowering.language.programs import agree, floats, ints


def test_reads_and_writes_in_order():
    text = """
    def @main(%x: float32) -> (float32, float32, float32) {
      let %r = ref(%x);
      let %a = ref_read(%r);
      ref_write(%r, %a * 2f);
      let %b = ref_read(%r);
      ref_write(%r, %b + %a);
      (%a, %b, ref_read(%r))
    }
    """
    agree(text, floats(3), (3, 6, 9))


def test_a_counter_that_closures_share():
    text = """
    def @main(%n: int32) -> (int32, int32) {
      let %count = ref(0);
      let %next = fn () -> int32 {
        let %v = ref_read(%count) + 1;
        ref_write(%count, %v);
        %v
      };
      let %loop = fn (%i: int32, %sum: int32) -> int32 {
        if (equal(%i, 0)) { %sum } else { %loop(%i - 1, %sum + %next()) }
      };
      let %sum = %loop(%n, 0);
      (%sum, ref_read(%count))
    }
    """
    agree(text, ints(100), (5050, 100))


def test_what_a_loop_wrote_outlives_it():
    text = """
    def @main(%n: int32) -> float32 {
      let %cell = ref(0f);
      let %other = %cell;
      let %loop = fn (%i: int32) -> () {
        if (equal(%i, 0)) { () } else {
          ref_write(%cell, ref_read(%other) + cast(%i, dtype="float32"));
          %loop(%i - 1)
        }
      };
      %loop(%n);
      ref_read(%cell)
    }
    """
    agree(text, ints(1000), 500500)


def test_references_to_functions():
    text = """
    def @main(%n: int32) -> int32 {
      let %f = ref(fn (%v: int32) -> int32 { %v });
      ref_write(%f, fn (%v: int32) -> int32 { if (%v < 1) { 0 } else { %v + ref_read(%f)(%v - 1) } });
      ref_read(%f)(%n)
    }
    """
    agree(text, ints(10), 55)
