// Every check of attributes rejects what it is there to reject.
//
// RUN: udnn-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects 'cores' to be at least 1, got 0}}
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 0, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>} {}

// -----

// expected-error @+1 {{expects 'gbytes_per_s' to be at least 1, got -3}}
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = -3, l2_bytes = 1, launch_ns = 1>} {}

// -----

// expected-error @+1 {{expects 'vector_bits' to be a power of two from 64 to 2048, got 96}}
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 96, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>} {}

// -----

// expected-error @+1 {{expects 'error' to be at least 0, got -1}}
module attributes {dnn.limits = #dnn.limits<error = -1>} {}

// -----

// expected-error @+1 {{expects 'workspace' to be at least 0, got -2}}
module attributes {dnn.limits = #dnn.limits<error = 0, workspace = -2>} {}

// -----

// expected-error @+1 {{expects 'families' to be strings, got ["cpu.generic", 3]}}
module attributes {dnn.limits = #dnn.limits<error = 0, families = ["cpu.generic", 3]>} {}

// -----

// expected-error @+1 {{expects 'vector_bits' to be a power of two from 64 to 2048, got 2147483648}}
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 2147483648, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 1, launch_ns = 1>} {}

// -----

// expected-error @+1 {{expects 'l2_bytes' to be at most 1099511627776, got 4611686018427387904}}
module attributes {dnn.device = #dnn.device<kind = "cpu", arch = "a", features = "", cores = 2, vector_bits = 256, gflops_f32 = 1, gflops_f16 = 1, gbytes_per_s = 1, l2_bytes = 4611686018427387904, launch_ns = 1>} {}

// -----

// expected-error @+1 {{expects 'count' to be at least 1, got 0}}
module attributes {x = #dnn.piece<count = 0, batch = 0, family = "f", parameters = {}, time = 1, workspace = 0, worker = 0, error = 0, origin = "modelled">} {}

// -----

// expected-error @+1 {{expects 'workspace' to be at least 0, got -1}}
module attributes {x = #dnn.piece<count = 1, batch = 0, family = "f", parameters = {}, time = 1, workspace = -1, worker = 0, error = 0, origin = "modelled">} {}

// -----

// expected-error @+1 {{expects 'offset' to be at least 0, got -64}}
module attributes {x = #dnn.buffer<arena, 0, -64, 4096>} {}

// -----

// expected-error @+1 {{expects a spatial dimension of at least 0, got -1}}
module attributes {x = #dnn.dims<[-1, c, 0]>} {}

// -----

// A gap in the spatial dimensions.
// expected-error @+1 {{expects spatial dimensions to be numbered from 0 without gaps, got 2}}
func.func private @f() attributes {d = #dnn.dims<[n, c, 0, 2]>}

// -----

// A dimension named twice.
// expected-error @+1 {{expects every dimension once}}
func.func private @f() attributes {d = #dnn.dims<[n, c, c, 0]>}

// -----

// A block without its outer dimension.
// expected-error @+1 {{expects a block together with its outer dimension}}
func.func private @f() attributes {d = #dnn.dims<[n, 0, 8c]>}

// -----

// A logical size on a dimension that is not blocked.
// expected-error @+1 {{expects a logical size on a blocked dimension only}}
func.func private @f() attributes {d = #dnn.dims<[n, c = 20, 0]>}

// -----

// A word that names no dimension.
// expected-error @+1 {{expects 'n', 'c', 'k' or a number}}
func.func private @f() attributes {d = #dnn.dims<[n, channel, 0]>}
