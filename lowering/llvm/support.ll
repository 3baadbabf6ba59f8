; Support code of every compiled model: its entry points and its thread pool.
;
; It is linked into the model's LLVM module, so that a compiled model needs nothing but the C library. There are no
; target lines: the text is good for any 64-bit Linux or macOS.
;
; The model brings
;   @xrelay_main         the compiled @main
;   @xrelay_arena_bytes  size of the arena that holds its intermediate tensors
; and its code calls @xrelay_parallel_for and @xrelay_fail. Who runs the model calls @xrelay_create, @xrelay_run and
; @xrelay_destroy. Nothing else is visible outside.
;
; How a parallel loop runs. The range [0, size) is cut into `threads` slices of nearly equal length. The caller runs
; slice 0. The others are offered in one atomic counter, `remaining`: who lowers it from r to r - 1 runs slice r.
; Workers do so, and so does the caller once its own slice is done; it then waits for the slices that others took. So
;   - a worker that wakes late, or was never started, costs time but blocks nobody;
;   - which thread runs a slice varies, the slices do not.
; A worker without work spins while a run is under way, for a bounded time, then sleeps. Between runs all workers sleep.
;
; Forked children have no workers. A child meets a process number that is not the pool's owner, forgets the parent's
; workers (their locks too) and starts its own. A child forked in the middle of a parallel loop of another thread finds
; the pool busy for ever, and runs its loops inline.

; One call of xrelay_run. Kernels hand it on and look at nothing in it.
%Frame = type {
  ptr, ; 0: the pool
  i32, ; 1: status, atomic: 0 or the first failure
  i32  ; 2: number of the process
}

; What a handle points to. The two counters that all threads write have a cache line each.
%Pool = type {
  i32,        ;  0: threads, at least 1; the caller of xrelay_run is one of them
  i32,        ;  1: owner, the process that the workers belong to; 0 before the first parallel loop
  i32,        ;  2: workers started
  i32,        ;  3: busy, atomic: 1 while a parallel loop uses the pool; whoever sets it owns all that is not atomic
  i32,        ;  4: active, atomic: runs under way
  i32,        ;  5: sleepers, atomic: workers that sleep or are about to
  i32,        ;  6: waiting, atomic: 1 while the caller sleeps
  i32,        ;  7: stop, under the mutex: 1 once the workers have to end
  ptr,        ;  8: the loop's function
  ptr,        ;  9: its frame
  ptr,        ; 10: its captures
  i64,        ; 11: its size
  i64,        ; 12: its number of slices
  ptr,        ; 13: spare arena, atomic: the last one that xrelay_run allocated, or null
  ptr,        ; 14: array of pthread_t (8 bytes on all these systems)
  [64 x i8],  ; 15
  i64,        ; 16: remaining, atomic: slices that nobody took yet
  [64 x i8],  ; 17
  i64,        ; 18: pending, atomic: slices, but slice 0, that are not done
  [64 x i8],  ; 19
  [128 x i8], ; 20: pthread_mutex_t, with room for every system's
  [128 x i8], ; 21: pthread_cond_t: there is work, or an end to it
  [128 x i8]  ; 22: pthread_cond_t: pending came to 0
}

declare hidden void @xrelay_main(ptr, ptr, ptr, ptr, ptr)
@xrelay_arena_bytes = external hidden constant i64

; An exported library redefines it to point at the constants inside it.
@xrelay_embedded_constants = weak hidden constant ptr null

declare i32 @getpid() nounwind
declare i32 @posix_memalign(ptr, i64, i64) nounwind
declare void @free(ptr) nounwind
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @pthread_create(ptr, ptr, ptr, ptr) nounwind
declare i32 @pthread_join(i64, ptr) nounwind
declare i32 @pthread_mutex_init(ptr, ptr) nounwind
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare i32 @pthread_mutex_destroy(ptr) nounwind
declare i32 @pthread_cond_init(ptr, ptr) nounwind
declare i32 @pthread_cond_wait(ptr, ptr) nounwind
declare i32 @pthread_cond_signal(ptr) nounwind
declare i32 @pthread_cond_broadcast(ptr) nounwind
declare i32 @pthread_cond_destroy(ptr) nounwind

