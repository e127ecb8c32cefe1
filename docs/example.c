/* Runs a compiled model once on inputs of ones and prints its first outputs. Argument: the
 * artifact. SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <stdlib.h>
#include <udnn-c/udnn.h>

static void check(udnn_status status) {
  if (status == UDNN_OK)
    return;
  fprintf(stderr, "error: %s\n", udnn_last_error());
  exit(1);
}

/* Memory for a tensor, filled with ones where it holds floats and zeros elsewhere. */
static void *allocate(const udnn_tensor_info *tensor) {
  void *data = calloc(tensor->bytes + 1, 1);
  for (size_t i = 0; tensor->type == 1 && i < tensor->bytes / sizeof(float); ++i)
    ((float *)data)[i] = 1;
  return data;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: %s MODEL.udnn\n", argv[0]), 1;
  udnn_model *model;
  size_t program;
  udnn_program_info info;
  check(udnn_model_load_file(argv[1], &model));
  check(udnn_model_find_program(model, NULL, "cpu", &program));
  check(udnn_model_get_program(model, program, &info));

  udnn_context *context;
  check(udnn_context_create(model, program, "cpu", 0, &context));
  void **memory = calloc(info.num_inputs + info.num_outputs, sizeof(void *));
  udnn_tensor_info tensor;
  for (size_t i = 0; i < info.num_inputs; ++i) {
    check(udnn_model_get_input(model, program, i, &tensor));
    if (tensor.frozen) /* has its value already */
      continue;
    memory[i] = allocate(&tensor);
    check(udnn_context_bind_input(context, i, memory[i], tensor.bytes));
  }
  void **outputs = memory + info.num_inputs;
  for (size_t i = 0; i < info.num_outputs; ++i) {
    check(udnn_model_get_output(model, program, i, &tensor));
    outputs[i] = allocate(&tensor);
    check(udnn_context_bind_output(context, i, outputs[i], tensor.bytes));
  }
  check(udnn_context_run(context));
  check(udnn_model_get_output(model, program, 0, &tensor));
  for (size_t i = 0; tensor.type == 1 && i < 5 && i < tensor.bytes / sizeof(float); ++i)
    printf("%s[%zu] = %g\n", tensor.name, i, ((float *)outputs[0])[i]);

  for (size_t i = 0; i < info.num_inputs + info.num_outputs; ++i)
    free(memory[i]);
  free(memory);
  return udnn_context_destroy(context) || udnn_model_destroy(model);
}
