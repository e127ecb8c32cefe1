//===- udnn.cpp - errors and versions of the C API -----------------------===//
//
// The message of the last error, and what the library is. No exception leaves these functions.
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include <new>

using namespace udnn;
using namespace udnn::artifact;
using namespace udnn::runtime;

static thread_local std::string lastError;

udnn_status udnn::runtime::report(Result result) {
  if (result.failed())
    lastError = std::move(result.message);
  return result.status;
}

udnn_status udnn::runtime::reportInvalid(std::string message) {
  return report(failure(UDNN_INVALID_ARGUMENT, std::move(message)));
}

udnn_status udnn::runtime::reportNull(const char *function) {
  return reportInvalid(std::string(function) + ": a pointer is null");
}

udnn_status udnn::runtime::reportIndex(const char *what, size_t index, size_t count) {
  return reportInvalid(std::string("expects ") + what + " number below " + std::to_string(count) +
                       ", got " + std::to_string(index));
}

udnn_status udnn::runtime::reportException(const std::exception &exception) {
  // Short enough for a string that allocates nothing.
  lastError = "out of memory";
  if (dynamic_cast<const std::bad_alloc *>(&exception))
    return UDNN_OUT_OF_MEMORY;
  try {
    lastError = exception.what();
  } catch (const std::bad_alloc &) {
  }
  return UDNN_OUT_OF_MEMORY;
}

const char *udnn_last_error(void) { return lastError.c_str(); }

udnn_status udnn_version(const char **out_version, uint32_t *out_format_version,
                         uint32_t *out_abi_version) try {
  if (!out_version || !out_format_version || !out_abi_version)
    return reportNull(__func__);
  *out_version = UDNN_VERSION;
  *out_format_version = kFormatVersion;
  *out_abi_version = kAbiVersion;
  return UDNN_OK;
} catch (const std::exception &exception) {
  return reportException(exception);
}