; ---------------------------------------------------------------------------------------------- entry points

; A handle for runs with `threads` threads (1 to 1024, clamped), or null where memory is short.
define ptr @xrelay_create(i32 %threads) nounwind {
  %slot = alloca ptr
  %bytes = ptrtoint ptr getelementptr (%Pool, ptr null, i32 1) to i64
  %error = call i32 @posix_memalign(ptr %slot, i64 64, i64 %bytes)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %none, label %clear

clear:
  %pool = load ptr, ptr %slot
  call void @llvm.memset.p0.i64(ptr align 64 %pool, i8 0, i64 %bytes, i1 false)
  %at.least.1 = call i32 @llvm.smax.i32(i32 %threads, i32 1)
  %clamped = call i32 @llvm.smin.i32(i32 %at.least.1, i32 1024)
  store i32 %clamped, ptr %pool
  ret ptr %pool

none:
  ret ptr null
}

; Ends the workers and frees the handle. No run may be under way. Null is fine.
define void @xrelay_destroy(ptr %pool) nounwind {
  %is.null = icmp eq ptr %pool, null
  br i1 %is.null, label %done, label %look

look:
  %owner.p = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %owner = load i32, ptr %owner.p
  %pid = call i32 @getpid()
  %mine = icmp eq i32 %owner, %pid
  br i1 %mine, label %end, label %release

end:
  call void @end_workers(ptr %pool)
  br label %release

release:
  %spare.p = getelementptr %Pool, ptr %pool, i32 0, i32 13
  %spare = load ptr, ptr %spare.p
  call void @free(ptr %spare)
  %workers.p = getelementptr %Pool, ptr %pool, i32 0, i32 14
  %workers = load ptr, ptr %workers.p
  call void @free(ptr %workers)
  call void @free(ptr %pool)
  br label %done

done:
  ret void
}

; Runs the model once. `inputs` and `outputs` are arrays of pointers to tensors. `arena` may be null: the handle brings
; one. `constants` may be null in an exported library. Returns 0, the number of the failure's message (from 1), or -1
; where memory is short. Calls may overlap, on one handle too.
define i32 @xrelay_run(ptr %pool, ptr %inputs, ptr %outputs, ptr %arena, ptr %constants) nounwind {
  %frame = alloca %Frame
  %slot = alloca ptr
  store ptr %pool, ptr %frame
  %status.p = getelementptr %Frame, ptr %frame, i32 0, i32 1
  store i32 0, ptr %status.p
  %pid = call i32 @getpid()
  %pid.p = getelementptr %Frame, ptr %frame, i32 0, i32 2
  store i32 %pid, ptr %pid.p

  %embedded = load ptr, ptr @xrelay_embedded_constants
  %no.constants = icmp eq ptr %constants, null
  %blob = select i1 %no.constants, ptr %embedded, ptr %constants

  %spare.p = getelementptr %Pool, ptr %pool, i32 0, i32 13
  %bytes = load i64, ptr @xrelay_arena_bytes
  %no.arena = icmp eq ptr %arena, null
  %wants.arena = icmp ne i64 %bytes, 0
  %brings.arena = and i1 %no.arena, %wants.arena
  br i1 %brings.arena, label %take, label %run

take:
  %spare = atomicrmw xchg ptr %spare.p, ptr null acquire
  %no.spare = icmp eq ptr %spare, null
  br i1 %no.spare, label %allocate, label %run

allocate:
  %error = call i32 @posix_memalign(ptr %slot, i64 64, i64 %bytes)
  %fresh = load ptr, ptr %slot
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %no.memory, label %run

run:
  %memory = phi ptr [ %arena, %0 ], [ %spare, %take ], [ %fresh, %allocate ]
  %active.p = getelementptr %Pool, ptr %pool, i32 0, i32 4
  %active.before = atomicrmw add ptr %active.p, i32 1 monotonic
  call void @xrelay_main(ptr %frame, ptr %inputs, ptr %outputs, ptr %memory, ptr %blob)
  %active.after = atomicrmw sub ptr %active.p, i32 1 monotonic
  br i1 %brings.arena, label %give.back, label %done

give.back:
  %surplus = atomicrmw xchg ptr %spare.p, ptr %memory acq_rel
  call void @free(ptr %surplus)
  br label %done

done:
  %status = load atomic i32, ptr %status.p monotonic, align 4
  ret i32 %status

no.memory:
  ret i32 -1
}

