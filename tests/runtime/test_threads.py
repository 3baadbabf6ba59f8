"""The thread pool of compiled models: every index is visited once, whatever the sizes, the threads and the callers."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.utils import scale_model, scale_reference, slices_artifact
from xrelay.errors import XRelayError
from xrelay.runtime import CompiledModel
from xrelay.runtime.host import MAX_THREADS, default_num_threads


def run_slices(model: CompiledModel, size: int) -> np.ndarray:
    (out,) = model.run(out=[np.zeros((size, 2), np.int64)])
    return out


@pytest.mark.parametrize("num_threads", [1, 2, 3, 8, 33])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 1000])
def test_slices_cover_the_range_once(size, num_threads):
    with CompiledModel(slices_artifact(size), num_threads) as model:
        visits, begins = run_slices(model, size).T
    np.testing.assert_array_equal(visits, 1)
    # numpy.array_split cuts as the pool does: the first slices are longer by one.
    slices = np.array_split(np.arange(size), min(size, num_threads) or 1)
    expected = np.concatenate([np.full(len(part), part[0] if len(part) else 0) for part in slices])
    np.testing.assert_array_equal(begins, expected)


@pytest.mark.parametrize(("size", "repeat"), [(2, 20_000), (5, 20_000), (1000, 5000)])
def test_many_loops_in_a_row(size, repeat):
    with CompiledModel(slices_artifact(size, repeat), 4) as model:
        np.testing.assert_array_equal(run_slices(model, size)[:, 0], repeat)


def test_callers_share_one_model():
    artifact = slices_artifact(100, 50)
    with CompiledModel(artifact, 3) as model, ThreadPoolExecutor(8) as callers:
        for out in callers.map(lambda _: run_slices(model, 100), range(400)):
            np.testing.assert_array_equal(out[:, 0], 50)


def test_results_do_not_depend_on_the_callers():
    rng = np.random.default_rng(0)
    pairs = [tuple(rng.standard_normal((2, 1000), np.float32)) for _ in range(200)]
    with scale_model() as model, ThreadPoolExecutor(6) as callers:
        for (x, y), (out,) in zip(pairs, callers.map(lambda pair: model.run(*pair), pairs), strict=True):
            np.testing.assert_array_equal(out, scale_reference(x, y))


def test_many_models_come_and_go():
    artifact = slices_artifact(100, 3)
    for _ in range(100):
        with CompiledModel(artifact, 4) as model:
            np.testing.assert_array_equal(run_slices(model, 100)[:, 0], 3)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads in /proc")
def test_workers_start_at_need_sleep_between_runs_and_end():
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    before = threads()
    model = CompiledModel(slices_artifact(100, 10), 5)
    assert threads() == before
    run_slices(model, 100)
    assert threads() == before + 4
    time.sleep(0.05)
    used = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - used < 0.05
    model.close()
    assert threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_own_workers():
    program = """
import os, numpy as np
from tests.runtime.test_threads import run_slices
from tests.runtime.utils import slices_artifact
from xrelay.runtime import CompiledModel
model = CompiledModel(slices_artifact(100, 10), 4)
run_slices(model, 100)
child = os.fork()
assert (run_slices(model, 100)[:, 0] == 10).all()
if child == 0:
    assert len(os.listdir("/proc/self/task")) == 4 if os.path.exists("/proc/self/task") else True
    model.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
model.close()
"""
    run_python(program)


def test_a_process_ends_with_an_open_model_and_a_running_thread():
    program = """
import threading, numpy as np
from tests.runtime.test_threads import run_slices
from tests.runtime.utils import slices_artifact
from xrelay.runtime import CompiledModel
model = CompiledModel(slices_artifact(100, 100000), 2)
thread = threading.Thread(target=lambda: [run_slices(model, 100) for _ in range(1000)], daemon=True)
thread.start()
"""
    run_python(program)


def test_close_waits_for_runs_under_way():
    model = CompiledModel(slices_artifact(100, 20_000), 2)
    results = []
    caller = threading.Thread(target=lambda: results.append(run_slices(model, 100)))
    caller.start()
    time.sleep(0.01)
    model.close()
    caller.join()
    np.testing.assert_array_equal(results[0][:, 0], 20_000)
    with pytest.raises(XRelayError, match="closed"):
        run_slices(model, 100)


@pytest.mark.parametrize("wrong", [0, -1, MAX_THREADS + 1, 1.5, True, "2"])
def test_num_threads_is_checked(wrong):
    with pytest.raises(XRelayError, match=r"num_threads is .*, expected an integer from 1 to 1024"):
        CompiledModel(slices_artifact(1), wrong)


def test_default_num_threads(monkeypatch):
    monkeypatch.delenv("XRELAY_NUM_THREADS", raising=False)
    assert 1 <= default_num_threads() <= (os.cpu_count() or 1)
    monkeypatch.setenv("XRELAY_NUM_THREADS", "3")
    with CompiledModel(slices_artifact(1)) as model:
        assert model.num_threads == 3
    monkeypatch.setenv("XRELAY_NUM_THREADS", "many")
    with pytest.raises(XRelayError, match="XRELAY_NUM_THREADS is 'many'"):
        default_num_threads()


def run_python(program: str) -> None:
    root = Path(__file__).resolve().parents[2]
    result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
