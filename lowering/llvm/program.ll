; Support code of models that are programs: their stack, their heap, and how they stop.
;
; It is linked into a model beside support.ll, where @main has more than kernels to call: closures, data structures,
; recursion. Such a model's @xrelay_main calls @xrelay_run_program, and its code the other hidden functions here.
;
; A program whose calls may be nested deeply runs in a thread of its own, for the sake of its stack: recursion may be as
; deep as the list that it walks.
; What it allocates lies in chunks that grow, one behind the other, and are freed together when the run is over. To stop
; means to go back to the start at once.

; One run of a program. It starts as a %Frame does, so that it is the frame of all that the program calls.
%Program = type {
  ptr, ;  0: the pool
  i32, ;  1: status, atomic: 0 or the first failure
  i32, ;  2: number of the process
  ptr, ;  3: the model's constants
  ptr, ;  4: the stack's limit: below it, no call is made any more
  ptr, ;  5: first free byte of the current chunk
  ptr, ;  6: end of the current chunk
  ptr, ;  7: the current chunk, or null
  i64, ;  8: bytes of the next chunk
  ptr, ;  9: where to go to stop: a jmp_buf
  i64, ; 10: bytes of the stack, 0 for the caller's, on which calls are not nested deeply
  ptr, ; 11: the program's start
  ptr, ; 12: its inputs
  ptr, ; 13: its outputs
  ptr  ; 14: a chunk to use again, or null
}

; The start of a chunk; what it holds begins 64 bytes behind.
%Chunk = type {
  ptr, ; 0: the chunk before
  ptr  ; 1: its end
}

declare hidden void @xrelay_fail(ptr, i32)
declare i32 @posix_memalign(ptr, i64, i64) nounwind
declare void @free(ptr) nounwind
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i32 @pthread_create(ptr, ptr, ptr, ptr) nounwind
declare i32 @pthread_join(i64, ptr) nounwind
declare i32 @pthread_attr_init(ptr) nounwind
declare i32 @pthread_attr_setstacksize(ptr, i64) nounwind
declare i32 @pthread_attr_destroy(ptr) nounwind
declare i32 @_setjmp(ptr) nounwind returns_twice
declare void @_longjmp(ptr, i32) nounwind noreturn

; ---------------------------------------------------------------------------------------------- runs

; Runs `start(program, inputs, outputs)`, where it is `deep` in a thread of its own, and hands a failure on to `frame`.
; Where `keep` is not null, a run without failure leaves its heap there, for @xrelay_release; else the heap is freed.
define hidden void @xrelay_run_program(ptr %frame, ptr %start, ptr %inputs, ptr %outputs, ptr %constants, ptr %keep, i1 %deep) nounwind {
  %program = alloca %Program, align 64
  %attributes = alloca [128 x i8], align 16
  %thread.p = alloca i64
  %pool = load ptr, ptr %frame
  store ptr %pool, ptr %program
  %status.p = getelementptr %Program, ptr %program, i32 0, i32 1
  store i32 0, ptr %status.p
  %frame.pid.p = getelementptr { ptr, i32, i32 }, ptr %frame, i32 0, i32 2
  %pid = load i32, ptr %frame.pid.p
  %pid.p = getelementptr %Program, ptr %program, i32 0, i32 2
  store i32 %pid, ptr %pid.p
  %constants.p = getelementptr %Program, ptr %program, i32 0, i32 3
  store ptr %constants, ptr %constants.p
  %next.p = getelementptr %Program, ptr %program, i32 0, i32 5
  store ptr null, ptr %next.p
  %end.p = getelementptr %Program, ptr %program, i32 0, i32 6
  store ptr null, ptr %end.p
  %chunk.p = getelementptr %Program, ptr %program, i32 0, i32 7
  store ptr null, ptr %chunk.p
  %chunk.bytes.p = getelementptr %Program, ptr %program, i32 0, i32 8
  store i64 65536, ptr %chunk.bytes.p
  %start.p = getelementptr %Program, ptr %program, i32 0, i32 11
  store ptr %start, ptr %start.p
  %inputs.p = getelementptr %Program, ptr %program, i32 0, i32 12
  store ptr %inputs, ptr %inputs.p
  %outputs.p = getelementptr %Program, ptr %program, i32 0, i32 13
  store ptr %outputs, ptr %outputs.p
  %spare.p = getelementptr %Program, ptr %program, i32 0, i32 14
  store ptr null, ptr %spare.p
  %stack.p = getelementptr %Program, ptr %program, i32 0, i32 10
  br i1 %deep, label %prepare, label %here

here:
  store i64 0, ptr %stack.p
  %returned = call ptr @run_here(ptr %program)
  br label %over

prepare:
  %initialized = call i32 @pthread_attr_init(ptr %attributes)
  br label %try

try:
  ; 256 MiB of address space; memory is used only for what the recursion reaches. Less where the system refuses.
  %bytes = phi i64 [ 268435456, %prepare ], [ %less, %smaller ]
  store i64 %bytes, ptr %stack.p
  %set = call i32 @pthread_attr_setstacksize(ptr %attributes, i64 %bytes)
  %refused = call i32 @pthread_create(ptr %thread.p, ptr %attributes, ptr @run_here, ptr %program)
  %started = icmp eq i32 %refused, 0
  br i1 %started, label %wait, label %smaller

smaller:
  %less = lshr i64 %bytes, 1
  %too.small = icmp ult i64 %less, 4194304
  br i1 %too.small, label %no.memory, label %try

no.memory:
  store i32 -1, ptr %status.p
  br label %started.or.not

wait:
  %thread = load i64, ptr %thread.p
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  br label %started.or.not

started.or.not:
  %destroyed = call i32 @pthread_attr_destroy(ptr %attributes)
  br label %over

over:
  %spare = load ptr, ptr %spare.p
  call void @free(ptr %spare)
  %chunk = load ptr, ptr %chunk.p
  %status = load atomic i32, ptr %status.p monotonic, align 4
  %healthy = icmp eq i32 %status, 0
  br i1 %healthy, label %succeeded, label %failed

failed:
  call void @xrelay_fail(ptr %frame, i32 %status)
  br label %release

succeeded:
  %kept = icmp ne ptr %keep, null
  br i1 %kept, label %hand.over, label %release

hand.over:
  store ptr %chunk, ptr %keep
  ret void

release:
  call void @xrelay_release(ptr %chunk)
  ret void
}