; ---------------------------------------------------------------------------------------------- called by kernels

; Records failure `message` (from 1) of a run. The first one stays.
define hidden void @xrelay_fail(ptr %frame, i32 %message) nounwind {
  %status.p = getelementptr %Frame, ptr %frame, i32 0, i32 1
  %before = cmpxchg ptr %status.p, i32 0, i32 %message monotonic monotonic
  ret void
}

; Calls fn(frame, begin, end, captures) for slices that together are [0, size), and returns when all are done.
; Runs all of it here where there is nothing to share or another run has the pool. Does nothing once the run has failed.
define hidden void @xrelay_parallel_for(ptr %frame, ptr %fn, i64 %size, ptr %captures) nounwind {
  %status.p = getelementptr %Frame, ptr %frame, i32 0, i32 1
  %status = load atomic i32, ptr %status.p monotonic, align 4
  %healthy = icmp eq i32 %status, 0
  %some = icmp sgt i64 %size, 0
  %go = and i1 %healthy, %some
  br i1 %go, label %cut, label %done

cut:
  %pool = load ptr, ptr %frame
  %threads = load i32, ptr %pool
  %threads.64 = zext i32 %threads to i64
  %slices = call i64 @llvm.smin.i64(i64 %size, i64 %threads.64)
  %shared = icmp sgt i64 %slices, 1
  br i1 %shared, label %acquire, label %inline

acquire:
  %busy.p = getelementptr %Pool, ptr %pool, i32 0, i32 3
  %taken = cmpxchg ptr %busy.p, i32 0, i32 1 acquire monotonic
  %got = extractvalue { i32, i1 } %taken, 1
  br i1 %got, label %prepare, label %inline

prepare:
  %pid.p = getelementptr %Frame, ptr %frame, i32 0, i32 2
  %pid = load i32, ptr %pid.p
  %owner.p = getelementptr %Pool, ptr %pool, i32 0, i32 1
  %owner = load i32, ptr %owner.p
  %started = icmp eq i32 %owner, %pid
  br i1 %started, label %offer, label %start

start:
  call void @start_workers(ptr %pool, i32 %pid)
  br label %offer

offer:
  %fn.p = getelementptr %Pool, ptr %pool, i32 0, i32 8
  store ptr %fn, ptr %fn.p
  %frame.p = getelementptr %Pool, ptr %pool, i32 0, i32 9
  store ptr %frame, ptr %frame.p
  %captures.p = getelementptr %Pool, ptr %pool, i32 0, i32 10
  store ptr %captures, ptr %captures.p
  %size.p = getelementptr %Pool, ptr %pool, i32 0, i32 11
  store i64 %size, ptr %size.p
  %slices.p = getelementptr %Pool, ptr %pool, i32 0, i32 12
  store i64 %slices, ptr %slices.p
  %others = sub i64 %slices, 1
  %pending.p = getelementptr %Pool, ptr %pool, i32 0, i32 18
  store atomic i64 %others, ptr %pending.p monotonic, align 8
  ; A worker raises `sleepers` and then looks at `remaining`. Here it is the other way round, so one sees the other.
  %remaining.p = getelementptr %Pool, ptr %pool, i32 0, i32 16
  store atomic i64 %others, ptr %remaining.p seq_cst, align 8
  %sleepers.p = getelementptr %Pool, ptr %pool, i32 0, i32 5
  %sleepers = load atomic i32, ptr %sleepers.p seq_cst, align 4
  %any.sleeper = icmp ne i32 %sleepers, 0
  br i1 %any.sleeper, label %wake, label %own

wake:
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %locked = call i32 @pthread_mutex_lock(ptr %mutex.p)
  %wake.p = getelementptr %Pool, ptr %pool, i32 0, i32 21
  %woken = call i32 @pthread_cond_broadcast(ptr %wake.p)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex.p)
  br label %own

