# Puts layoutc in front of nvcc. In a Makefile, behind the line that sets NVCC:
#
#     include layoutc.mk
#
# A layoutc.toml beside the Makefile names the sources of the program. `make LAYOUTC=` builds without layoutc,
# `make LAYOUTC_FLAGS="--layout 'Particle = soa'"` asks for a layout.

LAYOUTC ?= layoutc
LAYOUTC_FLAGS ?=

ifneq ($(LAYOUTC),)
override NVCC := $(LAYOUTC) launch $(LAYOUTC_FLAGS) -- $(or $(NVCC),nvcc)
endif

# What is known of the objects goes with them: `clean: layoutc-clean`.
.PHONY: layoutc-clean
layoutc-clean:
	rm -rf .layoutc
