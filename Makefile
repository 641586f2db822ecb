# SPDX-License-Identifier: GPL-3.0-or-later
# Steep. "make help" lists the targets, "make speedrun" and "make check" are the two to begin with.
# V=1 shows whole commands; BUILD=folder builds elsewhere; CFLAGS, LDFLAGS, CC, PREFIX, DESTDIR as usual.

BUILD   ?= build
RESULTS ?= results
SECONDS ?= 60
ifeq ($(origin CC),default)
CC      := gcc
endif
ifeq ($(origin CXX),default)
CXX     := g++
endif
NVCC    ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
MPICC   ?= $(firstword $(shell command -v mpicc.openmpi mpicc 2>/dev/null))
PREFIX  ?= /usr/local
prefix  ?= $(PREFIX)
bindir  ?= $(prefix)/bin
libdir  ?= $(prefix)/lib
mandir  ?= $(prefix)/share/man
includedir ?= $(prefix)/include
completiondir ?= $(prefix)/share/bash-completion/completions
# The folder below the prefix that python3 looks for modules in, or one of the usual form; empty without python3.
pythondir ?= $(shell python3 -c 'import sys; p = sys.argv[1] + "/lib/"; print(next((d for d in sys.path \
    if d.startswith(p) and d.endswith("-packages")), p + "python3/dist-packages"))' '$(prefix)' 2>/dev/null)
VERSION := $(shell sed -n 's/.*STEEP_VERSION "\(.*\)".*/\1/p' src/steep.h)
SOVERSION := 0

CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla
STD     := -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-math-errno \
           -ftree-vectorize -fPIC -fvisibility=hidden $(if $(findstring clang,$(CC)),,-fvect-cost-model=dynamic)
CXX_STD := -std=c++17 -ffp-contract=off -fno-math-errno -fPIC -fvisibility=hidden
ALL_CFLAGS = $(STD) $(WARN) -Isrc -Iexperiments $(CFLAGS)
# Eight lanes are copied by registers as wide as those that read them: a wide read of two narrow writes waits for both.
MOVES   := -mmove-max=256 -mstore-max=256
MOVES   := $(shell $(CC) $(MOVES) -E -x c /dev/null >/dev/null 2>&1 && echo '$(MOVES)')
# gcc 12 makes wrong masks of comparisons of eight lanes, in functions that are compiled for several processors, where it
# vectorises straight-line code (test_regression saw it).
MASKS   := -fno-tree-slp-vectorize $(if $(findstring clang,$(CC)),,-Wno-maybe-uninitialized)

# The library has its own algebra, the same bits on every processor (src/numerics), and gives GSL the plain loops of
# libgslcblas for the same reason. Tests hold it against LAPACK, and bench and nist give GSL a tuned BLAS: OpenBLAS, the
# serial build. Debian keeps it in a folder of its own; naming that folder keeps another build that the alternatives
# system prefers from being loaded instead.
MULTIARCH   := $(shell $(CC) -print-multiarch 2>/dev/null)
SERIAL_BLAS := $(firstword $(wildcard /usr/lib/$(MULTIARCH)/openblas-serial))
comma   := ,
space   := $(subst ,, )
BLAS_PATH := $(if $(SERIAL_BLAS),-L$(SERIAL_BLAS) -Wl$(comma)-rpath$(comma)$(SERIAL_BLAS))
TUNED_BLAS := $(BLAS_PATH) -lopenblas
GSL_CBLAS = -lgslcblas
# The flags of a library: pkg-config's, or those given where it does not know the library (Debian's FLINT and GLPK).
library = $(or $(shell pkg-config --libs $(1) 2>/dev/null),$(2))
# Balls and exact fractions: FLINT, and Arb where it is a library of its own (FLINT before 3; Debian calls it flint-arb).
ARB     := $(firstword $(foreach l,flint-arb arb,$(if $(wildcard /usr/lib/$(MULTIARCH)/lib$l.so),-l$l)))
LIBRARIES := $(ARB) $(call library,flint,-lflint) $(call library,gmp,-lgmp) $(call library,jansson,-ljansson)
GSL     := $(filter-out -lgslcblas -lm,$(call library,gsl,-lgsl))
LDLIBS  = $(GSL) $(GSL_CBLAS) $(LIBRARIES) $(GLPK) -lpthread -lm
$(BUILD)/experiments/bench $(BUILD)/experiments/nist: GSL_CBLAS = $(TUNED_BLAS)
$(BUILD)/bin/prove $(BUILD)/tests/certify/test_lp: GLPK = $(call library,glpk,-lglpk)
CHECK_LIBS = $(call library,check,-lcheck)