own:
  call void @run_slice(ptr %pool, i64 0)
  br label %help

help:
  %helped = call i1 @run_offered_slice(ptr %pool)
  br i1 %helped, label %help, label %wait

wait:
  call void @wait_for_others(ptr %pool)
  store atomic i32 0, ptr %busy.p release, align 4
  br label %done

inline:
  call void %fn(ptr %frame, i64 0, i64 %size, ptr %captures)
  br label %done

done:
  ret void
}

; ---------------------------------------------------------------------------------------------- slices

; Runs slice `index` of the pool's loop: the first size % slices slices are longer by one.
define internal void @run_slice(ptr %pool, i64 %index) nounwind {
  %fn.p = getelementptr %Pool, ptr %pool, i32 0, i32 8
  %fn = load ptr, ptr %fn.p
  %frame.p = getelementptr %Pool, ptr %pool, i32 0, i32 9
  %frame = load ptr, ptr %frame.p
  %captures.p = getelementptr %Pool, ptr %pool, i32 0, i32 10
  %captures = load ptr, ptr %captures.p
  %size.p = getelementptr %Pool, ptr %pool, i32 0, i32 11
  %size = load i64, ptr %size.p
  %slices.p = getelementptr %Pool, ptr %pool, i32 0, i32 12
  %slices = load i64, ptr %slices.p

  %length = udiv i64 %size, %slices
  %longer = urem i64 %size, %slices
  %full = mul i64 %index, %length
  %shift = call i64 @llvm.umin.i64(i64 %index, i64 %longer)
  %begin = add i64 %full, %shift
  %is.longer = icmp ult i64 %index, %longer
  %extra = zext i1 %is.longer to i64
  %own.length = add i64 %length, %extra
  %end = add i64 %begin, %own.length
  call void %fn(ptr %frame, i64 %begin, i64 %end, ptr %captures)
  ret void
}

; Takes one offered slice and runs it. False where none is left. The loop's fields are read after the slice is taken:
; from then on until it is done, the caller waits and leaves them as they are.
define internal i1 @run_offered_slice(ptr %pool) nounwind {
  %remaining.p = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %first = load atomic i64, ptr %remaining.p monotonic, align 8
  br label %try

try:
  %index = phi i64 [ %first, %0 ], [ %seen, %take ]
  %none = icmp eq i64 %index, 0
  br i1 %none, label %nothing, label %take

take:
  %lowered = sub i64 %index, 1
  %swap = cmpxchg ptr %remaining.p, i64 %index, i64 %lowered acq_rel monotonic
  %seen = extractvalue { i64, i1 } %swap, 0
  %got = extractvalue { i64, i1 } %swap, 1
  br i1 %got, label %run, label %try

run:
  call void @run_slice(ptr %pool, i64 %index)
  ; The caller raises `waiting` and then looks at `pending`. Here it is the other way round, so one sees the other.
  %pending.p = getelementptr %Pool, ptr %pool, i32 0, i32 18
  %before = atomicrmw sub ptr %pending.p, i64 1 seq_cst
  %waiting.p = getelementptr %Pool, ptr %pool, i32 0, i32 6
  %waiting = load atomic i32, ptr %waiting.p seq_cst, align 4
  %was.last = icmp eq i64 %before, 1
  %is.waited.for = icmp ne i32 %waiting, 0
  %tell = and i1 %was.last, %is.waited.for
  br i1 %tell, label %signal, label %done

signal:
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %locked = call i32 @pthread_mutex_lock(ptr %mutex.p)
  %done.p = getelementptr %Pool, ptr %pool, i32 0, i32 22
  %told = call i32 @pthread_cond_signal(ptr %done.p)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex.p)
  br label %done

