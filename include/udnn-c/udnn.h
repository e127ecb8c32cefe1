/*===- udnn.h - run compiled models ------------------------------*- C -*-===*\
|*
|* The C API of the runtime: load an artifact, create a context, bind memory,
|* run. See docs/c-api.md for an example.
|*
|* Every function returns a status; results are the `out_` parameters at the
|* end. After a failure `udnn_last_error` says why. Strings and arrays that
|* are returned live as long as the model. A model may be used by several
|* threads at the same time, a context by one at a time.
|*
|* SPDX-License-Identifier: Apache-2.0
|*
\*===----------------------------------------------------------------------===*/

#ifndef UDNN_C_UDNN_H
#define UDNN_C_UDNN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define UDNN_API __attribute__((visibility("default")))
#else
#define UDNN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum udnn_status {
  UDNN_OK = 0,
  /** A null pointer, an index or a size that does not fit, an unknown name. */
  UDNN_INVALID_ARGUMENT = 1,
  /** The artifact cannot be read, is damaged, or has another version. */
  UDNN_INVALID_ARTIFACT = 2,
  /** The device is not there, or cannot run what the artifact holds. */
  UDNN_UNSUPPORTED_DEVICE = 3,
  UDNN_OUT_OF_MEMORY = 4,
  /** An input or output has no memory bound to it. */
  UDNN_NOT_BOUND = 5,
  /** A frozen input holds another value than the model was compiled for. */
  UDNN_FROZEN_INPUT_DIFFERS = 6,
  /** The device failed while running. */
  UDNN_DEVICE_FAILED = 7
} udnn_status;

/** A loaded artifact: programs, their code and constants. */
typedef struct udnn_model udnn_model;
/** Memory and threads (or a queue of a GPU) to run one program. */
typedef struct udnn_context udnn_context;

typedef struct udnn_model_info {
  /** Program and version that wrote the artifact. */
  const char *producer;
  uint64_t file_bytes;
  /** Bytes of all constants together, and of all code. */
  uint64_t constant_bytes;
  uint64_t code_bytes;
  uint32_t format_version;
  uint32_t abi_version;
  size_t num_programs;
} udnn_model_info;

typedef struct udnn_program_info {
  const char *entry;
  /** "cpu" or "cuda", and the architecture that the code was made for. */
  const char *device_kind;
  const char *device_arch;
  /** CPU features that the code needs, in LLVM's names. */
  const char *const *device_features;
  size_t num_device_features;
  /** Memory of a context: shared by all launches, and scratch memory: per worker thread on a CPU,
      once on a GPU. */
  uint64_t arena_bytes;
  uint64_t worker_bytes;
  /** Largest set of arena bytes that is in use at one time. */
  uint64_t live_bytes;
  /** Bytes of the constants that the program reads. */
  uint64_t constant_bytes;
  size_t num_inputs;
  size_t num_outputs;
  size_t num_launches;
  /** What the code is: "elf" (machine code for CPUs), "cubin" (machine code for GPUs) or "ptx"
      (compiled by the driver when a context is created); "none" where nothing is launched. */
  const char *code_format;
} udnn_program_info;

typedef struct udnn_tensor_info {
  const char *name;
  /** Number in onnx.TensorProto.DataType, and its name ("float", ...). */
  int32_t type;
  const char *type_name;
  size_t rank;
  const int64_t *shape;
  uint64_t bytes;
  /** The only value that the input may have, or null. */
  const void *frozen;
} udnn_tensor_info;

typedef struct udnn_launch_info {
  const char *layer;
  const char *family;
  const char *kernel;
  int64_t grid[3];
  int64_t block[3];
  uint64_t shared_bytes;
  uint32_t queue;
  size_t num_arguments;
} udnn_launch_info;

/** Message of the last failure on this thread; never null. */
UDNN_API const char *udnn_last_error(void);

/** Version of this library, such as "0.1.0", and of the artifacts and code that it accepts. */
UDNN_API udnn_status udnn_version(const char **out_version, uint32_t *out_format_version,
                                  uint32_t *out_abi_version);