ROOMS   := base numerics formula data model spline measure slope fit plan record execute study draw
# The public headers: what they declare with STEEP_API is all that the shared library exports. An annex with a header
# public.h belongs to the library, but for annex.c and command*.c; the header is installed as steep/ANNEX.h.
PUBLIC  := src/steep.h $(wildcard src/steep/*.h)
PUBLIC_ANNEXES := $(patsubst src/%/public.h,%,$(wildcard src/*/public.h))
INCLUDES = $(PUBLIC:src/%=$(BUILD)/include/%) $(PUBLIC_ANNEXES:%=$(BUILD)/include/steep/%.h)
# Annexes (src/cli/annex.h): every other folder. The core builds without any of them. An annex with a back end or with
# solvers belongs to the library, but for annex.c and command*.c; the others are linked into the program, tests,
# experiments and proofs.
ANNEXES := $(filter-out $(ROOMS) cli,$(sort $(foreach f,$(wildcard src/*/*.c),$(word 2,$(subst /, ,$(f))))))
ANNEX_ROWS := $(patsubst src/%/annex.c,%,$(wildcard $(ANNEXES:%=src/%/annex.c)))
BACKENDS := $(patsubst src/%/backend.c,%,$(wildcard $(ANNEXES:%=src/%/backend.c)))
LIMITS  := $(patsubst src/%/limits.c,%,$(wildcard $(ANNEXES:%=src/%/limits.c)))
SOLVERS := $(patsubst src/%/solvers.c,%,$(wildcard $(ANNEXES:%=src/%/solvers.c)))
LIB_ANNEXES := $(sort $(BACKENDS) $(SOLVERS) $(PUBLIC_ANNEXES))
APART   := src/cluster/link.c # a shared object of its own
LIB_ANNEX_SRC := $(filter-out %/annex.c $(LIB_ANNEXES:%=src/%/command%) $(APART),$(wildcard $(LIB_ANNEXES:%=src/%/*.c)))
ANNEX_SRC := $(filter-out $(LIB_ANNEX_SRC) $(APART),$(wildcard $(ANNEXES:%=src/%/*.c)))
LIB_SRC := $(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c)) $(LIB_ANNEX_SRC)
CLI_SRC := $(wildcard src/cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/backends.o $(BUILD)/obj/limits.o $(BUILD)/obj/solvers.o $(BUILD)/obj/draw_texts.o
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/annexes.o
ANNEX_OBJ := $(ANNEX_SRC:%.c=$(BUILD)/obj/%.o) $(if $(filter page,$(ANNEXES)),$(BUILD)/obj/page_texts.o)
# What a program is linked with.
ARCHIVES := $(BUILD)/lib/annexes.a $(BUILD)/lib/libsteep.a
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c $(ANNEXES:%=tests/%/test_*.c) tests/papers/test_*.c))
# What scripts share, no programs.
SHARED := study activations targets_2d trained polyrelu philox separated
EXPERIMENTS := $(patsubst experiments/%.c,$(BUILD)/experiments/%,$(wildcard experiments/*.c)) \
               $(patsubst experiments/sweeps/%.py,$(BUILD)/experiments/%,$(filter-out $(SHARED:%=experiments/sweeps/%.py),$(wildcard experiments/sweeps/*.py)))
HARNESSES := formula csv journal network options figure slope
# The harnesses, and the subcommands of steep without its main.
HARNESS_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out tests/fuzz/entry.c,$(wildcard tests/fuzz/*.c))) \
               $(filter-out $(BUILD)/obj/src/cli/steep.o,$(CLI_OBJ)) $(BUILD)/obj/tests/program.o
PROOF_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard proofs/*.c))
FIGURES := $(filter-out bench nist cluster chinchilla,$(notdir $(EXPERIMENTS)))
SPEEDRUN := --arch mlp,glu,gqu --target runge3 --widths 1:103:3 --samples 2000 --solver frozen --start uniform
# The sweep of the README's figure.
README_SWEEP = $(shell sed -n 's/^readme: sweep //p' docs/tables/COMMANDS)

# Built in parallel on as many cores as there are, unless make was given -j itself.
JOBS    ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
V ?= 0
SUBMAKE  = $(MAKE) --no-print-directory $(if $(filter 1,$(V)),,-s) $(PARALLEL)
say = $(if $(filter 1,$(V)),,@echo "  $(1)";)
build_failed = { echo "make: the build failed; the first error stands above. Check that 'make deps' succeeds, look at whole" \
    "commands with V=1, begin anew with 'make clean'." >&2; exit 1; }

.DEFAULT_GOAL := all
.PHONY: all lib tests cli build cuda speedrun check check-cluster check-gpu gpu-kit check-kernels check-faults check-guides check-core print-annexes check-report check-figures bench bench-cluster bench-gpu bench-nist figures proofs proofs-coq install uninstall asan tsan coverage \
        dist check-dist deb check-deb check-deb-twice check-docker fuzz fuzzers lint doctor deps docs picture tables clean help FORCE
.DELETE_ON_ERROR:

speedrun: ## Begin: set up, build, fit mlp, glu and gqu at 35 widths, print the slopes, draw the figure (seconds)
	@bash .ci/deps.sh build
	@$(SUBMAKE) cli || $(build_failed)
	@$(BUILD)/bin/steep sweep $(SPEEDRUN) --fresh --out $(RESULTS)/speedrun || \
	    { echo "make: the sweep failed, see above; 'make doctor' says what was found on this machine" >&2; exit 1; }
	@echo "figure: $(RESULTS)/speedrun/slopes.svg (also .pdf, .png; every fit: fits.csv)"

check: ## Begin: set up, build everything, run all tests (minutes); ends with "N passed, N failed"
	@bash .ci/deps.sh build mpi python
	@$(SUBMAKE) all tests || $(build_failed)
	@BUILD=$(BUILD) CC="$(CC)" NVCC="$(NVCC)" JOBS=$(JOBS) bash tests/run.sh

check-kernels: ## Test: the same bits under other BLAS kernels, C libraries and compilers (half an hour)
	@bash .ci/deps.sh build
	@$(SUBMAKE) all tests || $(build_failed)
	@BUILD=$(BUILD) JOBS=$(JOBS) bash tests/kernels.sh

check-cluster: ## Test: a Slurm of its own on this machine (minutes); needs root; installs Slurm and Open MPI
	@bash .ci/deps.sh build mpi cluster
	@$(SUBMAKE) cli $(BUILD)/lib/steep_mpi.so || $(build_failed)
	@BUILD=$(BUILD) bash tests/cluster.sh || { s=$$?; [ $$s -eq 77 ] || exit $$s; }

check-gpu: ## Test: the GPU's fits beside the CPU's; needs a GPU (TWIN=1: the host build in its place)
	@$(SUBMAKE) cli $(DEVICE_OBJECTS) || $(build_failed)
	@BUILD=$(BUILD) TWIN=$(TWIN) bash tests/gpu.sh || { s=$$?; [ $$s -eq 77 ] || exit $$s; }

bench-cluster: ## Measure: 2, 4 and 16 ranks beside one process; up to a million fits (FULL=1: ten million)
	@bash .ci/deps.sh build mpi
	@$(SUBMAKE) cli $(BUILD)/lib/steep_mpi.so $(BUILD)/experiments/cluster || $(build_failed)
	@BUILD=$(BUILD) RESULTS=$(RESULTS) FULL=$(FULL) bash tests/bench_cluster.sh

bench-gpu: ## Measure: fits per second of a GPU beside all cores; needs a GPU (TWIN=1: the host build)
	@$(SUBMAKE) cli $(DEVICE_OBJECTS) $(if $(TWIN),,$(if $(NVCC),$(BUILD)/experiments/gpu_ceilings)) || $(build_failed)
	@BUILD=$(BUILD) RESULTS=$(RESULTS) TWIN=$(TWIN) bash tests/bench_gpu.sh || { s=$$?; [ $$s -eq 77 ] || exit $$s; }

# Before the rule that names it, where it is expanded.
MPI_OBJECT = $(if $(MPICC),$(BUILD)/lib/steep_mpi.so)
all: lib cli $(MPI_OBJECT) $(EXPERIMENTS) $(BUILD)/bin/prove ## Build: the library, the program, the experiments and the proofs
lib: $(BUILD)/lib/libsteep.a $(BUILD)/lib/libsteep.so $(INCLUDES) ## Build: libsteep.a and libsteep.so
cli: $(if $(CLI_SRC),$(BUILD)/bin/steep)
tests: $(TESTS)

$(BUILD)/obj/src/slope/%.o: private ALL_CFLAGS += $(MOVES) $(MASKS)
$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  $<)$(CC) $(ALL_CFLAGS) $(DEFINES) -MMD -MP -c $< -o $@

# Files that the program carries, as C strings: gnuplot's scripts, and what a page holds.
SCRIPTS := style slopes fit map separation law curves
$(BUILD)/draw_texts.c: $(SCRIPTS:%=plots/%.gp) src/embed.sh src/draw/figure.h
	@mkdir -p $(@D)
	@bash src/embed.sh draw/figure.h $(foreach s,$(SCRIPTS),steep_script_$(s)=plots/$(s).gp) > $@

$(BUILD)/page_texts.c: src/page/page.css src/page/page.js src/embed.sh src/page/page.h
	@mkdir -p $(@D)
	@bash src/embed.sh page/page.h steep_page_style=src/page/page.css steep_page_script=src/page/page.js > $@

$(BUILD)/obj/%_texts.o: $(BUILD)/%_texts.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  $<)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# Other objects, other archives: a folder that goes or comes back, though nothing in it is newer.
$(BUILD)/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(LIB_OBJ) $(ANNEX_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ) $(ANNEX_OBJ)' > $@

$(BUILD)/lib/libsteep.a: $(LIB_OBJ) $(BUILD)/objects
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR  $@)ar rcs $@ $(LIB_OBJ)

$(BUILD)/lib/annexes.a: $(ANNEX_OBJ) $(BUILD)/annexes.c $(BUILD)/objects
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR  $@)ar rcs $@ $(ANNEX_OBJ)

# The rows of the annexes that are there.
# $(call list,HEADER,TYPE,ARRAY,NAMES): the rows TYPE_NAME.
list = { echo '\#include "$(1)"'; for n in $(4); do echo "extern const $(2) $(2)_$$n;"; done; \
         echo 'const $(2) *const $(3)[] = {$(4:%=&$(2)_%,) NULL};'; } > $@.new; \
       if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/annexes.c: FORCE
	@mkdir -p $(@D)
	@$(call list,cli/annex.h,steep_annex,steep_annexes,$(ANNEX_ROWS))
$(BUILD)/backends.c: FORCE
	@mkdir -p $(@D)
	@$(call list,execute/backend.h,steep_backend,steep_annex_backends,$(BACKENDS))
$(BUILD)/limits.c: FORCE
	@mkdir -p $(@D)
	@$(call list,study/limits.h,steep_limits_of,steep_annex_limits,$(LIMITS))
$(BUILD)/solvers.c: FORCE
	@mkdir -p $(@D)
	@$(call list,fit/solvers.h,steep_solvers_of,steep_annex_solvers,$(SOLVERS))
$(BUILD)/obj/annexes.o $(BUILD)/obj/backends.o $(BUILD)/obj/limits.o $(BUILD)/obj/solvers.o: $(BUILD)/obj/%.o: $(BUILD)/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  $<)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# The static library keeps all names, which tests and experiments need; they begin with steep_.
$(BUILD)/lib/libsteep.so: $(LIB_OBJ) $(BUILD)/objects
	@mkdir -p $(@D)
	$(call say,LD  $@)$(CC) -shared -Wl,-soname,libsteep.so.$(SOVERSION) $(CFLAGS) $(LIB_OBJ) -o $@ $(LDFLAGS) $(LDLIBS)
	@ln -sf libsteep.so $@.$(SOVERSION)

# The device code as plain C++ (src/cuda/twin.cc), which tests load where there is no GPU. Nothing of the library is
# linked: it stands on the C and C++ libraries alone, as the object for the GPU stands on CUDA's.
$(BUILD)/lib/steep_twin.so: src/cuda/twin.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX $@)$(CXX) $(CXX_STD) -Wall -Wextra -Wshadow -Wno-maybe-uninitialized -Isrc $(CFLAGS) -MMD -MP -MT $@ -MF $@.d -shared $< -o $@ \
	    $(LDFLAGS)

# The link of several ranks, over MPI, where there is one: Steep itself links none.
$(BUILD)/lib/steep_mpi.so: src/cluster/link.c $(BUILD)/flags $(BUILD)/mpicc
	@mkdir -p $(@D)
	$(call say,MPI $@)$(MPICC) $(STD) $(WARN) -fvisibility=hidden -Isrc $(CFLAGS) -MMD -MP -MT $@ -MF $@.d -shared $< -o $@ $(LDFLAGS)

# What check-gpu and bench-gpu load.
DEVICE_OBJECTS = $(BUILD)/lib/steep_twin.so $(if $(TWIN),,$(if $(NVCC),$(BUILD)/lib/steep_cuda.so))
# The object for GPUs: machine code for CUDA_ARCH, PTX for what comes after. The CUDA runtime is linked statically, so that
# it can be loaded, and say what is missing, where there is no CUDA. The solvers are one file; each row of the list of
# units is compiled apart, as one file with all of them takes hours; the device's linker joins what CUDA_ROWS names.
ALL_CUDA_ROWS := $(shell sed -n 's/^STEEP_UNIT.\([a-z0-9_]*\),.*/\1/p' src/model/units/list.h) written
CUDA_ROWS ?= $(ALL_CUDA_ROWS)
CUDA_ARCH ?= 80 90
CUDA_IDS   = $(subst -,_,$(subst $(comma), ,$(CUDA_ROWS)))
CUDA_CODE  = -gencode arch=compute_$(firstword $(CUDA_ARCH)),code=[$(subst $(space),$(comma),$(CUDA_ARCH:%=sm_%) compute_$(firstword $(CUDA_ARCH)))]
CUDA_FLAGS = -std=c++17 -O3 $(CUDA_CODE) -Xcompiler -Wall,-Wextra,-ffp-contract=off,-fPIC,-fvisibility=hidden -Isrc
CUDA_UNIT  = $(BUILD)/cuda/unit_$(1).o
CUDA_OBJ   = $(BUILD)/cuda/batch.o $(BUILD)/cuda/choose.o $(foreach r,$(CUDA_IDS),$(call CUDA_UNIT,$(r)))
# 352 threads, one block on a multiprocessor, or 96 and four: 168 registers each, for what kernels call as for kernels.
COMPILE_CUDA = $(call say,NVCC $@)$(NVCC) $(CUDA_FLAGS) -maxrregcount=168 -MMD -MP -MF $@.d -dc
$(BUILD)/cuda/batch.o: src/cuda/batch.cu
	$(COMPILE_CUDA) $< -o $@
$(BUILD)/cuda/choose.o: src/cuda/choose.cu $(BUILD)/cuda/rows.h
	$(COMPILE_CUDA) -include $(BUILD)/cuda/rows.h $< -o $@
$(ALL_CUDA_ROWS:%=$(BUILD)/cuda/unit_%.o): $(BUILD)/cuda/unit_%.o: src/cuda/unit.cu
	$(COMPILE_CUDA) -DSTEEP_ROW=$* $< -o $@
$(ALL_CUDA_ROWS:%=$(BUILD)/cuda/unit_%.o) $(BUILD)/cuda/choose.o $(BUILD)/cuda/batch.o: $(BUILD)/cuda/flags

$(BUILD)/lib/steep_cuda.so: $(CUDA_OBJ)
	@mkdir -p $(@D)
	@echo '{ global: steep_cuda_entry; local: *; };' > $(BUILD)/cuda/exported.map
	$(call say,LINK $@)$(NVCC) $(CUDA_CODE) -cudart static -Xnvlink -v -Xlinker --version-script=$(BUILD)/cuda/exported.map -shared $(CUDA_OBJ) -o $@ > $@.log 2>&1 || { cat $@.log >&2; exit 1; }

# Other flags or rows, other objects.
$(BUILD)/cuda/flags: FORCE
	@[ -n "$(NVCC)" ] || { echo "make: no nvcc in PATH or /usr/local/cuda/bin: install a CUDA toolkit, or use NVCC=FILE" >&2; exit 2; }
	@mkdir -p $(@D)
	@echo '$(NVCC) $(CUDA_FLAGS)' | cmp -s - $@ || echo '$(NVCC) $(CUDA_FLAGS)' > $@
$(BUILD)/cuda/rows.h: FORCE
	@for r in $(CUDA_IDS); do case " $(strip $(ALL_CUDA_ROWS)) " in *" $$r "*) ;; \
	    *) echo "make: CUDA_ROWS has no architecture $$r: \"steep list\" has them" >&2; exit 2 ;; esac; done
	@mkdir -p $(@D)
	@printf '#define STEEP_BUILT_%s 0,\n' $(CUDA_IDS) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(BUILD)/include/%.h: src/%.h
	@mkdir -p $(@D)
	@cp $< $@
$(PUBLIC_ANNEXES:%=$(BUILD)/include/steep/%.h): $(BUILD)/include/steep/%.h: src/%/public.h
	@mkdir -p $(@D)
	@cp $< $@

$(BUILD)/bin/steep: $(CLI_OBJ) $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD  $@)$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

# A program of one file, and objects of its own where a rule names some, linked with the library.
PROGRAM = $(CC) $(ALL_CFLAGS) -MMD -MP -MT $@ -MF $@.d $< $(filter %.o,$^) $(ARCHIVES) -o $@ $(LDFLAGS)

$(BUILD)/experiments/gpu_ceilings: experiments/gpu_ceilings.cu
	@mkdir -p $(@D)
	$(call say,NVCC $@)$(NVCC) -O2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] $< -o $@