done:
  ret i1 true

nothing:
  ret i1 false
}

; The caller's wait for the slices that workers took: spins, then sleeps.
define internal void @wait_for_others(ptr %pool) nounwind {
  %pending.p = getelementptr %Pool, ptr %pool, i32 0, i32 18
  br label %spin

spin:
  %turn = phi i32 [ 0, %0 ], [ %next, %pause ]
  %pending = load atomic i64, ptr %pending.p acquire, align 8
  %ready = icmp eq i64 %pending, 0
  br i1 %ready, label %done, label %pause

pause:
  ; The fence slows the loop down, as a pause instruction would, on every target.
  fence seq_cst
  %next = add i32 %turn, 1
  %enough = icmp eq i32 %next, 4000
  br i1 %enough, label %sleep, label %spin

sleep:
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %done.p = getelementptr %Pool, ptr %pool, i32 0, i32 22
  %waiting.p = getelementptr %Pool, ptr %pool, i32 0, i32 6
  %locked = call i32 @pthread_mutex_lock(ptr %mutex.p)
  store atomic i32 1, ptr %waiting.p seq_cst, align 4
  br label %check

check:
  %left = load atomic i64, ptr %pending.p seq_cst, align 8
  %over = icmp eq i64 %left, 0
  br i1 %over, label %leave, label %block

block:
  %waited = call i32 @pthread_cond_wait(ptr %done.p, ptr %mutex.p)
  br label %check

leave:
  store atomic i32 0, ptr %waiting.p monotonic, align 4
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex.p)
  br label %done

done:
  ret void
}

; ---------------------------------------------------------------------------------------------- workers

; Makes the pool the property of process `pid` and starts its workers. Where the system gives fewer threads than wished,
; the others run their slices. Called by the one that holds `busy`.
define internal void @start_workers(ptr %pool, i32 %pid) nounwind {
  %owner.p = getelementptr %Pool, ptr %pool, i32 0, i32 1
  store i32 %pid, ptr %owner.p
  %started.p = getelementptr %Pool, ptr %pool, i32 0, i32 2
  store i32 0, ptr %started.p
  ; What a parent's workers left behind in a forked child.
  %sleepers.p = getelementptr %Pool, ptr %pool, i32 0, i32 5
  store atomic i32 0, ptr %sleepers.p monotonic, align 4
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %mutex.made = call i32 @pthread_mutex_init(ptr %mutex.p, ptr null)
  %wake.p = getelementptr %Pool, ptr %pool, i32 0, i32 21
  %wake.made = call i32 @pthread_cond_init(ptr %wake.p, ptr null)
  %done.p = getelementptr %Pool, ptr %pool, i32 0, i32 22
  %done.made = call i32 @pthread_cond_init(ptr %done.p, ptr null)

  %threads = load i32, ptr %pool
  %wanted = sub i32 %threads, 1
  %ids.p = getelementptr %Pool, ptr %pool, i32 0, i32 14
  %present = load ptr, ptr %ids.p
  %absent = icmp eq ptr %present, null
  br i1 %absent, label %allocate, label %next

allocate:
  %threads.64 = zext i32 %threads to i64
  %bytes = mul i64 %threads.64, 8
  %error = call i32 @posix_memalign(ptr %ids.p, i64 64, i64 %bytes)
  %allocated = icmp eq i32 %error, 0
  br i1 %allocated, label %next, label %no.ids

no.ids:
  ; The failed call may have left anything there, and a later one frees it.
  store ptr null, ptr %ids.p
  br label %done

next:
  %index = phi i32 [ 0, %0 ], [ 0, %allocate ], [ %count, %made ]
  %complete = icmp eq i32 %index, %wanted
  br i1 %complete, label %done, label %make

make:
  %ids = load ptr, ptr %ids.p
  %id.p = getelementptr i64, ptr %ids, i32 %index
  %refused = call i32 @pthread_create(ptr %id.p, ptr null, ptr @work, ptr %pool)
  %ok = icmp eq i32 %refused, 0
  br i1 %ok, label %made, label %done

made:
  %count = add i32 %index, 1
  store i32 %count, ptr %started.p
  br label %next

done:
  ret void
}

