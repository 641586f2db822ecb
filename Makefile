# SPDX-License-Identifier: GPL-3.0-or-later
# Steep. "make help" lists the targets.

BUILD   ?= build
CC      ?= gcc
PREFIX  ?= /usr/local
VERSION := 0.1.0

CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla
STD     := -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fno-math-errno \
           -ftree-vectorize -fvect-cost-model=dynamic -fPIC
ALL_CFLAGS = $(STD) $(WARN) -Isrc $(CFLAGS)

# OpenBLAS, the serial build: fits run in parallel, not the algebra inside them. Debian keeps it in a folder of its own;
# naming that folder keeps another build that the alternatives system prefers from being loaded instead.
MULTIARCH   := $(shell $(CC) -print-multiarch 2>/dev/null)
SERIAL_BLAS := $(firstword $(wildcard /usr/lib/$(MULTIARCH)/openblas-serial))
LDLIBS  = $(if $(SERIAL_BLAS),-L$(SERIAL_BLAS) -Wl$(comma)-rpath$(comma)$(SERIAL_BLAS)) \
          -lgsl -llapacke -lopenblas -ljansson -lpthread -lm
comma   := ,

ROOMS   := base data model spline measure fit sweep
LIB_SRC := $(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c))
CLI_SRC := $(wildcard src/cli/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
EXPERIMENTS := $(patsubst experiments/%.c,$(BUILD)/experiments/%,$(wildcard experiments/*.c))

.PHONY: all lib clean help test
all: lib $(if $(CLI_SRC),$(BUILD)/bin/steep) $(EXPERIMENTS)
lib: $(BUILD)/lib/libsteep.a $(BUILD)/lib/libsteep.so

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/lib/libsteep.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/lib/libsteep.so: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libsteep.so.0 $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

$(BUILD)/bin/steep: $(CLI_OBJ) $(BUILD)/lib/libsteep.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS) $(LDLIBS)

$(BUILD)/experiments/%: experiments/%.c $(BUILD)/lib/libsteep.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP $< $(BUILD)/lib/libsteep.a -o $@ $(LDFLAGS) $(LDLIBS)

$(BUILD)/tests/%: tests/%.c $(BUILD)/lib/libsteep.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP $< $(BUILD)/lib/libsteep.a -o $@ $(LDFLAGS) \
	    $(shell pkg-config --libs check) $(LDLIBS)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
