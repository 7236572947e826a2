# What both modules are compiled with.

# The server's headers are not ours to mend.
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -std=gnu11 -Wall -Wextra -Werror -flto
# Two modules in one process have functions of the same name; each calls its own.
SHLIB_LINK = -lcrypto -Wl,-Bsymbolic

ifdef SANITIZE
PG_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -g -O1
SHLIB_LINK += -fsanitize=$(SANITIZE)
endif

# Bitcode would let the server's JIT compiler inline what stands for a call into an enclave.
override with_llvm := no