define internal ptr @run_here(ptr %program) nounwind {
  %target = alloca [1024 x i8], align 16
  %target.p = getelementptr %Program, ptr %program, i32 0, i32 9
  store ptr %target, ptr %target.p
  ; A sixteenth of the stack is kept for kernels, and for what the system has put on it.
  %bytes.p = getelementptr %Program, ptr %program, i32 0, i32 10
  %bytes = load i64, ptr %bytes.p
  %reserve = lshr i64 %bytes, 4
  %usable = sub i64 %reserve, %bytes
  %lowest = getelementptr i8, ptr %target, i64 %usable
  %bounded = icmp eq i64 %bytes, 0
  %limit = select i1 %bounded, ptr null, ptr %lowest
  %limit.p = getelementptr %Program, ptr %program, i32 0, i32 4
  store ptr %limit, ptr %limit.p
  %stopped = call i32 @_setjmp(ptr %target) returns_twice
  %begins = icmp eq i32 %stopped, 0
  br i1 %begins, label %run, label %done

run:
  %start.p = getelementptr %Program, ptr %program, i32 0, i32 11
  %start = load ptr, ptr %start.p
  %inputs.p = getelementptr %Program, ptr %program, i32 0, i32 12
  %inputs = load ptr, ptr %inputs.p
  %outputs.p = getelementptr %Program, ptr %program, i32 0, i32 13
  %outputs = load ptr, ptr %outputs.p
  call void %start(ptr %program, ptr %inputs, ptr %outputs)
  br label %done

done:
  ret ptr null
}

; ---------------------------------------------------------------------------------------------- stopping

; Records failure `message` and ends the program. For the program's own thread only.
define hidden void @xrelay_stop(ptr %program, i32 %message) nounwind noreturn {
  call void @xrelay_fail(ptr %program, i32 %message)
  %target.p = getelementptr %Program, ptr %program, i32 0, i32 9
  %target = load ptr, ptr %target.p
  call void @_longjmp(ptr %target, i32 1)
  unreachable
}

; Ends the program where a kernel has failed.
define hidden void @xrelay_check(ptr %program) nounwind {
  %status.p = getelementptr %Program, ptr %program, i32 0, i32 1
  %status = load atomic i32, ptr %status.p monotonic, align 4
  %healthy = icmp eq i32 %status, 0
  br i1 %healthy, label %done, label %stop

stop:
  call void @xrelay_stop(ptr %program, i32 %status)
  unreachable

done:
  ret void
}

; Ends the program with failure `message` where the stack is full.
define hidden void @xrelay_check_stack(ptr %program, i32 %message) nounwind {
  %here = alloca i8
  %limit.p = getelementptr %Program, ptr %program, i32 0, i32 4
  %limit = load ptr, ptr %limit.p
  %full = icmp ult ptr %here, %limit
  br i1 %full, label %stop, label %done

stop:
  call void @xrelay_stop(ptr %program, i32 %message)
  unreachable

done:
  ret void
}

; ---------------------------------------------------------------------------------------------- the heap