$(BUILD)/experiments/%: experiments/%.c $(ARCHIVES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD  $@)$(PROGRAM) -DSTEEP_EXPERIMENTS='"$(CURDIR)/experiments"' -DSTEEP_PLOTS='"$(CURDIR)/plots"' $(LDLIBS)

# Experiments that are sweeps: scripts that run steep; some have points from the library.
$(patsubst experiments/sweeps/%.py,$(BUILD)/experiments/%,$(shell grep -l '^from trained ' experiments/sweeps/*.py)): $(BUILD)/lib/libsteep.so
$(BUILD)/experiments/%: experiments/sweeps/%.py
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nSTEEP=%s/bin/steep exec python3 -B %s "$$@"\n' '$(abspath $(BUILD))' '$(CURDIR)/$<' >$@ && chmod +x $@

$(BUILD)/bin/prove: $(PROOF_OBJ) $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD  $@)$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

$(BUILD)/tests/cuda/test_twin: $(BUILD)/lib/steep_twin.so
$(BUILD)/tests/test_regression: private ALL_CFLAGS += $(MASKS)
$(BUILD)/tests/certify/test_norms: $(BUILD)/obj/proofs/exact.o
$(BUILD)/tests/certify/test_lp: $(BUILD)/obj/proofs/lp.o
$(BUILD)/tests/cuda/test_device: $(BUILD)/tests/cuda/faulty_device.so
# A device that fails on purpose: a layer over the twin.
$(BUILD)/tests/cuda/faulty_device.so: tests/cuda/faulty_device.c $(BUILD)/lib/steep_twin.so $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  $@)$(CC) $(ALL_CFLAGS) -fvisibility=hidden -MMD -MP -MT $@ -MF $@.d -shared $< -o $@ \
	    -DSTEEP_TWIN='"$(abspath $(BUILD))/lib/steep_twin.so"' $(LDFLAGS)
$(BUILD)/tests/%: tests/%.c $(ARCHIVES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD  $@)$(PROGRAM) -Itests $(WRAP) -DSTEEP_TWIN='"$(abspath $(BUILD))/lib/steep_twin.so"' \
	    -DSTEEP_FAULTY='"$(abspath $(BUILD))/tests/cuda/faulty_device.so"' $(CHECK_LIBS) $(LDLIBS) -llapacke $(TUNED_BLAS) -lm

# Harnesses see what gnuplot would be given (tests/fuzz/figure.c).
$(BUILD)/tests/test_fuzz: $(HARNESS_OBJ)
$(BUILD)/tests/test_fuzz $(HARNESSES:%=$(BUILD)/fuzz/%): WRAP = -Wl,--wrap=steep_gnuplot_run

# A test counts the jets that a mean takes.
$(BUILD)/tests/test_target: WRAP = -Wl,--wrap=steep_formula_jet

# A harness with libFuzzer: clang alone has it, so these are built by "make fuzz".
$(HARNESSES:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: tests/fuzz/entry.c $(HARNESS_OBJ) $(ARCHIVES) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD  $@)$(PROGRAM) -DFUZZ=fuzz_$* -fsanitize=fuzzer $(WRAP) $(LDLIBS)
FUZZ_CFLAGS := -O1 -g -fno-omit-frame-pointer -DSTEEP_NO_CLONES -fsanitize=fuzzer-no-link,address,undefined \
               -fno-sanitize-recover=all
fuzzers: $(HARNESSES:%=$(BUILD)/fuzz/%)

# The whole program within a test, where its main has another name.
$(BUILD)/obj/tests/program.o: src/cli/steep.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC  $@)$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -Dmain=steep_program -MMD -MP -c $< -o $@

$(BUILD)/tests/test_faults: $(BUILD)/obj/tests/program.o $(filter-out %/steep.o,$(CLI_OBJ))

# Other flags, other objects: the file changes only when the flags do. Likewise the commit, which one object alone knows.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(LDFLAGS)' > $@

$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@c=$$(sed 's/ .*//' .ci/commit 2>/dev/null || git describe --always --dirty 2>/dev/null || echo unknown); \
	    echo "$$c" | cmp -s - $@ || echo "$$c" > $@

$(BUILD)/obj/src/record/machine.o: $(BUILD)/commit
$(BUILD)/obj/src/record/machine.o: DEFINES = -DSTEEP_VERSION='"$(VERSION)"' \
    -DSTEEP_COMMIT='"$(shell cat $(BUILD)/commit)"' \
    -DSTEEP_CFLAGS='"$(strip $(STD) $(filter-out -ffile-prefix-map=%,$(CFLAGS)))"'

# Whether an object for the GPU belongs to this build, for who asks for it and does not find it.
$(BUILD)/nvcc: FORCE
	@mkdir -p $(@D)
	@echo '$(NVCC)' | cmp -s - $@ || echo '$(NVCC)' > $@

$(BUILD)/mpicc: FORCE
	@mkdir -p $(@D)
	@echo '$(MPICC)' | cmp -s - $@ || echo '$(MPICC)' > $@

$(BUILD)/obj/src/cluster/mpi.o: $(BUILD)/mpicc
$(BUILD)/obj/src/cluster/mpi.o: DEFINES = -DSTEEP_MPICC='"$(MPICC)"'

$(BUILD)/obj/src/cuda/device.o: $(BUILD)/nvcc
$(BUILD)/obj/src/cuda/device.o: DEFINES = -DSTEEP_NVCC='"$(NVCC)"'

check-faults: ## Test: every allocation, write, sync and rename of 21 commands fails once (ten minutes)
	@bash .ci/deps.sh build
	@$(SUBMAKE) $(BUILD)/tests/test_faults || $(build_failed)
	@FAULTS=all $(BUILD)/tests/test_faults

check-report: ## Test: the report page in a headless browser, 10^5 fits (two minutes); installs chromium
	@bash .ci/deps.sh build browser
	@$(SUBMAKE) cli || $(build_failed)
	@STEEP=$(BUILD)/bin/steep RESULTS=$(RESULTS) python3 tests/report.py $(README_SWEEP)

# Sweeps, tables alone, pictures of one fit, folders within folders.
SOME_FIGURES := fits frozen sawtooth slopes
check-figures: ## Test: quick forms of some figures, and the report over them (a minute); installs chromium
	@bash .ci/deps.sh build browser
	@$(SUBMAKE) cli $(SOME_FIGURES:%=$(BUILD)/experiments/%) || $(build_failed)
	@rm -rf $(RESULTS)/some && BUILD=$(BUILD) RESULTS=$(RESULTS)/some QUICK=1 bash docs/figures.sh $(SOME_FIGURES)
	@STEEP=$(BUILD)/bin/steep RESULTS=$(RESULTS) python3 tests/report.py --all $(RESULTS)/some

check-core: ## Test: the core without any annex, each and all of them (three minutes)
	@bash .ci/deps.sh build
	@$(SUBMAKE) lib cli || $(build_failed)
	@BUILD=$(BUILD) CC="$(CC)" JOBS=$(JOBS) bash tests/core.sh

print-annexes:
	@echo $(ANNEXES)

check-guides: ## Test: build a copy with what docs/howto/adding-*.md tells to write, and test it (a minute)
	@bash .ci/deps.sh build
	@$(SUBMAKE) cli || $(build_failed)
	@GUIDES=build BUILD=$(BUILD) CC="$(CC)" bash tests/check_guides.sh

cuda: ## Build: the object for GPUs (needs nvcc, no GPU; minutes); CUDA_ROWS=glu,gqu or CUDA_ARCH=90: a part
	@$(SUBMAKE) $(BUILD)/lib/steep_cuda.so || $(build_failed)

gpu-kit: ## Build: .gpu-kit, all that tests/gpu_first.sh needs on a bare machine with a GPU (without nvcc: for TWIN=1 alone)
	@$(SUBMAKE) cli $(DEVICE_OBJECTS) $(if $(NVCC),$(BUILD)/experiments/gpu_ceilings) || $(build_failed)
	@BUILD=$(BUILD) bash tests/gpu_kit.sh .gpu-kit

bench: ## Measure: speed on one core beside FITPACK and GSL, exponents, what a unit costs
	@bash .ci/deps.sh build
	@$(SUBMAKE) cli $(BUILD)/experiments/bench || $(build_failed)
	$(BUILD)/experiments/bench --out $(RESULTS)/bench

bench-nist: ## Measure: the least-squares solver on NIST's 27 problems, from NIST=DIR, beside GSL's
	@[ -n "$(NIST)" ] || { echo "make bench-nist: NIST is not given: use NIST=DIR, the folder of NIST's StRD nonlinear" \
	    "regression files (Misra1a.dat and so on)" >&2; exit 2; }
	@bash .ci/deps.sh build
	@$(SUBMAKE) $(BUILD)/experiments/nist || $(build_failed)
	$(BUILD)/experiments/nist --data "$(NIST)" --out $(RESULTS)/nist

figures: ## Measure: all figures and tables into results/, and one report; DATA=DIR, QUICK=1
	@bash .ci/deps.sh build experiments
	@$(SUBMAKE) cli $(EXPERIMENTS) || $(build_failed)
	@BUILD=$(BUILD) RESULTS=$(RESULTS) DATA=$(DATA) QUICK=$(QUICK) bash docs/figures.sh $(FIGURES)

proofs: ## Measure: check the papers' statements, one by one, and print what is true of each
	@bash .ci/deps.sh build
	@$(SUBMAKE) $(BUILD)/bin/prove || $(build_failed)
	@$(BUILD)/bin/prove

proofs-coq: ## Measure: compile proofs/coq, print the axioms it rests on (needs Coq and Coquelicot)
	@bash proofs/coq/check.sh $(BUILD)/proofs-coq || { s=$$?; [ $$s -eq 77 ] || exit $$s; }

tables: ## Measure: the tables of the documents (two hours); TABLES="frozen gain": these alone
	@bash .ci/deps.sh build experiments
	@$(SUBMAKE) cli $(EXPERIMENTS) || $(build_failed)
	@BUILD=$(BUILD) RESULTS=$(RESULTS) DATA=$(DATA) bash docs/tables.sh write $(TABLES)

docs: ## Build: the documents as web pages, build/docs/html, by Sphinx and Doxygen; a warning is an error
	@bash .ci/deps.sh build docs
	@$(SUBMAKE) lib cli $(BUILD)/bin/prove || $(build_failed)
	@bash docs/build.sh $(BUILD)/bin/steep $(BUILD)/bin/prove $(BUILD)/docs

picture: ## Build: draw docs/figures/slopes.svg anew, the figure of the README
	@bash .ci/deps.sh build
	@$(SUBMAKE) cli || $(build_failed)
	@$(BUILD)/bin/steep sweep $(README_SWEEP) --fresh --quiet --out $(RESULTS)/readme
	@cp $(RESULTS)/readme/slopes.svg docs/figures/slopes.svg

# Manual pages, from what --help prints.
$(BUILD)/man/steep.1: docs/man.sh $(BUILD)/bin/steep
	$(call say,MAN $(BUILD)/man)bash docs/man.sh $(BUILD)/bin/steep $(BUILD)/man

install: lib cli $(BUILD)/man/steep.1 ## Package: program, libraries, headers, pkg-config file, man pages, completion, Python module under PREFIX
	install -d $(addprefix $(DESTDIR),$(bindir) $(libdir)/pkgconfig $(includedir)/steep $(mandir)/man1 $(completiondir))
	install -m 755 $(BUILD)/bin/steep $(DESTDIR)$(bindir)/steep
	install -m 644 $(BUILD)/lib/libsteep.a $(DESTDIR)$(libdir)/libsteep.a
	install -m 755 $(BUILD)/lib/libsteep.so $(DESTDIR)$(libdir)/libsteep.so.$(VERSION)
	ln -sf libsteep.so.$(VERSION) $(DESTDIR)$(libdir)/libsteep.so.$(SOVERSION)
	ln -sf libsteep.so.$(SOVERSION) $(DESTDIR)$(libdir)/libsteep.so
	[ ! -f $(BUILD)/lib/steep_mpi.so ] || install -m 755 $(BUILD)/lib/steep_mpi.so $(DESTDIR)$(libdir)/steep_mpi.so
	[ ! -f $(BUILD)/lib/steep_cuda.so ] || install -m 755 $(BUILD)/lib/steep_cuda.so $(DESTDIR)$(libdir)/steep_cuda.so
	install -m 644 $(BUILD)/include/steep.h $(DESTDIR)$(includedir)/steep.h
	install -m 644 $(wildcard $(BUILD)/include/steep/*.h) $(DESTDIR)$(includedir)/steep
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
	    -e 's|@version@|$(VERSION)|' -e 's|@rpath@|$(RPATH)|' -e 's|@libs@|$(strip $(LDLIBS))|' src/steep.pc.in \
	    > $(DESTDIR)$(libdir)/pkgconfig/steep.pc
	install -m 644 $(BUILD)/man/*.1 $(DESTDIR)$(mandir)/man1
	$(BUILD)/bin/steep completion bash > $(DESTDIR)$(completiondir)/steep
	$(if $(pythondir),install -d $(DESTDIR)$(pythondir) && install -m 644 python/steep.py $(DESTDIR)$(pythondir)/steep.py)

uninstall: $(BUILD)/man/steep.1 ## Package: remove what install put there
	rm -f $(addprefix $(DESTDIR),$(bindir)/steep $(libdir)/libsteep.a $(libdir)/libsteep.so \
	    $(libdir)/libsteep.so.$(SOVERSION) $(libdir)/libsteep.so.$(VERSION) $(libdir)/steep_cuda.so $(libdir)/steep_mpi.so $(includedir)/steep.h $(includedir)/steep/*.h \
	    $(libdir)/pkgconfig/steep.pc $(completiondir)/steep)
	@for page in $(BUILD)/man/*.1; do rm -f "$(DESTDIR)$(mandir)/man1/$${page##*/}"; done
	$(if $(pythondir),rm -f $(DESTDIR)$(pythondir)/steep.py $(DESTDIR)$(pythondir)/__pycache__/steep.*.pyc)

# A program finds the library where it was installed, without LD_LIBRARY_PATH. Below /usr/lib the loader looks anyway.
RPATH = $(if $(filter /usr/lib /usr/lib/%,$(libdir)),,-Wl$(comma)-rpath$(comma)$${libdir})

dist: ## Package: the source archive, the same bytes each time
	@bash .ci/packaging/dist.sh $(BUILD)/dist

check-dist: ## Package: unpack that archive where there is no git, build it, run the program (a minute)
	@BUILD=$(BUILD) JOBS=$(JOBS) bash .ci/packaging/check-dist.sh

deb: ## Package: Debian packages into build/deb (needs debhelper)
	@JOBS=$(JOBS) bash .ci/packaging/deb.sh $(BUILD)/deb

check-deb: ## Package: install these packages in a fresh Debian and use them (debootstrap, root; minutes)
	@BUILD=$(BUILD) JOBS=$(JOBS) bash .ci/packaging/check-deb.sh

check-deb-twice: ## Package: archive and packages twice, elsewhere and later: the same bytes (FAST=1: quicker)
	@bash .ci/packaging/check-deb-twice.sh

check-docker: ## Package: the steps of .ci/packaging/Dockerfile in fresh Debians (debootstrap, root; minutes)
	@BUILD=$(BUILD) bash .ci/packaging/check-docker.sh

asan: ## Test: all tests under the address and undefined-behaviour sanitizers (build-asan)
	@ASAN_OPTIONS=allocator_may_return_null=1 CK_TIMEOUT_MULTIPLIER=5 LIMIT=3600 $(MAKE) --no-print-directory check BUILD=build-asan \
	    CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

tsan: ## Test: two threads that fit at once, under the thread and undefined-behaviour sanitizers (build-tsan; minutes)
	@bash .ci/deps.sh build
	@$(SUBMAKE) BUILD=build-tsan CFLAGS="-O1 -g -fsanitize=thread,undefined -fno-sanitize-recover=all" build-tsan/tests/test_session || $(build_failed)
	@CK_FORK=no build-tsan/tests/test_session

fuzz: ## Test: random input for every reader, SECONDS=60 each (build-fuzz); FUZZ="csv slope": these alone
	@bash .ci/deps.sh build fuzz
	@$(SUBMAKE) fuzzers BUILD=build-fuzz CC=clang CFLAGS="$(FUZZ_CFLAGS)" || $(build_failed)
	@BUILD=build-fuzz LIMIT=$(SECONDS) bash tests/fuzz/run.sh $(or $(FUZZ),$(HARNESSES))

coverage: ## Test: all tests, and which lines ran (build-coverage/html/index.html)
	@bash .ci/deps.sh coverage
	@rm -rf build-coverage/html; find build-coverage -name '*.gcda' -delete 2>/dev/null || true
	@CK_TIMEOUT_MULTIPLIER=5 LIMIT=3600 $(MAKE) --no-print-directory check BUILD=build-coverage \
	    CFLAGS="-O1 -g --coverage -DSTEEP_NO_CLONES -DSTEEP_COVERAGE"
	@mkdir -p build-coverage/html
	gcovr --root . --filter src/ --exclude-unreachable-branches -j $(JOBS) --print-summary \
	    --html-details build-coverage/html/index.html build-coverage/obj > build-coverage/html/summary.txt
	@cat build-coverage/html/summary.txt

lint: ## Test: clang-tidy, cppcheck, gcc -fanalyzer, shellcheck, clang-format, the rules of the house
	@bash .ci/deps.sh build lint
	@CC="$(CC)" STD="$(STD)" WARN="$(WARN)" JOBS=$(JOBS) BUILD=$(BUILD) bash tests/lint.sh

doctor: ## Begin: say what was found: compiler, libraries, instruction set, plotting, GPU
	@CC="$(CC)" NVCC="$(NVCC)" BUILD=$(BUILD) bash .ci/doctor.sh

deps: ## Begin: install what is missing (Debian packages; root is asked for only then)
	@bash .ci/deps.sh build

clean: ## Build: remove build folders (results stay)
	rm -rf $(BUILD) build-asan build-coverage build-fuzz build-kernels

help: ## Begin: list these targets
	@for group in Begin Build Test Measure Package; do echo "$$group:"; \
	    sed -n "s/^\\([a-z-]*\\):[^#]*## $$group: \\(.*\\)/\\1\t\\2/p" Makefile | awk -F'\t' '{printf "  %-16s %s\n", $$1, $$2}'; done
	@echo "Variables: BUILD=$(BUILD) RESULTS=$(RESULTS) CC=$(CC) PREFIX=$(prefix) JOBS=$(JOBS) V=$(V) CFLAGS='$(CFLAGS)'"

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
