// A kernel that the tests of this folder compile for one architecture only.
#cuda = #dnn.device<kind = "cuda", arch = "sm_90a", features = "", cores = 132, vector_bits = 128, gflops_f32 = 60000,
  gflops_f16 = 790000, gbytes_per_s = 4300, l2_bytes = 52428800, launch_ns = 3000>

dnn.kernel @acos family "cuda.generic" parameters {map = "thread", tasks = 30 : i64, tiles = array<i64: 1>} num_outputs 1
    : (memref<30xf32>, memref<30xf32>) -> () {
^bb0(%x: tensor<30xf32>, %y: tensor<30xf32>):
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<30xf32>) outs(%y : tensor<30xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = math.acos %a : f32
    linalg.yield %1 : f32
  } -> tensor<30xf32>
  dnn.yield %0 : tensor<30xf32>
}
dnn.program @main target #cuda arena 256 live 256 worker 0 inputs [] outputs [] {
  %0 = dnn.launch "layer_1" @acos grid [1, 1, 1] block [256, 1, 1]
      args [#dnn.buffer<arena, 0, 0, 120>, #dnn.buffer<arena, 0, 128, 120>]
}