; Tells the workers to end and waits until they have.
define internal void @end_workers(ptr %pool) nounwind {
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %wake.p = getelementptr %Pool, ptr %pool, i32 0, i32 21
  %done.p = getelementptr %Pool, ptr %pool, i32 0, i32 22
  %stop.p = getelementptr %Pool, ptr %pool, i32 0, i32 7
  %locked = call i32 @pthread_mutex_lock(ptr %mutex.p)
  store i32 1, ptr %stop.p
  %woken = call i32 @pthread_cond_broadcast(ptr %wake.p)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex.p)

  %started.p = getelementptr %Pool, ptr %pool, i32 0, i32 2
  %started = load i32, ptr %started.p
  %ids.p = getelementptr %Pool, ptr %pool, i32 0, i32 14
  %ids = load ptr, ptr %ids.p
  br label %next

next:
  %index = phi i32 [ 0, %0 ], [ %after, %join ]
  %complete = icmp eq i32 %index, %started
  br i1 %complete, label %free.locks, label %join

join:
  %id.p = getelementptr i64, ptr %ids, i32 %index
  %id = load i64, ptr %id.p
  %joined = call i32 @pthread_join(i64 %id, ptr null)
  %after = add i32 %index, 1
  br label %next

free.locks:
  %wake.freed = call i32 @pthread_cond_destroy(ptr %wake.p)
  %done.freed = call i32 @pthread_cond_destroy(ptr %done.p)
  %mutex.freed = call i32 @pthread_mutex_destroy(ptr %mutex.p)
  ret void
}

; A worker's life.
define internal ptr @work(ptr %pool) nounwind {
  %remaining.p = getelementptr %Pool, ptr %pool, i32 0, i32 16
  %active.p = getelementptr %Pool, ptr %pool, i32 0, i32 4
  %sleepers.p = getelementptr %Pool, ptr %pool, i32 0, i32 5
  %stop.p = getelementptr %Pool, ptr %pool, i32 0, i32 7
  %mutex.p = getelementptr %Pool, ptr %pool, i32 0, i32 20
  %wake.p = getelementptr %Pool, ptr %pool, i32 0, i32 21
  br label %serve

serve:
  %worked = call i1 @run_offered_slice(ptr %pool)
  br i1 %worked, label %serve, label %spin

spin:
  %turn = phi i32 [ 0, %serve ], [ %next, %pause ]
  %offered = load atomic i64, ptr %remaining.p monotonic, align 8
  %none = icmp eq i64 %offered, 0
  br i1 %none, label %pause, label %serve

pause:
  fence seq_cst
  %next = add i32 %turn, 1
  %active = load atomic i32, ptr %active.p monotonic, align 4
  %idle = icmp eq i32 %active, 0
  %enough = icmp eq i32 %next, 4000
  %tired = or i1 %idle, %enough
  br i1 %tired, label %sleep, label %spin

sleep:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex.p)
  %sleepers.before = atomicrmw add ptr %sleepers.p, i32 1 seq_cst
  br label %check

check:
  %stop = load i32, ptr %stop.p
  %has.to.end = icmp ne i32 %stop, 0
  br i1 %has.to.end, label %end, label %look

look:
  %waiting.work = load atomic i64, ptr %remaining.p seq_cst, align 8
  %no.work = icmp eq i64 %waiting.work, 0
  br i1 %no.work, label %block, label %rise

block:
  %waited = call i32 @pthread_cond_wait(ptr %wake.p, ptr %mutex.p)
  br label %check

rise:
  %sleepers.after = atomicrmw sub ptr %sleepers.p, i32 1 monotonic
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex.p)
  br label %serve

end:
  %unlocked.too = call i32 @pthread_mutex_unlock(ptr %mutex.p)
  ret ptr null
}