; Memory for the rest of the run; `alignment` is a power of two, at most 64. Ends the program where there is none.
define hidden ptr @xrelay_alloc(ptr %program, i64 %bytes, i64 %alignment) nounwind {
  %next.p = getelementptr %Program, ptr %program, i32 0, i32 5
  %end.p = getelementptr %Program, ptr %program, i32 0, i32 6
  %slot = alloca ptr
  br label %place

place:
  %next = load ptr, ptr %next.p
  %end = load ptr, ptr %end.p
  %address = ptrtoint ptr %next to i64
  %negative = sub i64 0, %address
  %mask = sub i64 %alignment, 1
  %padding = and i64 %negative, %mask
  %room = ptrtoint ptr %end to i64
  %left = sub i64 %room, %address
  %wanted = add i64 %bytes, %padding
  %fits = icmp ule i64 %wanted, %left
  ; A heap without a chunk has neither room nor an address to give.
  %present = icmp ne ptr %next, null
  %ok = and i1 %fits, %present
  br i1 %ok, label %take, label %grow

take:
  %result = getelementptr i8, ptr %next, i64 %padding
  %after = getelementptr i8, ptr %result, i64 %bytes
  store ptr %after, ptr %next.p
  ret ptr %result

grow:
  %needed = add i64 %bytes, 128
  %spare.p = getelementptr %Program, ptr %program, i32 0, i32 14
  %spare = load ptr, ptr %spare.p
  %no.spare = icmp eq ptr %spare, null
  br i1 %no.spare, label %allocate, label %measure

measure:
  %spare.end.p = getelementptr %Chunk, ptr %spare, i32 0, i32 1
  %spare.end = load ptr, ptr %spare.end.p
  %spare.first = ptrtoint ptr %spare to i64
  %spare.last = ptrtoint ptr %spare.end to i64
  %spare.bytes = sub i64 %spare.last, %spare.first
  %large.enough = icmp uge i64 %spare.bytes, %needed
  br i1 %large.enough, label %take.spare, label %allocate

take.spare:
  store ptr null, ptr %spare.p
  br label %link

allocate:
  %chunk.bytes.p = getelementptr %Program, ptr %program, i32 0, i32 8
  %chunk.bytes = load i64, ptr %chunk.bytes.p
  %doubled = shl i64 %chunk.bytes, 1
  %following = call i64 @llvm.umin.i64(i64 %doubled, i64 16777216)
  store i64 %following, ptr %chunk.bytes.p
  %size = call i64 @llvm.umax.i64(i64 %needed, i64 %chunk.bytes)
  %error = call i32 @posix_memalign(ptr %slot, i64 64, i64 %size)
  %failed = icmp ne i32 %error, 0
  br i1 %failed, label %no.memory, label %fresh

fresh:
  %new = load ptr, ptr %slot
  %new.end = getelementptr i8, ptr %new, i64 %size
  %new.end.p = getelementptr %Chunk, ptr %new, i32 0, i32 1
  store ptr %new.end, ptr %new.end.p
  br label %link

link:
  %chunk = phi ptr [ %spare, %take.spare ], [ %new, %fresh ]
  %chunk.end = phi ptr [ %spare.end, %take.spare ], [ %new.end, %fresh ]
  %chunk.p = getelementptr %Program, ptr %program, i32 0, i32 7
  %before = load ptr, ptr %chunk.p
  store ptr %before, ptr %chunk
  store ptr %chunk, ptr %chunk.p
  %first = getelementptr i8, ptr %chunk, i64 64
  store ptr %first, ptr %next.p
  store ptr %chunk.end, ptr %end.p
  br label %place

no.memory:
  call void @xrelay_stop(ptr %program, i32 -1)
  unreachable
}

; Gives back what @xrelay_alloc gave last.
define hidden void @xrelay_free_last(ptr %program, ptr %memory) nounwind {
  %next.p = getelementptr %Program, ptr %program, i32 0, i32 5
  store ptr %memory, ptr %next.p
  ret void
}

; Gives back what was allocated since the heap's current chunk was `mark`, with `free` as its first free byte. One chunk is
; kept, for what the next iteration of a loop needs.
define hidden void @xrelay_rewind(ptr %program, ptr %mark, ptr %free) nounwind {
  %chunk.p = getelementptr %Program, ptr %program, i32 0, i32 7
  %spare.p = getelementptr %Program, ptr %program, i32 0, i32 14
  %last = load ptr, ptr %chunk.p
  br label %look

look:
  %chunk = phi ptr [ %last, %0 ], [ %before, %keep ], [ %before, %drop ]
  %reached = icmp eq ptr %chunk, %mark
  br i1 %reached, label %done, label %pop

pop:
  %before = load ptr, ptr %chunk
  %spare = load ptr, ptr %spare.p
  %no.spare = icmp eq ptr %spare, null
  br i1 %no.spare, label %keep, label %drop

keep:
  store ptr %chunk, ptr %spare.p
  br label %look

drop:
  call void @free(ptr %chunk)
  br label %look

done:
  store ptr %mark, ptr %chunk.p
  %next.p = getelementptr %Program, ptr %program, i32 0, i32 5
  store ptr %free, ptr %next.p
  %mark.end.p = getelementptr %Chunk, ptr %mark, i32 0, i32 1
  %mark.end = load ptr, ptr %mark.end.p
  %end.p = getelementptr %Program, ptr %program, i32 0, i32 6
  store ptr %mark.end, ptr %end.p
  ret void
}

; Frees the heap of a run, given its last chunk. Null is fine.
define void @xrelay_release(ptr %last) nounwind {
  br label %next

next:
  %chunk = phi ptr [ %last, %0 ], [ %before, %free ]
  %none = icmp eq ptr %chunk, null
  br i1 %none, label %done, label %free

free:
  %before = load ptr, ptr %chunk
  call void @free(ptr %chunk)
  br label %next

done:
  ret void
}