/** Loads an artifact from a file, which must not be changed while the model lives. */
UDNN_API udnn_status udnn_model_load_file(const char *path, udnn_model **out_model);

/** Loads an artifact from memory, which must stay valid and unchanged while the model or one of
    its contexts lives. Bytes that are not aligned to 64 are copied. */
UDNN_API udnn_status udnn_model_load_memory(const void *data, size_t size, udnn_model **out_model);

/** Destroys the handle; contexts made from it keep working. Null is allowed. */
UDNN_API udnn_status udnn_model_destroy(udnn_model *model);

UDNN_API udnn_status udnn_model_get_info(const udnn_model *model, udnn_model_info *out_info);

/** Finds the program for `entry` (null: any) that suits `device` best, the first among equals.
    Devices are "cpu" and "cuda:N", the GPU with the number N ("cuda" is "cuda:0"). */
UDNN_API udnn_status udnn_model_find_program(const udnn_model *model, const char *entry,
                                             const char *device, size_t *out_program);

UDNN_API udnn_status udnn_model_get_program(const udnn_model *model, size_t program,
                                            udnn_program_info *out_info);
UDNN_API udnn_status udnn_model_get_input(const udnn_model *model, size_t program, size_t input,
                                          udnn_tensor_info *out_info);
UDNN_API udnn_status udnn_model_get_output(const udnn_model *model, size_t program, size_t output,
                                           udnn_tensor_info *out_info);
UDNN_API udnn_status udnn_model_get_launch(const udnn_model *model, size_t program, size_t launch,
                                           udnn_launch_info *out_info);

/** Finds an input or output by its name. */
UDNN_API udnn_status udnn_model_find_input(const udnn_model *model, size_t program,
                                           const char *name, size_t *out_input);
UDNN_API udnn_status udnn_model_find_output(const udnn_model *model, size_t program,
                                            const char *name, size_t *out_output);

/** Creates a context for `program` on `device` ("cpu", "cuda:0", ...) with `threads` threads, the
    calling one included (0: one per CPU that this process may use; ignored on a GPU). Checks the
    digests of the bytes that the program uses. On a GPU it works in the device's primary context,
    whatever context the caller has current, and on a stream of its own. */
UDNN_API udnn_status udnn_context_create(udnn_model *model, size_t program, const char *device,
                                         uint32_t threads, udnn_context **out_context);

/** Null is allowed. */
UDNN_API udnn_status udnn_context_destroy(udnn_context *context);

/** Gives the context the memory of an input (read by every run) or output (written by every run):
    memory of exactly the tensor's size, aligned to its elements (null will do for no bytes).
    Inputs and outputs must not overlap. A frozen input need not be bound. The memory is the host's;
    a context on a GPU also takes memory of that GPU, which its kernels use in place and which must
    be written before and read after the run. The first run after the address of device memory
    changed prepares the launches again. */
UDNN_API udnn_status udnn_context_bind_input(udnn_context *context, size_t input, const void *data,
                                             size_t size);
UDNN_API udnn_status udnn_context_bind_output(udnn_context *context, size_t output, void *data,
                                              size_t size);

/** Runs the program once and waits for it. Allocates nothing. */
UDNN_API udnn_status udnn_context_run(udnn_context *context);

/** The same; also writes the time of each launch in nanoseconds into `out_launch_ns`, which has
    room for `num_launches` numbers. */
UDNN_API udnn_status udnn_context_run_profiled(udnn_context *context, size_t num_launches,
                                               int64_t *out_launch_ns);

/** Number of threads that run the program (1 on a GPU). */
UDNN_API udnn_status udnn_context_get_threads(const udnn_context *context, uint32_t *out_threads);

/** What runs the program, for people: "cpu", or such as "NVIDIA H200 (cuda:0, sm_90)". The string
    lives as long as the context. */
UDNN_API udnn_status udnn_context_get_device(const udnn_context *context, const char **out_device);

#ifdef __cplusplus
}
#endif

#endif /* UDNN_C_UDNN_H */
